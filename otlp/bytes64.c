#include "otlp/bytes64.h"

#define ONES_16                                                             \
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, \
        0xff, 0xff, 0xff, 0xff

const uint8_t bytes64_mask[192] = {ONES_16, ONES_16, ONES_16, ONES_16,
                                   ONES_16, ONES_16, ONES_16, ONES_16};
