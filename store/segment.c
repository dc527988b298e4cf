/*
 * The rows lie where they are packed; the index goes behind them, so that a
 * group is in one piece without being copied.
 *
 * Whoever reads needs the index first, and often nothing else.  Where a head is
 * not sound, the file is searched for the next magic number that begins one:
 * what follows damage is still there.
 */
#include "store/segment.h"

#include <string.h>

#include "base/coded.h"
#include "base/log.h"
#include "store/journal.h"
#include "store/segment_file.h"

enum {
    MAGIC = 0x6e617073, /* "span" */
    HEAD_BYTES = 4 + 4 + 5 * 8,
    ROW_BYTES = 4 + 4 + 3 * 8,
    HASH_BYTES = 8,
    KEPT_BYTES = 4 << 20, /* a buffer larger than that is given back */
    WINDOW = 1 << 16,
    SECTOR = 4096, /* or several */
};

static char *
put_u32(char *to, uint32_t value)
{
    uint32_t little = htole32(value);

    memcpy(to, &little, sizeof(little));
    return to + sizeof(little);
}

static uint32_t
get_u32(struct coded *in)
{
    uint32_t little = 0;

    coded_get_bytes(in, &little, sizeof(little));
    return le32toh(little);
}

/* ---- writing ---- */

/* Has room for the head of a group, and for one more in its index. */
static char *
begin_row(struct segment_group *group)
{
    struct buf *bytes = &group->bytes;

    if (group->rows == 0 && buf_grow(bytes, HEAD_BYTES))
        bytes->len = HEAD_BYTES;
    return bytes->failed || group->rows == UINT32_MAX
               ? NULL
               : buf_grow(&group->index, ROW_BYTES);
}

static void
end_row(struct segment_group *group, char *to, const struct segment_row *row)
{
    to = put_u32(to, row->bytes);
    to = put_u32(to, row->stubs);
    to = coded_put_u64(to, row->received_ns);
    to = coded_put_u64(to, row->digest.hi);
    (void)coded_put_u64(to, row->digest.lo);
    group->index.len += ROW_BYTES;
    group->rows++;
}

enum err
segment_group_add(struct segment_group *group, const struct stub_batch *batch,
                  struct digest128 digest)
{
    char *to = begin_row(group);
    size_t before = group->bytes.len;

    journal_pack(batch, &group->bytes);
    size_t len = group->bytes.len - before;
    if (!to || group->bytes.failed || len > UINT32_MAX)
        return ERR_NOMEM;
    const struct segment_row row = {.received_ns = batch->received_ns,
                                    .digest = digest,
                                    .stubs = batch->stub_len,
                                    .bytes = (uint32_t)len};
    end_row(group, to, &row);
    group->stubs += batch->stub_len;
    if (group->last_ns < batch->received_ns)
        group->last_ns = batch->received_ns;
    return OK;
}

enum err
segment_group_add_lost(struct segment_group *group, uint32_t stubs)
{
    const struct segment_row row = {.stubs = stubs};
    char *to = begin_row(group);

    if (!to)
        return ERR_NOMEM;
    end_row(group, to, &row);
    return OK;
}

static uint64_t
hash_of(str head, str index)
{
    return hash_bytes(index, hash_bytes(head, 0));
}

enum err
segment_group_end(struct segment_group *group, const struct segment_id *id,
                  uint64_t seq, str *out)
{
    struct buf *bytes = &group->bytes;
    size_t data = bytes->len - HEAD_BYTES;

    buf_add(bytes, buf_str(&group->index));
    char *hash = buf_grow(bytes, HASH_BYTES);
    if (bytes->failed || group->index.failed || !hash)
        return ERR_NOMEM;
    char *to = put_u32(bytes->ptr, MAGIC);
    to = put_u32(to, group->rows);
    to = coded_put_u64(to, data);
    to = coded_put_u64(to, id->store);
    to = coded_put_u64(to, id->number);
    to = coded_put_u64(to, id->first);
    (void)coded_put_u64(to, seq);
    (void)coded_put_u64(
        hash, hash_of((str){bytes->ptr, HEAD_BYTES}, buf_str(&group->index)));
    bytes->len += HASH_BYTES;
    *out = buf_str(bytes);
    return OK;
}

static void
reset(struct buf *buf)
{
    if (buf->cap > KEPT_BYTES)
        buf_fini(buf);
    buf_reset(buf);
}

