#include "otlp/decode_fast.h"

#include <string.h>

#include "model/attr.h"

/* The tags and lengths of key and value, the tag of what the value is, and the
 * last bit. */
enum { AROUND = 2 * 8 + 2 * 8 + 8 + 1 };

void
decode_fast_init(struct decode_fast *out)
{
    out->high_bits = UINT64_C(0x8080808080808080);
    out->low_bits = ~out->high_bits;
    memset(out->around, 0xff, sizeof(out->around));
    out->around[ATTR_STR] = AROUND;
    out->around[ATTR_BOOL] = AROUND;
    out->around[ATTR_INT] = AROUND;
}
