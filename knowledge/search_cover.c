/*
 * How much of the question each of the best so far covers.  Ranks of lanes over
 * different worlds cannot be compared: the best of few texts is no better than
 * the third of many functions.  So the best of all lanes are read once more,
 * and scored alike: rare words count more, where a word stands counts, and
 * words that stand together as in the question count again.
 */
#include <stdlib.h>
#include <string.h>

#include "knowledge/search_parts.h"
#include "knowledge/text.h"
#include "store/knowledge_store.h"

/* How soon repetition stops to count, and what length takes away. */
#define SOON      2
#define LENGTH    0.3
#define USUAL     40   /* parts */
#define TOGETHER  0.35 /* of a word, for standing behind its neighbour */
#define BY_PREFIX 0.5
#define BY_SAME   0.4
#define OF_TEST   0.6
#define OF_LIST   0.6
#define AS_ASKED  1.3

enum { CANDIDATES = 120, PREFIX_MIN = 4 };

enum search_kind { KIND_ANY, KIND_TEXT, KIND_ROUTE, KIND_CODE };

struct covering {
    const struct search_words *words;
    double often[SEARCH_WORDS];
    bool follows[SEARCH_WORDS]; /* it stood behind the word before it */
    double worth;               /* of the field at hand */
    size_t last;                /* the word that the last part was, + 1 */
    size_t parts;
};

static void
see_part(void *ctx, str part)
{
    struct covering *c = ctx;
    size_t is = 0;

    c->parts++;
    for (size_t i = 0; i < c->words->len; i++) {
        const struct search_word *word = &c->words->items[i];
        size_t least = word->len < part.len ? word->len : part.len;

        bool is_start = word->text[0] == part.ptr[0] &&
                        memcmp(word->text, part.ptr, least) == 0;
        if (is_start && word->len == part.len) {
            c->often[i] += c->worth;
            is = i + 1;
        } else if (is_start && least >= PREFIX_MIN) {
            c->often[i] += c->worth * BY_PREFIX;
        } else if (search_is_same(word, part)) {
            c->often[i] += c->worth * BY_SAME;
        }
    }
    if (is > 1 && c->last == is - 1)
        c->follows[is - 1] = true;
    if (is || !search_is_stop(part))
        c->last = is;
}

static void
see_field(struct covering *c, str text, double worth)
{
    c->worth = worth;
    c->last = 0;
    words_split(text, see_part, c);
}

static double
score(const struct covering *c)
{
    double sum = 0;
    double most = 0;
    double length = SOON * (1 - LENGTH + LENGTH * (double)c->parts / USUAL);

    for (size_t i = 0; i < c->words->len; i++) {
        double rarity = c->words->items[i].rarity;
        double often = c->often[i];

        most += rarity;
        if (often > 0)
            sum += rarity * (often * (SOON + 1) / (often + length) +
                             (c->follows[i] ? TOGETHER : 0));
    }
    return most > 0 ? sum / (most * (SOON + 1 + TOGETHER)) : 0;
}

static void
see_vertex(struct covering *c, const struct lane *lane, uint32_t id)
{
    const struct code *code = lane->moment->joined->code;
    const struct code_vertex *node = code_node(code, id);
    uint32_t len = 0;
    const uint32_t *said = code_said_of(lane->terms, id, &len);

    see_field(c, node->name, 2);
    see_field(c, node->signature, 0.5);
    see_field(c, node->package, 0.3);
    if (node->file)
        see_field(c, code->files[node->file].path, 0.5);
    for (uint32_t i = 0; i < len; i++)
        see_field(c, code->literals[said[i]].text, 0.7);
    for (uint32_t i = code->out_at[id]; i < code->out_at[id + 1]; i++)
        if (code->out[i].type == CODE_CALLS)
            see_field(c, code->nodes[code->out[i].node].name, 0.25);
}

