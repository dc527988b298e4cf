#include "tests/support/gzip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <libdeflate.h>

void
gzip_add(str text, struct buf *out)
{
    struct libdeflate_compressor *by = libdeflate_alloc_compressor(6);

    assert_non_null(by);
    size_t bound = libdeflate_gzip_compress_bound(by, text.len);
    char *packed = malloc(bound);
    assert_non_null(packed);
    size_t len =
        libdeflate_gzip_compress(by, text.ptr, text.len, packed, bound);
    assert_int_not_equal(len, 0);
    buf_add(out, (str){packed, len});
    free(packed);
    libdeflate_free_compressor(by);
}
