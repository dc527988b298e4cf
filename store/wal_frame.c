#include "store/wal_frame.h"

enum { PAGE_MIN = 512, PAGE_MAX = 65536 };

#define MAGIC   UINT32_C(0x377f0682) /* and 1 more: sums of big-endian words */
#define VERSION UINT32_C(3007000)

uint32_t
wal_frame_get(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | at[3];
}

void
wal_frame_put(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t
get_word(const uint8_t *at, bool is_big)
{
    uint32_t word = wal_frame_get(at);

    return is_big ? word : __builtin_bswap32(word);
}

struct wal_sum
wal_frame_get_sum(const uint8_t *at)
{
    return (struct wal_sum){wal_frame_get(at), wal_frame_get(at + 4)};
}

void
wal_frame_put_sum(uint8_t *at, struct wal_sum sum)
{
    wal_frame_put(at, sum.a);
    wal_frame_put(at + 4, sum.b);
}

bool
wal_frame_same_sum(struct wal_sum x, struct wal_sum y)
{
    return x.a == y.a && x.b == y.b;
}

struct wal_sum
wal_frame_add(struct wal_sum sum, const uint8_t *bytes, size_t len, bool is_big)
{
    for (size_t i = 0; i < len; i += 8) {
        sum.a += get_word(bytes + i, is_big) + sum.b;
        sum.b += get_word(bytes + i + 4, is_big) + sum.a;
    }
    return sum;
}

struct wal_sum
wal_frame_take_back(struct wal_sum sum, const uint8_t *bytes, size_t len,
                    bool is_big)
{
    for (size_t i = len; i > 0; i -= 8) {
        sum.b -= get_word(bytes + i - 4, is_big) + sum.a;
        sum.a -= get_word(bytes + i - 8, is_big) + sum.b;
    }
    return sum;
}

struct wal_sum
wal_frame_sum(struct wal_sum sum, const uint8_t *head, const uint8_t *page,
              size_t len, bool is_big)
{
    sum = wal_frame_add(sum, head, WAL_FRAME_SUMMED, is_big);
    return wal_frame_add(sum, page, len, is_big);
}

static void
put_word(uint8_t *at, uint32_t word, bool is_big)
{
    wal_frame_put(at, is_big ? word : __builtin_bswap32(word));
}

void
wal_frame_solve(struct wal_sum before, struct wal_sum behind, bool is_big,
                uint8_t words[WAL_FRAME_SUMMED])
{
    put_word(words, behind.a - before.a - before.b, is_big);
    put_word(words + 4, behind.b - before.b - behind.a, is_big);
}

bool
wal_frame_is_page_len(uint32_t len)
{
    return len >= PAGE_MIN && len <= PAGE_MAX && (len & (len - 1)) == 0;
}

bool
wal_frame_is_big(const uint8_t head[WAL_HEAD])
{
    return (wal_frame_get(head) & 1) != 0;
}

bool
wal_frame_head_is_sound(const uint8_t head[WAL_HEAD])
{
    struct wal_sum sum = wal_frame_add((struct wal_sum){0, 0}, head,
                                       WAL_HEAD_SUMMED, wal_frame_is_big(head));

    return (wal_frame_get(head) & ~UINT32_C(1)) == MAGIC &&
           wal_frame_is_page_len(wal_frame_get(head + WAL_HEAD_PAGE_LEN)) &&
           wal_frame_same_sum(sum, wal_frame_get_sum(head + WAL_HEAD_SUM));
}

void
wal_frame_guess_head(uint8_t head[WAL_HEAD])
{
    if ((wal_frame_get(head) & ~UINT32_C(1)) != MAGIC)
        wal_frame_put(head, MAGIC);
    wal_frame_put(head + 4, VERSION);
}
