/*
 * What a question names as it is written somewhere.  Three readings: names and
 * ids, by the resolver; keys - codes, variables, flags, what stands in quotes -
 * in what functions say and in texts; and the whole question as a message that
 * one function says, with values where the source has gaps (`%s`, `{name}`).
 */
#include <ctype.h>
#include <string.h>

#include "graph/code_build.h"
#include "knowledge/resolve.h"
#include "knowledge/search_parts.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

enum {
    IDENTS = 8,
    TEXTS_MAX = 30,
    KEY_MIN = 3,
    SHA_MIN = 7,
    SAID_MIN = 8,    /* letters of a message that must be there */
    SAID_ROWS = 400, /* of one question */
    GAP_MAX = 80
};
/* Of a message that has gaps, how much of the question must be its own. */
#define SAID_LEAST 0.3
#define SAID_SURE  0.5
#define GAP_SHARE  0.7
#define WHOLE      4.0
#define NAMED      2.0
#define SAID_KEY   2.0
#define IN_TEXT    1.5
#define IN_NAME    1.0

/* ---- how words look ---- */

bool
search_is_ident(str word)
{
    bool has_small = false;

    for (size_t i = 0; i < word.len; i++) {
        unsigned char c = (unsigned char)word.ptr[i];

        if (i && i + 1 < word.len && strchr("_:/.#-{", c))
            return true;
        if (has_small && isupper(c))
            return true;
        has_small = islower(c) != 0;
    }
    return word.len > 1 && (word.ptr[0] == '/' || word.ptr[0] == '{');
}

static bool
is_key(str word)
{
    size_t upper = 0, lower = 0, digits = 0, hex = 0, joints = 0;
    size_t under = 0, colons = 0;

    for (size_t i = 0; i < word.len; i++) {
        unsigned char c = (unsigned char)word.ptr[i];

        upper += isupper(c) != 0;
        lower += islower(c) != 0;
        digits += isdigit(c) != 0;
        hex += isxdigit(c) != 0;
        joints += i && (c == '_' || c == '-' || c == ':' || c == '.');
        under += i && c == '_';
        colons += i && c == ':';
    }
    if (word.len < KEY_MIN)
        return false;
    if (word.len >= SHA_MIN && hex == word.len && digits && lower)
        return true;
    if (word.len > 3 && word.ptr[0] == '-' && word.ptr[1] == '-')
        return true;
    if (digits == word.len)
        return false;
    if (upper > 1 && !lower)
        return joints || digits || upper > 4;
    return under || (joints && upper > 1 && lower) || colons > 1;
}

/* ---- names ---- */

static enum err
find_one(struct lane *lane, str word, double score)
{
    struct object_list several = {0};
    struct object one = {0};
    enum err err =
        object_find(lane->moment, word, IN_ANY_WORLD, &one, &several);

    if (!err)
        err = lane_add(lane, &(struct scored){near_spot_of(&one), score, 0, 0});
    else if (err == ERR_NOT_FOUND || err == ERR_AMBIGUOUS)
        err = OK;
    for (size_t i = 0; i < several.len && !err; i++)
        err = lane_add(lane, &(struct scored){near_spot_of(&several.items[i]),
                                              score / 2, 0, 0});
    object_list_fini(&several);
    object_fini(&one);
    return err;
}

/* ---- keys ---- */

static void
add_key(struct search_hits *hits, str key)
{
    for (size_t i = 0; i < hits->key_len; i++)
        if (str_eq(hits->keys[i], key))
            return;
    if (key.len >= KEY_MIN && hits->key_len < SEARCH_KEYS)
        hits->keys[hits->key_len++] = key;
}

/* What stands in quotes, then words by their looks. */
static void
read_keys(str query, struct search_hits *hits)
{
    for (size_t i = 0; i < query.len; i++) {
        if (!strchr("\"'`", query.ptr[i]) ||
            (i && isalnum((unsigned char)query.ptr[i - 1])))
            continue;
        const char *end =
            memchr(query.ptr + i + 1, query.ptr[i], query.len - i - 1);
        size_t at = end ? (size_t)(end - query.ptr) : i;

        if (end)
            add_key(hits, text_trim(str_cut(query, i + 1, at)));
        i = at;
    }
    for (size_t at = 0; at < query.len;) {
        size_t end = at;

        while (end < query.len && !strchr(" \t\n\"'`,;?!()[]", query.ptr[end]))
            end++;
        str word = str_cut(query, at, end);
        while (word.len && strchr(".:", word.ptr[word.len - 1]))
            word.len--;
        if (is_key(word))
            add_key(hits, word);
        at = end + 1;
    }
}

/* The words of |key| as one phrase; empty: it has none. */
static void
make_phrase(str key, struct buf *out)
{
    size_t at = 0;
    bool is_first = true;
    str word;

    buf_reset(out);
    while (text_next_word(key, &at, &word)) {
        buf_add(out, is_first ? STR("\"") : STR(" "));
        buf_add(out, word);
        is_first = false;
    }
    if (!is_first)
        buf_add_char(out, '"');
}

