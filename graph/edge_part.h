/*
 * edge_part - what is to be added to some edges, as bytes, and back.
 *
 * A flush is taken out of memory in one go and stored in steps, with other
 * work between them; in the meantime it is parts, in memory and, when there is
 * more than one, in the store.  A part is whole in itself:
 *
 *     version  varint  EDGE_PART_VERSION
 *     entries  ...     see edge_part.c, one an edge
 *     checksum u64     XXH3-64 of all before it
 *
 * What was read from a file is not trusted: edge_part_check first.
 *
 * Threads    None.
 */
#ifndef GRAPH_EDGE_PART_H
#define GRAPH_EDGE_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/coded.h"
#include "base/err.h"
#include "base/str.h"
#include "model/edge.h"

enum {
    EDGE_PART_VERSION = 2, /* 1 had no exemplars, and is read, too */
    EDGE_PART_DAY_H = 24,
};

/* What was observed of one edge, in one hour, between two versions. */
struct part_delta {
    uint32_t hour; /* since the epoch */
    uint32_t src_version;
    uint32_t dst_version;
    uint32_t first_s; /* of what was added, not of what was taken back */
    uint32_t last_s;
    int32_t count;
    int32_t errors;
    int32_t known;
    int64_t weight;
};

/* How many calls fell into a bucket on a day. */
struct part_duration {
    uint32_t day_bucket; /* part_day_bucket */
    int64_t count;
};

static inline uint32_t
part_day_bucket(uint32_t day, uint16_t bucket)
{
    return (uint32_t)(uint16_t)day << 16 | bucket;
}

/* All of one edge. */
struct edge_entry {
    uint32_t id;
    struct edge_key key;
    bool is_new;                    /* its row is not in the store yet */
    const struct part_delta *delta; /* by rising hour; one at least */
    uint32_t delta_len;
    const struct part_duration *duration; /* by rising day and bucket */
    size_t duration_len;
    struct exemplar exemplar[EXEMPLARS_EDGE_MAX];
    uint32_t exemplar_len;
};

/* ---- parts, one behind the other ---- */

struct edge_parts {
    struct buf bytes;
    struct buf ends; /* size_t each: where a part ends in |bytes| */
};

/* edge_parts_put appends |entry| to the part that is open, or opens one; look
 * at edge_parts_failed. */
void edge_parts_put(struct edge_parts *parts, const struct edge_entry *entry);

/* edge_parts_end closes the part that is open, if any. */
void edge_parts_end(struct edge_parts *parts);

/* edge_parts_add appends a part as it is, or an empty one. */
void edge_parts_add(struct edge_parts *parts, str part);

uint32_t edge_parts_len(const struct edge_parts *parts);
str edge_parts_get(const struct edge_parts *parts, uint32_t at);
bool edge_parts_failed(const struct edge_parts *parts); /* no memory */
void edge_parts_fini(struct edge_parts *parts); /* and it is empty again */

/* ---- reading one ---- */

struct edge_reader {
    struct coded in;
    bool has_exemplars;
    struct part_delta *deltas; /* of the entry last read */
    uint32_t delta_cap;
    struct part_duration *durations;
    size_t duration_cap;
};

/* edge_part_check: ERR_CORRUPT, these are not bytes of a part whose nodes are
 * below or at |nodes|. */
enum err edge_part_check(struct edge_reader *reader, str part, uint32_t nodes);

/* edge_part_begin, then edge_part_next until it is false: the end, or |err|
 * (ERR_NOMEM, ERR_CORRUPT).  An entry is good until the next.  An empty part
 * has none. */
void edge_part_begin(struct edge_reader *reader, str part);
bool edge_part_next(struct edge_reader *reader, struct edge_entry *out,
                    enum err *err);
void edge_reader_fini(struct edge_reader *reader);

#endif
