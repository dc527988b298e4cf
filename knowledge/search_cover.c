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
#define AS_TEXT   1.3
#define AS_CODE   1.7
#define AS_ROUTE  1.3
#define AS_DONE   1.7
#define AS_NAMED  0.5
/* What people hardly look for, and what they do. */
#define OF_VALUE 0.8 /* or a file */
#define OF_TYPE  0.9
#define OF_INNER 0.8 /* a function without a name */
#define OF_ENTRY 1.1 /* a route, an RPC, and what handles one */
#define OF_TEXT  1.15

enum { CANDIDATES = 120, PREFIX_MIN = 4 };

/* What a question is put for; KIND_DONE is what one tells an API to do. */
enum search_kind { KIND_ANY, KIND_TEXT, KIND_ROUTE, KIND_CODE, KIND_DONE };

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

static const double field_worth[FIELD_END] = {
    [FIELD_NAME] = 2,      [FIELD_SIGNATURE] = 0.5, [FIELD_PACKAGE] = 0.3,
    [FIELD_PATH] = 0.5,    [FIELD_SAID] = 0.7,      [FIELD_DOC] = 1,
    [FIELD_CALLED] = 0.25, [FIELD_BODY] = 0.25,     [FIELD_METHOD] = 0.5,
    [FIELD_HANDLER] = 1,   [FIELD_ROUTE] = 0.5,     [FIELD_BEHIND] = 1.1,
};

static void
see_text_of(void *ctx, const struct code_field_text *of)
{
    see_field(ctx, of->text, field_worth[of->field]);
}

/* `GET /cart/{}`, and what the method is for. */
static void
see_node(struct covering *c, const struct object *object)
{
    str name = buf_str(&object->name);
    const char *space = name.len ? memchr(name.ptr, ' ', name.len) : NULL;

    see_field(c, name, field_worth[FIELD_NAME]);
    see_field(c, buf_str(&object->domain), 0.5);
    if (space)
        see_field(
            c, code_method_words(str_cut(name, 0, (size_t)(space - name.ptr))),
            field_worth[FIELD_METHOD]);
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

/* What one tells an API to do. */
static bool
is_deed(str word)
{
    static const char *const deeds[] = {
        "list",   "get",     "fetch",   "show",   "find",   "search",
        "read",   "create",  "add",     "make",   "new",    "register",
        "delete", "remove",  "change",  "edit",   "update", "set",
        "save",   "rename",  "replace", "send",   "upload", "download",
        "export", "import",  "start",   "stop",   "run",    "cancel",
        "enable", "disable", "log",     "sign",   "give",   "put",
        "move",   "check",   "approve", "reject", "expire", "reset",
    };

    return has_word(word, deeds, sizeof(deeds) / sizeof(deeds[0]));
}

static bool
is_filler(str word)
{
    static const char *const fillers[] = {"please", "i",   "want", "need",
                                          "to",     "can", "let",  "me"};

    return has_word(word, fillers, sizeof(fillers) / sizeof(fillers[0]));
}

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
    static const char *const route_words[] = {"endpoint", "route", "url",
                                              "api",      "rest",  "http",
                                              "rpc",      "page",  "grpc"};
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
    if (is_verb)
        return KIND_CODE;
    at = 0;
    while (text_next_word(query, &at, &first))
        if (!is_filler(first))
            break;
    return is_deed(first) ? KIND_DONE : KIND_ANY;
}

/* What is written by no one, repeats others, or lists all that ever was. */
static double
standing_of_code(const struct lane *lane, uint32_t vertex)
{
    const struct code *code = lane->moment->joined->code;
    const struct code_vertex *node = code_node(code, vertex);
    double out = node->flags & (CODE_TEST | CODE_GENERATED) ? OF_TEST : 1;

    switch (node->kind) {
    case CODE_FILE:
    case CODE_CONST:
    case CODE_VAR:
        return out * OF_VALUE;
    case CODE_TYPE:
    case CODE_INTERFACE:
        return out * OF_TYPE;
    default:
        break;
    }
    if (code_is_nameless(node->name))
        return out * OF_INNER;
    return out *
           (code_is_entry(code, lane->terms->fields, vertex) ? OF_ENTRY : 1);
}

static double
standing(const struct lane *lane, const struct object *object)
{
    static const char *const lists[] = {"changelog", "changes", "releases"};

    if (object->vertex)
        return standing_of_code(lane, object->vertex);
    if (object->node)
        return OF_ENTRY;
    return object->world == WORLD_DOC && HAS(buf_str(&object->name), lists)
               ? OF_LIST
               : OF_TEXT;
}

static bool
is_entry(const struct lane *lane, const struct object *object)
{
    return object->node || (object->vertex &&
                            code_is_entry(lane->moment->joined->code,
                                          lane->terms->fields, object->vertex));
}

static double
as_asked(const struct lane *lane, enum search_kind asked,
         const struct object *object)
{
    switch (asked) {
    case KIND_TEXT:
        return object->vertex || object->node ? 1 : AS_TEXT;
    case KIND_CODE:
        return object->vertex ? AS_CODE : 1;
    case KIND_ROUTE:
        return is_entry(lane, object) ? AS_ROUTE : 1;
    case KIND_DONE:
        return is_entry(lane, object) ? AS_DONE : 1;
    default:
        return 1;
    }
}

static enum err
cover(struct lane *lane, const struct search_hit *hit)
{
    struct covering c = {.words = lane->words};
    struct object object = {0};
    enum search_kind asked = kind_asked(lane->ask->query);
    enum err err = near_object(lane->moment, hit->spot, &object);
    double found = 0;

    if (!err && object.vertex) {
        code_fields_each(lane->moment->joined->code, lane->terms->fields,
                         object.vertex, see_text_of, &c);
    } else if (!err && object.node) {
        see_node(&c, &object);
    } else if (!err) {
        err = see_text(&c, lane, hit->chunk ? hit->chunk : object.oid);
    }
    if (!err)
        found = score(&c) * standing(lane, &object) *
                as_asked(lane, asked, &object);
    /* All of the question is a name or a message, which is this one's. */
    if (found < 1 && lane->hits->exact >= 1 && hit->ranks[LANE_IDENT])
        found += (1 - found) * AS_NAMED / hit->ranks[LANE_IDENT];
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