static enum err
see_text(struct covering *c, struct lane *lane, int64_t oid)
{
    struct knowledge_store *store = lane->moment->store;
    const struct ks_value *row;

    if (!store || !oid)
        return OK;
    ks_ask(store, KS_DOC, KS_ARGS(ks_int(oid)));
    if (ks_next(store, KS_DOC, &row)) {
        see_field(c, row[0].text, 2);
        see_field(c, row[1].text, 0.5);
        see_field(c, row[2].text, 0.5);
        see_field(c, row[3].text, 1);
    }
    return ks_end(store, KS_DOC);
}

/* ---- what kind of answer the question is put for ---- */

static bool
has_word(str query, const char *const *words, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text_has_word(query, str_of(words[i])))
            return true;
    return false;
}

#define HAS(query, words) \
    has_word(query, words, sizeof(words) / sizeof((words)[0]))

/* Questions are put to people and their documents; `sends`, `returns` is how a
 * function is described. */
static enum search_kind
kind_asked(str query)
{
    static const char *const text_words[] = {
        "how",  "why",       "my",      "guide",    "docs",    "documentation",
        "own",  "tutorial",  "runbook", "install",  "upgrade", "configure",
        "help", "recommend", "example", "examples", "explain", "troubleshoot",
    };
    static const char *const route_words[] = {
        "endpoint", "route", "url", "api", "rest", "http", "rpc", "page"};
    static const char *const code_words[] = {
        "function", "method", "class",    "returns", "return",
        "raises",   "helper", "constant", "struct",  "given"};
    size_t at = 0;
    str first;

    if (HAS(query, text_words))
        return KIND_TEXT;
    if (HAS(query, route_words))
        return KIND_ROUTE;
    if (HAS(query, code_words))
        return KIND_CODE;
    bool is_verb = text_next_word(query, &at, &first) && first.len > 3 &&
                   first.ptr[first.len - 1] == 's' &&
                   first.ptr[first.len - 2] != 's';
    return is_verb ? KIND_CODE : KIND_ANY;
}

static enum search_kind
kind_of(const struct lane *lane, const struct object *object)
{
    uint8_t kind;

    if (object->node)
        return KIND_ROUTE;
    if (!object->vertex)
        return KIND_TEXT;
    kind = code_node(lane->moment->joined->code, object->vertex)->kind;
    return kind == CODE_ROUTE || kind == CODE_RPC ? KIND_ROUTE : KIND_CODE;
}

/* What is written by no one, repeats others, or lists all that ever was. */
static double
standing(const struct lane *lane, const struct object *object)
{
    static const char *const lists[] = {"changelog", "changes", "releases"};

    if (object->vertex) {
        uint32_t flags =
            code_node(lane->moment->joined->code, object->vertex)->flags;
        return flags & (CODE_TEST | CODE_GENERATED) ? OF_TEST : 1;
    }
    return object->world == WORLD_DOC && HAS(buf_str(&object->name), lists)
               ? OF_LIST
               : 1;
}

static enum err
cover(struct lane *lane, const struct search_hit *hit)
{
    struct covering c = {.words = lane->words};
    struct object object = {0};
    enum search_kind asked = kind_asked(lane->ask->query);
    enum err err = near_object(lane->moment, hit->spot, &object);
    double found = 0;

    if (!err && object.vertex && lane->terms) {
        see_vertex(&c, lane, object.vertex);
    } else if (!err && object.node) {
        see_field(&c, buf_str(&object.name), 2);
        see_field(&c, buf_str(&object.domain), 0.5);
    } else if (!err) {
        err = see_text(&c, lane, hit->chunk ? hit->chunk : object.oid);
    }
    if (!err)
        found = score(&c) * standing(lane, &object) *
                (asked && asked == kind_of(lane, &object) ? AS_ASKED : 1);
    object_fini(&object);
    return err || found <= 0 ? err
                             : lane_add(lane, &(struct scored){hit->spot, found,
                                                               hit->chunk, 0});
}

enum err
search_cover(struct lane *lane)
{
    const struct search_hits *hits = lane->hits;
    enum err err = OK;

    search_words_weigh(lane->words);
    for (size_t i = 0; i < hits->len && i < CANDIDATES && !err; i++)
        err = lane_is_late(lane) ? ERR_STORE : cover(lane, &hits->rows[i]);
    return err;
}