static enum err
take_texts(struct lane *lane, enum ks_sql sql, double score, unsigned keys)
{
    struct knowledge_store *store = lane->moment->store;
    const struct ks_value *row;
    enum err err = OK;

    while (!err && ks_next(store, sql, &row))
        err = lane_add(lane, &(struct scored){
                                 .spot = lane_text_spot(row[0].num, row[1].num),
                                 .score = score,
                                 .chunk = row[1].num ? row[0].num : 0,
                                 .keys = keys,
                             });
    enum err end = ks_end(store, sql);
    return err ? err : end;
}

static enum err
find_key_in_texts(struct lane *lane, str key, unsigned bit)
{
    struct knowledge_store *store = lane->moment->store;
    struct buf phrase = {0};
    enum err err;

    make_phrase(key, &phrase);
    err = phrase.failed ? ERR_NOMEM : OK;
    if (!err && phrase.len) {
        ks_ask(store, KS_FTS_EXACT,
               KS_ARGS(ks_text(buf_str(&phrase)), ks_text(key),
                       ks_int(TEXTS_MAX)));
        err = take_texts(lane, KS_FTS_EXACT, IN_TEXT, bit);
    }
    buf_reset(&phrase);
    buf_add_char(&phrase, '"');
    for (size_t i = 0; i < key.len; i++)
        if (key.ptr[i] != '"')
            buf_add_char(&phrase, key.ptr[i]);
    buf_add_char(&phrase, '"');
    if (!err) {
        ks_ask(store, KS_IDENT_FIND,
               KS_ARGS(ks_text(buf_str(&phrase)), ks_int(TEXTS_MAX)));
        err = take_texts(lane, KS_IDENT_FIND, IN_NAME, bit);
    }
    buf_fini(&phrase);
    return err;
}

/* ---- what functions say ---- */

static bool
holds(str text, str part)
{
    return part.len <= text.len &&
           memmem(text.ptr, text.len, part.ptr, part.len);
}

/* Where the gap at |at| of a message ends; |at|: there is none. */
static size_t
gap_end(str said, size_t at)
{
    str rest = str_cut(said, at, said.len);
    size_t end = 1;

    if (rest.ptr[0] == '{' ||
        (rest.len > 1 && rest.ptr[0] == '$' && rest.ptr[1] == '{')) {
        const char *close = memchr(rest.ptr, '}', rest.len);
        return close ? at + (size_t)(close - rest.ptr) + 1 : at;
    }
    if (rest.ptr[0] != '%' || rest.len < 2 ||
        (!isalnum((unsigned char)rest.ptr[1]) && !strchr("+#.-(", rest.ptr[1])))
        return at;
    while (end < rest.len && !isalpha((unsigned char)rest.ptr[end]))
        end++;
    return at + (end < rest.len ? end + 1 : end);
}

static size_t
next_gap(str said, size_t at, size_t *end)
{
    for (; at < said.len; at++)
        if ((*end = gap_end(said, at)) > at)
            return at;
    *end = said.len;
    return said.len;
}

/* What stands in a gap counts for less than what is the same, and no gap is as
 * long as a page. */
static double
in_gap(size_t len)
{
    return GAP_SHARE * (double)(len < GAP_MAX ? len : GAP_MAX);
}

/* How much of |text| is the message |said|, its pieces in order; 0: it is
 * another. */
static double
said_share(str said, str text)
{
    size_t from = 0;
    size_t found = 0;
    double gaps = 0;
    bool after_gap = false;

    for (size_t at = 0; at < said.len;) {
        size_t end;
        size_t gap = next_gap(said, at, &end);
        str piece = text_trim(str_cut(said, at, gap));

        at = end;
        while (piece.len && strchr("'\":=", piece.ptr[piece.len - 1]))
            piece.len--;
        if (piece.len >= 2) {
            const char *there =
                memmem(text.ptr + from, text.len - from, piece.ptr, piece.len);
            if (!there)
                return 0;
            if (after_gap)
                gaps += in_gap((size_t)(there - text.ptr) - from);
            from = (size_t)(there - text.ptr) + piece.len;
            found += piece.len;
            after_gap = false;
        }
        after_gap |= end > gap;
    }
    if (after_gap)
        gaps += in_gap(text.len - from);
    return found < SAID_MIN ? 0 : ((double)found + gaps) / (double)text.len;
}

/* The other way round: |text| is a part of the message. */
static double
part_share(str said, str text)
{
    return text.len >= SAID_MIN && holds(said, text)
               ? (double)text.len / (double)said.len
               : 0;
}

