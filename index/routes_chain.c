/*
 * Routes that a chain of calls builds: gorilla's and axum's.
 *
 * gorilla: a route is whole at the call that has its handler or its path,
 * whatever comes second; methods that are told behind it are put right there.
 */
#include <ctype.h>
#include <string.h>

#include "index/routes_methods.h"
#include "index/routes_verbs.h"

enum { CHAIN_MAX = 16 };

struct mux_chain {
    struct at path;
    struct at handler;
    struct at methods; /* the call */
    struct at whole;   /* the call at which path and handler were known */
    bool is_below;     /* the path is a prefix */
};

static bool
word_is(str word, const char *name)
{
    return str_eq(word, str_of(name));
}

/* One call of a chain, from the inside out. */
static void
mux_step(const struct parts *p, struct at call, struct mux_chain *chain)
{
    str name = part_word(p, part_callee(p, call));
    bool was_whole = chain->path.id && chain->handler.id;

    if (word_is(name, "HandleFunc") || word_is(name, "Handle")) {
        chain->path = part_arg(p, call, 0);
        chain->handler = part_arg(p, call, 1);
    } else if (word_is(name, "Path") || word_is(name, "PathPrefix")) {
        chain->path = part_arg(p, call, 0);
        chain->is_below = word_is(name, "PathPrefix");
    } else if (word_is(name, "HandlerFunc") || word_is(name, "Handler")) {
        chain->handler = part_arg(p, call, 0);
    } else if (word_is(name, "Methods")) {
        chain->methods = call;
    }
    if (!was_whole && chain->path.id && chain->handler.id)
        chain->whole = call;
}

static bool
is_builder(const struct parts *p, struct at call)
{
    if (part_kind(p, call) != EXPR_CALL ||
        part_kind(p, part_callee(p, call)) != EXPR_MEMBER)
        return false;
    str name = part_word(p, part_callee(p, call));
    const struct verb_rule *rule = verb_find(p, FW_MUX, name);
    return rule && rule->shape == VERB_MUX && !word_is(name, "Subrouter");
}

/* The entry that the whole route of |chain| made, at this turn of a loop. */
static uint32_t
mux_entry(struct parts *p, const struct mux_chain *chain)
{
    enum { BACK_MAX = 512 };
    uint32_t handler = part_handler(p, chain->handler);
    struct verb_path path;

    if (!verb_path(p, chain->path, &path))
        return p->entry_len;
    for (uint32_t at = p->entry_len, n = 0; at-- > 0 && n < BACK_MAX; n++) {
        const struct route_entry *entry = &p->entries[at];
        if (entry->at.id == chain->whole.id &&
            entry->at.file == chain->whole.file && entry->path == path.text &&
            entry->handler == handler &&
            word_is(texts_get(&p->texts, entry->method), "ANY"))
            return at;
    }
    return p->entry_len;
}

/* What `Methods("GET", http.MethodPut)` says, and `Methods(list...)`; how many.
 * What says nothing is left out. */
static uint32_t
mux_words(struct parts *p, struct at call, text_id *out)
{
    struct at all[METHODS_MAX];
    struct buf text = {0};
    uint32_t all_len = 0;
    uint32_t len = 0;

    for (uint32_t i = 0; i < part_args(p, call); i++) {
        struct at arg = part_arg(p, call, i);
        if (!method_list(p, arg, all, &all_len) && all_len < METHODS_MAX)
            all[all_len++] = arg;
    }
    for (uint32_t i = 0; i < all_len; i++) {
        char upper[16];
        str word =
            str_upper(method_word(p, all[i], &text), upper, sizeof(upper));
        if (word.len > 0 && !word_is(word, "ANY"))
            out[len++] = texts_add(&p->texts, word);
    }
    buf_fini(&text);
    return len;
}

text_id
mux_methods(struct parts *p, struct at call)
{
    struct buf all = {0};
    struct at at = part_receiver(p, call);
    text_id words[METHODS_MAX];
    uint32_t len;
    text_id id = 0;

    if (!word_is(part_word(p, part_callee(p, call)), "Subrouter"))
        return 0;
    for (unsigned i = 0; i < CHAIN_MAX && at.id && is_builder(p, at) &&
                         !word_is(part_word(p, part_callee(p, at)), "Methods");
         i++)
        at = part_receiver(p, at);
    if (!at.id || !is_builder(p, at) ||
        !word_is(part_word(p, part_callee(p, at)), "Methods"))
        return 0;
    len = mux_words(p, at, words);
    for (uint32_t i = 0; i < len; i++) {
        if (i > 0)
            buf_add_char(&all, ',');
        buf_add(&all, texts_get(&p->texts, words[i]));
    }
    if (!all.failed && all.len > 0)
        id = texts_add(&p->texts, buf_str(&all));
    p->failed |= all.failed || p->texts.failed;
    buf_fini(&all);
    return id;
}