void
segment_group_reset(struct segment_group *group)
{
    reset(&group->bytes);
    reset(&group->index);
    group->rows = 0;
    group->stubs = 0;
    group->last_ns = 0;
}

void
segment_group_fini(struct segment_group *group)
{
    buf_fini(&group->bytes);
    buf_fini(&group->index);
    *group = (struct segment_group){0};
}

/* ---- reading ---- */

/* Reads what can be read, sector by sector; the rest is zeros. */
static enum err
read_sectors(struct segment_walk *walk, char *to, int64_t at, int64_t end)
{
    while (at < end) {
        int64_t next = (at / SECTOR + 1) * SECTOR;
        int some = (int)((next < end ? next : end) - at);
        int rc = walk->file->pMethods->xRead(walk->file, to, some, at);
        if (rc == SQLITE_NOMEM)
            return ERR_NOMEM;
        if (rc != SQLITE_OK) {
            if (walk->unread == 0)
                log_error("a segment of the journal cannot be read in part",
                          "number", "%llu, at %lld: %s (%d)",
                          (unsigned long long)walk->id.number, (long long)at,
                          sqlite3_errstr(rc), rc);
            if (walk->unread < at + some)
                walk->unread = at + some;
            memset(to, 0, (size_t)some);
        }
        to += some;
        at += some;
    }
    return OK;
}

static enum err
read_some(struct segment_walk *walk, char *to, int64_t at, int len)
{
    return walk->file->pMethods->xRead(walk->file, to, len, at) == SQLITE_OK
               ? OK
               : read_sectors(walk, to, at, at + len);
}

/* Reads |len| bytes from |at| on into |out|, which they replace. */
static enum err
read_into(struct segment_walk *walk, struct buf *out, int64_t at, int64_t len)
{
    buf_reset(out);
    if (!buf_grow(out, (size_t)len + 1))
        return ERR_NOMEM;
    for (int64_t done = 0; done < len;) {
        int some =
            len - done < SEGMENT_PIECE ? (int)(len - done) : SEGMENT_PIECE;
        enum err err = read_some(walk, out->ptr + done, at + done, some);
        if (err)
            return err;
        done += some;
    }
    out->len = (size_t)len;
    return OK;
}

struct head {
    uint32_t magic;
    uint32_t rows;
    uint64_t data;
    struct segment_id id;
    uint64_t seq;
};

static struct head
get_head(str bytes)
{
    const unsigned char *begin = (const unsigned char *)bytes.ptr;
    struct coded in = {.at = begin, .end = begin + bytes.len};
    struct head head = {.magic = get_u32(&in), .rows = get_u32(&in)};

    head.data = coded_get_u64(&in);
    head.id.store = coded_get_u64(&in);
    head.id.number = coded_get_u64(&in);
    head.id.first = coded_get_u64(&in);
    head.seq = coded_get_u64(&in);
    return head;
}

/* Whether the numbers of |head| could be true of a group at |at|. */
static bool
is_likely(const struct segment_walk *walk, const struct head *head, int64_t at)
{
    uint64_t room = (uint64_t)(walk->size - at);
    uint64_t rest = HEAD_BYTES + HASH_BYTES + (uint64_t)head->rows * ROW_BYTES;

    return head->magic == MAGIC && head->rows > 0 && room >= rest &&
           head->data <= room - rest && head->id.first > 0 &&
           head->seq >= head->id.first &&
           head->seq <= (uint64_t)INT64_MAX - head->rows;
}

static bool
is_ours(const struct segment_walk *walk, const struct head *head)
{
    return head->id.store == walk->id.store &&
           head->id.number == walk->id.number &&
           (walk->id.first == 0 || head->id.first == walk->id.first) &&
           head->seq >= walk->seq + walk->rows;
}

/* Reads the index of |head|, which is at |at|, and holds both against their
 * hash. */
static enum err
read_index(struct segment_walk *walk, const struct head *head, str bytes,
           int64_t at, bool *sound)
{
    int64_t len = (int64_t)head->rows * ROW_BYTES;
    enum err err =
        read_into(walk, &walk->index, at + HEAD_BYTES + (int64_t)head->data,
                  len + HASH_BYTES);
    uint64_t sum = 0;

    *sound = false;
    if (err)
        return err;
    const unsigned char *begin = (const unsigned char *)walk->index.ptr;
    struct coded in = {.at = begin + len, .end = begin + len + HASH_BYTES};
    walk->index.len = (size_t)len;
    if (coded_get_u64(&in) != hash_of(bytes, buf_str(&walk->index)))
        return OK;
    for (uint32_t i = 0; i < head->rows; i++) {
        in = (struct coded){.at = begin + (size_t)i * ROW_BYTES,
                            .end = begin + len};
        sum += get_u32(&in);
    }
    *sound = sum == head->data;
    return OK;
}