static double
weigh_said(const struct lane *lane, str said, unsigned *keys)
{
    const struct search_hits *hits = lane->hits;
    str query = text_trim(lane->ask->query);
    double score = 0;

    *keys = 0;
    for (size_t i = 0; i < hits->key_len; i++) {
        str key = hits->keys[i];
        double share = str_eq(said, key)    ? 1
                       : holds(said, key)   ? 0.5
                       : key.len > SAID_MIN ? said_share(said, key)
                                            : 0;
        if (share >= SAID_LEAST) {
            *keys |= 1U << i;
            score += SAID_KEY * share;
        }
    }
    double share = said_share(said, query);
    double part = part_share(said, query);
    share = share > part ? share : part;
    return score + (share >= SAID_LEAST ? NAMED * share : 0);
}

/* Names of several words add up. */
static void
add_exact(struct search_hits *hits, double share)
{
    hits->exact = hits->exact + share < 1 ? hits->exact + share : 1;
}

/* Which runs of three letters the question has, by hash: a message whose first
 * piece begins with another is another. */
enum { RUN_BITS = 12 };
struct run_set {
    uint64_t bits[(1 << RUN_BITS) / 64];
    uint64_t mark; /* code_terms_mark of the question */
    uint64_t key_marks[SEARCH_KEYS];
    bool has_part; /* it is long enough to be a part of a message */
};

static uint32_t
run_slot(const char *at)
{
    uint32_t run = (uint32_t)(unsigned char)at[0] << 16 |
                   (uint32_t)(unsigned char)at[1] << 8 | (unsigned char)at[2];

    return run * UINT32_C(2654435761) >> (32 - RUN_BITS);
}

static void
read_runs(const struct lane *lane, struct run_set *out)
{
    str query = text_trim(lane->ask->query);

    *out = (struct run_set){.mark = code_terms_mark(query),
                            .has_part = query.len >= SAID_MIN};
    for (size_t i = 0; i + 3 <= query.len; i++) {
        uint32_t slot = run_slot(query.ptr + i);
        out->bits[slot / 64] |= UINT64_C(1) << slot % 64;
    }
    for (size_t i = 0; i < lane->hits->key_len; i++)
        out->key_marks[i] = code_terms_mark(lane->hits->keys[i]);
}

/* False: weigh_said would find nothing.  Keys are parts of the question. */
static bool
may_say(const struct lane *lane, const struct run_set *runs, uint32_t literal)
{
    str said = lane->moment->joined->code->literals[literal].text;
    uint64_t mark = lane->runs->said[literal];

    if (runs->has_part && !(runs->mark & ~mark))
        return true;
    for (size_t i = 0; i < lane->hits->key_len; i++)
        if (!(runs->key_marks[i] & ~mark))
            return true;
    if (said.len < 3)
        return true;
    for (size_t i = 0; i < 3; i++)
        if (strchr("%{$ \t\n\r\v\f'\":=", said.ptr[i]))
            return true; /* a gap, or what is trimmed; or NUL */
    uint32_t slot = run_slot(said.ptr);
    return runs->bits[slot / 64] >> slot % 64 & 1;
}

static enum err
find_said(struct lane *lane)
{
    const struct joined *joined = lane->moment->joined;
    const struct code *code = joined ? joined->code : NULL;
    struct run_set runs;
    size_t rows = 0;
    enum err err = OK;

    read_runs(lane, &runs);
    for (uint32_t i = 0; code && i < code->literal_len && !err; i++) {
        const struct code_literal *said = &code->literals[i];
        const struct object object = {.vertex = said->node};
        unsigned keys;

        if (said->kind >= LITERAL_DOC)
            continue;
        double score =
            may_say(lane, &runs, i) ? weigh_said(lane, said->text, &keys) : 0;
        if (score > NAMED * SAID_SURE)
            add_exact(lane->hits, 1);
        if (score > 0 && rows++ < SAID_ROWS)
            err = lane_add(
                lane, &(struct scored){near_spot_of(&object), score, 0, keys});
    }
    return err;
}

enum err
search_idents(struct lane *lane)
{
    str query = text_trim(lane->ask->query);
    struct search_hits *hits = lane->hits;
    size_t found = 0;
    enum err err = find_one(lane, query, WHOLE);

    if (lane->len)
        add_exact(hits, 1);
    read_keys(query, hits);
    for (size_t at = 0; at < query.len && found < IDENTS && !err;) {
        size_t end = at;

        while (end < query.len && !strchr(" \t\n\"'`,;?!()", query.ptr[end]))
            end++;
        str word = str_cut(query, at, end);
        if (word.len < query.len && search_is_ident(word)) {
            err = find_one(lane, word, NAMED);
            add_exact(hits, (double)word.len / (double)query.len);
            found++;
        }
        at = end + 1;
    }
    if (!err)
        err = find_said(lane);
    for (size_t i = 0; i < hits->key_len && !err && lane->moment->store; i++)
        err = lane_is_late(lane)
                  ? ERR_STORE
                  : find_key_in_texts(lane, hits->keys[i], 1U << i);
    return err;
}