/* Methods told behind a whole route: its entry is changed, or doubled. */
static void
mux_set_methods(struct parts *p, const struct mux_chain *chain)
{
    uint32_t at = mux_entry(p, chain);
    text_id words[METHODS_MAX];
    struct route_entry entry;

    if (at == p->entry_len)
        return;
    entry = p->entries[at];
    uint32_t len = mux_words(p, chain->methods, words);
    for (uint32_t i = 0; i < len; i++) {
        entry.method = words[i];
        if (i == 0)
            p->entries[at] = entry;
        else
            entry_add(p, &entry);
    }
}

void
verb_mux(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at calls[CHAIN_MAX];
    unsigned len = 0;
    struct mux_chain chain = {.whole = {v->call.file, 0}};

    for (struct at at = v->call; is_builder(p, at) && len < CHAIN_MAX;
         at = part_receiver(p, at))
        calls[len++] = at;
    if (len == 0 || word_is(str_of(v->rule->name), "Subrouter"))
        return;
    for (unsigned i = len; i-- > 0;)
        mux_step(p, calls[i], &chain);
    if (!chain.whole.id)
        return;
    if (chain.whole.id == v->call.id) {
        struct verb_call base = *v;
        if (verb_strange(v, chain.handler))
            return;
        uint32_t from = p->entry_len;
        base.router = router_of(p, part_receiver(p, calls[len - 1]));
        if (base.router)
            (void)verb_route(&base, STR("ANY"), chain.path,
                             part_handler(p, chain.handler));
        for (; chain.is_below && from < p->entry_len; from++)
            if (!word_is(texts_get(&p->texts, p->entries[from].path), "/"))
                p->entries[from].flags |= ENTRY_BELOW;
        if (base.router && chain.methods.id)
            mux_set_methods(p, &chain);
    } else if (chain.methods.id == v->call.id) {
        mux_set_methods(p, &chain);
    }
}

/* ---- axum: get(show).post(change) ---- */

/* The block that implements a trait has a row before those of its methods. */
bool
axum_is_open(const struct parts *p, struct at made, uint8_t framework)
{
    const struct fact_def *defs = part_facts(p, made.file)->defs;
    uint32_t method = part_enclosing(p, made).id;
    uint32_t line = defs[method].line;

    if (framework != FW_AXUM && framework != FW_POEM && framework != FW_SALVO)
        return false;
    if (!method || defs[method].kind != CODE_METHOD)
        return false;
    for (uint32_t i = method - 1; i > 0; i--)
        if (defs[i].flags & DEF_EXTENSION)
            return defs[i].end_line >= line && defs[i].bases_len > 0;
    return false;
}

static const char *const axum_methods[] = {
    "get", "post", "put", "delete", "patch", "head", "options", "trace", "any"};

str
axum_method(str name)
{
    if (str_ends(name, STR("_service")))
        name.len -= 8;
    for (size_t i = 0; i < sizeof(axum_methods) / sizeof(axum_methods[0]); i++)
        if (word_is(name, axum_methods[i]))
            return name;
    return (str){NULL, 0};
}

/* `MethodFilter::GET`, `Method::GET`, `guard::Get()`: the method, or empty. */
static str
rust_method(const struct parts *p, struct at expr)
{
    char lower[8];
    str word = {NULL, 0};

    if (expr.id && part_kind(p, expr) == EXPR_CALL)
        expr = part_callee(p, expr);
    if (expr.id && part_kind(p, expr) == EXPR_MEMBER)
        word = part_word(p, expr);
    if (word.len == 0 || word.len > sizeof(lower))
        return (str){NULL, 0};
    for (size_t i = 0; i < word.len; i++)
        lower[i] = (char)tolower((unsigned char)word.ptr[i]);
    return axum_method((str){lower, word.len}).len ? word : (str){NULL, 0};
}

