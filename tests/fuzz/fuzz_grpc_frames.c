/*
 * Any bytes as what a connection of gRPC core reads, cut anywhere: taken, or
 * not, and left for core as the same bytes, however they were cut.  What core
 * has sent comes between.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "net/grpc_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The whole of |bytes| in pieces of |step|. */
static bool
take(uint8_t *bytes, size_t len, size_t step, bool is_sent)
{
    uint8_t preface[] = FRAMES_PREFACE;
    struct frames f = {.is_sent = is_sent};
    bool is_good = frames_take(&f, preface, FRAMES_PREFACE_LEN);

    for (size_t at = 0; at < len; at += step)
        is_good =
            frames_take(&f, bytes + at, len - at < step ? len - at : step);
    assert(f.held_kib == 0 || f.calls);
    frames_sent(&f, bytes, len, NS_PER_S);
    frames_end(&f);
    return is_good;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    uint8_t *whole;
    uint8_t *pieces;

    log_set_level(LOG_ERROR);
    if (len < 2)
        return 0;
    size_t step = 1 + data[0] % 64;
    bool is_sent = data[1] & 1;
    len -= 2;
    whole = malloc(len + 1);
    pieces = malloc(len + 1);
    assert(whole && pieces);
    memcpy(whole, data + 2, len);
    memcpy(pieces, data + 2, len);
    bool is_good = take(whole, len, len + 1, is_sent);
    assert(take(pieces, len, step, is_sent) == is_good);
    assert(!is_good || memcmp(whole, pieces, len) == 0);
    free(whole);
    free(pieces);
    return 0;
}
