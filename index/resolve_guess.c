/*
 * Calls of which only the name is known.  A method that alone has the name is
 * a guess, a few that share it are candidates; neither is a call.  Names that
 * libraries use, too, are not guessed, nor where the arguments do not fit.
 */
#include <stdlib.h>
#include <string.h>

#include "index/resolve_graph.h"

enum { CANDIDATES_MAX = 5 };

/* Sorted: bsearch. */
static const char *const common[] = {
    "Add",      "Clear",  "Close",    "Contains", "Count",   "Delete",
    "Equal",    "Equals", "Error",    "Get",      "Len",     "Log",
    "Name",     "Next",   "Print",    "Printf",   "Put",     "Read",
    "Remove",   "Reset",  "Run",      "Set",      "Size",    "Start",
    "Stop",     "String", "ToString", "Type",     "Value",   "Wait",
    "Write",    "add",    "all",      "any",      "append",  "apply",
    "assert",   "bind",   "build",    "call",     "cancel",  "catch",
    "clear",    "clone",  "close",    "commit",   "concat",  "connect",
    "contains", "copy",   "count",    "create",   "decode",  "delete",
    "destroy",  "each",   "emit",     "encode",   "end",     "equals",
    "error",    "every",  "exec",     "execute",  "exists",  "exit",
    "extend",   "fetch",  "filter",   "find",     "first",   "flush",
    "forEach",  "format", "get",      "has",      "index",   "info",
    "init",     "insert", "items",    "iter",     "join",    "keys",
    "last",     "len",    "length",   "list",     "load",    "lock",
    "log",      "map",    "match",    "merge",    "name",    "new",
    "next",     "now",    "of",       "off",      "on",      "once",
    "open",     "parse",  "path",     "pop",      "post",    "print",
    "process",  "push",   "put",      "query",    "read",    "reduce",
    "register", "reject", "remove",   "render",   "replace", "reset",
    "resolve",  "run",    "save",     "search",   "send",    "set",
    "shift",    "size",   "slice",    "some",     "sort",    "split",
    "start",    "stop",   "strip",    "submit",   "test",    "then",
    "toString", "trim",   "type",     "unlock",   "update",  "use",
    "value",    "values", "wait",     "warn",     "with",    "write",
};

static int
compare_words(const void *key, const void *item)
{
    return strcmp(key, *(const char *const *)item);
}

static bool
is_common(str name)
{
    char word[32] = {0};

    if (name.len < 3 || name.len >= sizeof(word))
        return name.len < 3;
    memcpy(word, name.ptr, name.len);
    return bsearch(word, common, sizeof(common) / sizeof(common[0]),
                   sizeof(common[0]), compare_words) != NULL;
}

struct guessing {
    struct gathering *g;
    uint32_t *next;   /* of each global def: another of that name */
    struct map first; /* name -> global def + 1 */
    uint32_t *most;   /* parameters */
};

static void
note_defs(struct guessing *s, uint32_t file)
{
    struct resolver *r = s->g->r;
    const struct facts *facts = r->sources[file].facts;

    for (uint32_t id = 1; id < facts->def_len; id++) {
        const struct fact_def *def = &facts->defs[id];
        sym name = sym_of(r, file, def->name);
        uint32_t at = gdef(r, file, id);
        if (def->kind != CODE_METHOD || !name || (def->flags & DEF_LAMBDA))
            continue;
        s->next[at] = map_get(&s->first, name);
        if (!map_put(&s->first, name, 0)) {
            s->g->failed = true;
            return;
        }
        *map_slot(&s->first, name) = at + 1;
    }
    for (uint32_t id = 1; id < facts->bind_len; id++) {
        const struct fact_bind *bind = &facts->binds[id];
        uint32_t at = gdef(r, file, bind->scope);
        if (bind->kind != BIND_PARAM)
            continue;
        if (bind->index + 1 > s->most[at])
            s->most[at] = bind->index + 1;
    }
}

static bool
is_same_family(uint8_t a, uint8_t b)
{
    if (is_script(a) && is_script(b))
        return true;
    bool is_jvm = (a == LANG_JAVA || a == LANG_KOTLIN) &&
                  (b == LANG_JAVA || b == LANG_KOTLIN);
    bool is_c =
        (a == LANG_C || a == LANG_CPP) && (b == LANG_C || b == LANG_CPP);
    return a == b || is_jvm || is_c;
}

static bool
takes(const struct guessing *s, uint32_t at, const struct call_site *call)
{
    struct resolver *r = s->g->r;
    const struct fact_expr *expr = expr_at(r, call->file, call->expr);
    uint32_t file = r->owner_file[at];

    if (!is_same_family(lang_at(r, call->file), lang_at(r, file)))
        return false;
    /* Any parameter may be optional, so only too many do not fit. */
    bool is_spread = false;
    for (uint32_t i = 0; i < expr->list_len; i++)
        is_spread =
            is_spread ||
            expr_at(r, call->file, list_at(r, call->file, expr->list_at + i))
                    ->kind == EXPR_SPREAD;
    return is_spread || expr->list_len <= s->most[at];
}

static void
guess(struct guessing *s, const struct call_site *call)
{
    struct resolver *r = s->g->r;
    const struct fact_expr *at = expr_at(r, call->file, call->expr);
    const struct fact_expr *callee = expr_at(r, call->file, at->a);
    uint32_t found[CANDIDATES_MAX];
    uint32_t len = 0;

    if (callee->kind != EXPR_MEMBER)
        return;
    sym name = sym_of(r, call->file, callee->text);
    if (is_common(sym_str(r, name)))
        return;
    uint32_t src = graph_owner(r, call->file, at->scope);
    bool is_test = s->g->build->nodes[src].flags & CODE_TEST;
    uint32_t tries = 0;
    for (uint32_t to = map_get(&s->first, name); to; to = s->next[to - 1]) {
        uint32_t node = r->nodes[to - 1];
        if (++tries > 4 * CANDIDATES_MAX || len == CANDIDATES_MAX)
            return;
        if (!takes(s, to - 1, call) ||
            (!is_test && (s->g->build->nodes[node].flags & CODE_TEST)))
            continue;
        bool is_new = true;
        for (uint32_t i = 0; i < len; i++)
            is_new = is_new && found[i] != node;
        if (is_new)
            found[len++] = node;
    }
    uint16_t shared = (uint16_t)(250 / (len ? len : 1));
    for (uint32_t i = 0; i < len; i++)
        edge_add(s->g, (struct raw_edge){
                           .src = src,
                           .dst = found[i],
                           .type = CODE_MAY_CALL,
                           .provenance =
                               len == 1 ? CODE_BY_UNIQUE : CODE_BY_CANDIDATE,
                           .permille = len == 1 ? (uint16_t)0 : shared,
                           .site = {at->line, at->col},
                       });
}

void
graph_guesses(struct gathering *g)
{
    struct resolver *r = g->r;
    size_t len = (size_t)r->def_len + 1;
    struct guessing s = {
        .g = g,
        .next = calloc(len, sizeof(*s.next)),
        .most = calloc(len, sizeof(*s.most)),
    };

    g->failed = g->failed || !s.next || !s.most;
    for (uint32_t file = 0; file < r->source_len && !g->failed; file++)
        note_defs(&s, file);
    for (uint32_t i = r->call_start[r->def_len]; i < r->call_len && !g->failed;
         i++)
        guess(&s, &r->calls[i]);
    map_fini(&s.first);
    free(s.next);
    free(s.most);
}
