#include "tests/fuzz/fuzz_session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    fuzz_session(http2_new, data, len);
    return 0;
}