/* Looks at what is at |at|. */
static enum err
look_at(struct segment_walk *walk, int64_t at, bool *found)
{
    char bytes[HEAD_BYTES];
    str view = {bytes, sizeof(bytes)};
    bool sound = false;

    *found = false;
    if (walk->size - at < HEAD_BYTES + HASH_BYTES)
        return OK;
    enum err err = read_some(walk, bytes, at, HEAD_BYTES);
    if (err)
        return err;
    struct head head = get_head(view);
    if (!is_likely(walk, &head, at))
        return OK;
    if (!is_ours(walk, &head) && (at > 0 || head.id.store == walk->id.store))
        return OK;
    if ((err = read_index(walk, &head, view, at, &sound)) || !sound)
        return err;
    if (!is_ours(walk, &head)) {
        walk->is_foreign = true;
        return OK;
    }
    *found = true;
    walk->id.first = head.id.first;
    walk->at = at;
    walk->end = at + HEAD_BYTES + (int64_t)head.data +
                (int64_t)head.rows * ROW_BYTES + HASH_BYTES;
    walk->seq = head.seq;
    walk->rows = head.rows;
    return OK;
}

/* Looks behind |at| for a group. */
static enum err
search(struct segment_walk *walk, int64_t at, bool *found)
{
    char magic[4];
    enum err err = OK;

    (void)put_u32(magic, MAGIC);
    *found = false;
    for (at++; walk->size - at >= HEAD_BYTES && !*found && !err;) {
        int64_t len = walk->size - at < WINDOW ? walk->size - at : WINDOW;
        if ((err = read_into(walk, &walk->window, at, len)))
            break;
        const char *from = walk->window.ptr;
        const char *end = from + len;
        const char *hit;
        while (!*found && !err &&
               (hit = memmem(from, (size_t)(end - from), magic, 4))) {
            err = look_at(walk, at + (hit - walk->window.ptr), found);
            from = hit + 1;
        }
        at += len - 3; /* one may lie across */
    }
    return err;
}

enum err
segment_walk_begin(struct segment_walk *walk, sqlite3_file *file,
                   uint64_t store, uint64_t number)
{
    sqlite3_int64 size = 0;

    *walk = (struct segment_walk){.file = file,
                                  .id = {.store = store, .number = number}};
    if (file->pMethods->xFileSize(file, &size) != SQLITE_OK)
        return ERR_STORE;
    walk->size = size;
    return OK;
}

void
segment_walk_fini(struct segment_walk *walk)
{
    buf_fini(&walk->index);
    buf_fini(&walk->data);
    buf_fini(&walk->window);
}

enum err
segment_walk_next(struct segment_walk *walk)
{
    int64_t at = walk->end;
    bool found = false;
    enum err err = look_at(walk, at, &found);

    buf_reset(&walk->data);
    if (err || found)
        return err;
    if (walk->is_foreign)
        return ERR_NOT_FOUND;
    err = search(walk, at, &found);
    return err ? err : found ? OK : ERR_NOT_FOUND;
}

struct segment_row
segment_walk_row(const struct segment_walk *walk, uint32_t i)
{
    const unsigned char *begin = (const unsigned char *)walk->index.ptr;
    struct coded in = {.at = begin + (size_t)i * ROW_BYTES,
                       .end = begin + walk->index.len};
    struct segment_row row = {.seq = walk->seq + i, .bytes = get_u32(&in)};

    row.stubs = get_u32(&in);
    row.received_ns = coded_get_u64(&in);
    row.digest.hi = coded_get_u64(&in);
    row.digest.lo = coded_get_u64(&in);
    return row;
}

enum err
segment_walk_load(struct segment_walk *walk)
{
    int64_t len = walk->end - walk->at - HEAD_BYTES - HASH_BYTES -
                  (int64_t)walk->rows * ROW_BYTES;

    return read_into(walk, &walk->data, walk->at + HEAD_BYTES, len);
}

str
segment_walk_data(const struct segment_walk *walk, uint32_t i, size_t *at)
{
    str data = {walk->data.ptr + *at, segment_walk_row(walk, i).bytes};

    *at += data.len;
    return data;
}