/* What is behind a name, or what a function of the repository returns:
 * `fn users() -> MethodRouter { get(list) }`. */
static struct at
axum_behind(struct parts *p, struct at at)
{
    struct at def;

    if (part_kind(p, at) == EXPR_NAME)
        return part_bare(p, part_bound(p, at));
    if (part_kind(p, at) == EXPR_CALL &&
        part_function(p, part_callee(p, at), &def))
        return part_bare(p, part_returned(p, def, 0));
    return (struct at){at.file, 0};
}

/* One call of a chain, or a name of one; what is before it, in |before|. */
static void
axum_call(const struct verb_call *v, struct at at, struct at *before)
{
    struct parts *p = v->p;
    bool is_call = part_kind(p, at) == EXPR_CALL;
    str name = part_word(p, is_call ? part_callee(p, at) : at);
    bool is_on = word_is(name, "on") || word_is(name, "on_service");
    str method = is_on ? rust_method(p, part_arg(p, at, 0)) : axum_method(name);

    if (is_call && method.len > 0)
        (void)verb_route(v, method, part_arg(p, v->call, 0),
                         part_handler(p, part_arg(p, at, is_on)));
    *before = (struct at){at.file, 0};
    if (!is_call || (method.len == 0 && !is_on))
        *before = axum_behind(p, at);
    if (!before->id && is_call)
        *before = part_receiver(p, at);
}

/* `get(show).merge(post(change).layer(auth))` has two chains; of poem, what has
 * none answers all methods. */
void
verb_axum(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at chains[CHAIN_MAX + 1] = {part_bare(p, part_arg(p, v->call, 1))};
    unsigned len = 1;
    uint32_t from = p->entry_len;

    for (unsigned i = 0; i < CHAIN_MAX && len > 0; i++) {
        struct at at = chains[--len];

        if (!at.id)
            continue;
        if (part_kind(p, at) == EXPR_CALL &&
            word_is(part_word(p, part_callee(p, at)), "merge"))
            chains[len++] = part_bare(p, part_arg(p, at, 0));
        axum_call(v, at, &chains[len++]);
    }
    if (v->rule->framework == FW_POEM && p->entry_len == from)
        (void)verb_route(v, STR("any"), part_arg(p, v->call, 0),
                         part_handler(p, part_arg(p, v->call, 1)));
}

/* ---- actix: route("/x", web::get().to(show)) ---- */

/* `web::get()`, `web::method(Method::GET)`, `.guard(guard::Get())` */
static str
actix_method(const struct parts *p, struct at call)
{
    str name = part_word(p, part_callee(p, call));

    if (word_is(name, "method") || word_is(name, "guard"))
        return rust_method(p, part_arg(p, call, 0));
    return axum_method(name);
}

void
verb_actix(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at last = part_bare(p, part_last(p, v->call));
    struct at none = {v->call.file, 0};
    str method = STR("any");
    struct at inner = last;

    if (v->rule->detail) { /* resource("/x").get(show), .to(show) */
        verb_root(v, str_of(v->rule->detail), none, part_handler(p, last));
        return;
    }
    for (unsigned i = 0; i < CHAIN_MAX && part_kind(p, inner) == EXPR_CALL;
         i++) {
        str name = actix_method(p, inner);
        if (name.len > 0)
            method = name;
        inner = part_receiver(p, inner);
    }
    uint32_t handler = part_handler(p, part_arg(p, last, 0));
    if (part_args(p, v->call) == 1)
        verb_root(v, method, none, handler);
    else
        (void)verb_route(v, method, part_arg(p, v->call, 0), handler);
}

/* ASP.NET's routes by convention, as they stand. */
void
verb_place(const struct verb_call *v)
{
    struct parts *p = v->p;
    struct at pattern = part_named(p, v->call, "pattern");

    if (v->rule->detail) {
        entry_add(p, &(struct route_entry){
                         .method = texts_add(&p->texts, STR("ANY")),
                         .path = texts_add(&p->texts, str_of(v->rule->detail)),
                         .at = v->call,
                         .framework = v->rule->framework,
                     });
        return;
    }
    bool has_area = word_is(str_of(v->rule->name), "MapAreaControllerRoute");
    if (!pattern.id)
        pattern = part_arg(p, v->call, 1 + has_area);
    (void)verb_route(v, STR("ANY"), pattern, 0);
}
