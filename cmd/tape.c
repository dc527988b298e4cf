#include "cmd/tape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCK = 512,
    AT_SIZE = 124,
    AT_SUM = 148,
    AT_TYPE = 156,
    AT_MAGIC = 257,
    NAME_CAP = 100,
    SUM_LEN = 8,
    SIZE_LEN = 12,
};

#define SIZE_MAX_BYTES (INT64_C(1) << 33)

static enum err
say(struct buf *why, const char *name, const char *what)
{
    buf_printf(why, "%s: %s", name, what);
    return ERR_IO;
}

/* The sum of a header, its own field taken for blanks. */
static unsigned
sum_of(const unsigned char *block)
{
    unsigned sum = 0;

    for (size_t i = 0; i < BLOCK; i++)
        sum += i >= AT_SUM && i < AT_SUM + SUM_LEN ? ' ' : block[i];
    return sum;
}

static void
make_header(char *block, const char *name, int64_t size, uint64_t now_s)
{
    memset(block, 0, BLOCK);
    (void)snprintf(block, NAME_CAP, "%s", name);
    (void)snprintf(block + 100, 8, "%07o", 0600);
    (void)snprintf(block + 108, 8, "%07o", 0);
    (void)snprintf(block + 116, 8, "%07o", 0);
    (void)snprintf(block + AT_SIZE, SIZE_LEN, "%011llo",
                   (unsigned long long)size);
    (void)snprintf(block + 136, SIZE_LEN, "%011llo", (unsigned long long)now_s);
    block[AT_TYPE] = '0';
    (void)snprintf(block + AT_MAGIC, 6, "ustar");
    block[AT_MAGIC + 6] = '0';
    block[AT_MAGIC + 7] = '0';
    (void)snprintf(block + AT_SUM, SUM_LEN, "%06o",
                   sum_of((const unsigned char *)block));
    block[AT_SUM + 7] = ' ';
}

/* Copies |size| bytes, and on a tape what fills the last block. */
static enum err
copy(FILE *from, FILE *to, int64_t size, const char *name, struct buf *why)
{
    char room[1 << 14];

    while (size > 0) {
        size_t want =
            size < (int64_t)sizeof(room) ? (size_t)size : sizeof(room);

        if (fread(room, 1, want, from) != want) {
            (void)say(why, name, ferror(from) ? strerror(errno) : "is cut off");
            return ferror(from) ? ERR_IO : ERR_INVALID;
        }
        if (fwrite(room, 1, want, to) != want)
            return say(why, name, strerror(errno));
        size -= (int64_t)want;
    }
    return OK;
}

static size_t
padding(int64_t size)
{
    return (size_t)((BLOCK - size % BLOCK) % BLOCK);
}

enum err
tape_add(FILE *tape, const char *name, const char *path, uint64_t now_s,
         struct buf *why)
{
    static const char zeros[BLOCK];
    char block[BLOCK];
    FILE *file = fopen(path, "rb");
    int64_t size = -1;
    enum err err = OK;

    if (!file)
        return say(why, path, strerror(errno));
    if (fseeko(file, 0, SEEK_END) == 0)
        size = ftello(file);
    if (size < 0 || fseeko(file, 0, SEEK_SET) != 0) {
        err = say(why, path, strerror(errno));
    } else if (size >= SIZE_MAX_BYTES) {
        (void)say(why, path, "over 8 GiB");
        err = ERR_TOO_LARGE;
    } else {
        make_header(block, name, size, now_s);
        if (fwrite(block, 1, BLOCK, tape) != BLOCK)
            err = say(why, name, strerror(errno));
    }
    if (!err)
        err = copy(file, tape, size, name, why);
    if (!err && fwrite(zeros, 1, padding(size), tape) != padding(size))
        err = say(why, name, strerror(errno));
    (void)fclose(file);
    return err;
}

enum err
tape_end(FILE *tape, struct buf *why)
{
    static const char zeros[2 * BLOCK];

    if (fwrite(zeros, 1, sizeof(zeros), tape) == sizeof(zeros) &&
        fflush(tape) == 0)
        return OK;
    return say(why, "backup", strerror(errno));
}

/* ---- reading ---- */

struct member {
    char name[NAME_CAP + 1];
    int64_t size;
};

static bool
read_octal(const unsigned char *text, size_t len, int64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < len && text[i] && text[i] != ' '; i++) {
        if (text[i] < '0' || text[i] > '7')
            return false;
        *out = *out * 8 + (text[i] - '0');
    }
    return true;
}

/* ERR_NOT_FOUND: the end. */
static enum err
read_header(FILE *tape, struct member *out)
{
    unsigned char block[BLOCK];
    int64_t sum = 0;

    if (fread(block, 1, BLOCK, tape) != BLOCK)
        return ERR_INVALID;
    if (block[0] == '\0')
        return ERR_NOT_FOUND;
    if (memcmp(block + AT_MAGIC, "ustar", 5) != 0 || block[AT_TYPE] != '0' ||
        !read_octal(block + AT_SUM, SUM_LEN, &sum) ||
        sum != (int64_t)sum_of(block) ||
        !read_octal(block + AT_SIZE, SIZE_LEN, &out->size))
        return ERR_INVALID;
    memcpy(out->name, block, NAME_CAP);
    out->name[NAME_CAP] = '\0';
    return OK;
}

static enum err
read_member(FILE *tape, const struct member *member, FILE *file,
            struct buf *why)
{
    char rest[BLOCK];
    size_t pad = padding(member->size);
    enum err err = copy(tape, file, member->size, member->name, why);

    if (!err && fread(rest, 1, pad, tape) != pad) {
        (void)say(why, member->name, "is cut off");
        err = ERR_INVALID;
    }
    if (!err && (fflush(file) != 0 || fsync(fileno(file)) != 0))
        err = say(why, member->name, strerror(errno));
    if (fclose(file) != 0 && !err)
        err = say(why, member->name, strerror(errno));
    return err;
}

enum err
tape_read(FILE *tape, tape_open_fn *fn, void *ctx, struct buf *why)
{
    struct member member;
    enum err err = OK;

    while (!err && !(err = read_header(tape, &member))) {
        FILE *file = fn(ctx, member.name);

        err = file ? read_member(tape, &member, file, why) : ERR_INVALID;
    }
    if (err == ERR_NOT_FOUND)
        return OK;
    if (why->len == 0)
        buf_add(why, STR("this is no backup of spangraph"));
    return err;
}
