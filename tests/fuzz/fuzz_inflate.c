/*
 * Any bytes as a compressed body: what comes out fits the limit and is the same
 * again, and a limit one byte lower refuses it.  The first byte chooses.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "net/inflate.h"
#include "net/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { LIMIT = 1 << 18 };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const enum encoding encodings[] = {ENCODING_GZIP, ENCODING_DEFLATE,
                                              ENCODING_ZSTD, ENCODING_IDENTITY};
    static struct inflater *inflater;
    char *out = NULL;
    char *again = NULL;
    size_t out_len = 0;
    size_t again_len = 0;

    if (!inflater)
        inflater = inflater_new();
    if (!inflater || len < 1)
        return 0;
    enum encoding encoding = encodings[data[0] & 3];
    str bytes = {(const char *)data + 1, len - 1};
    enum err err =
        inflate_whole(inflater, encoding, bytes, LIMIT, &out, &out_len);
    assert(!err || !out);
    if (!err) {
        assert(out_len <= LIMIT);
        for (size_t i = 0; i < REQUEST_PAD; i++)
            assert(out[out_len + i] == 0);
        err = inflate_whole(inflater, encoding, bytes, out_len, &again,
                            &again_len);
        assert(!err && again_len == out_len);
        assert(out_len == 0 || memcmp(out, again, out_len) == 0);
        free(again);
        again = NULL;
        if (out_len)
            assert(inflate_whole(inflater, encoding, bytes, out_len - 1, &again,
                                 &again_len) == ERR_TOO_LARGE);
    }
    free(out);
    return 0;
}
