/*
 * Texts: what is concatenated is taken part by part, since what stands before
 * and behind a part that is not constant means different things.
 */
#include <string.h>

#include "index/routes_turns.h"

enum { FOLD_DEPTH = 12, PARAMS_MAX = 16 };

struct fold {
    struct parts *p;
    struct buf *out;
    size_t from; /* where this text begins in |out| */
    bool holes;
    bool is_tail;
    bool ends_open; /* the last part is not known, and has no hole */
    bool has_text;
    unsigned depth;
};

static void fold_expr(struct fold *f, struct at at);

static void
fold_gap(struct fold *f)
{
    if (f->holes && f->out->len > f->from) {
        buf_add(f->out, STR("{}"));
        return;
    }
    f->out->len = f->from;
    f->is_tail = true;
    f->ends_open = true;
}

static void
fold_text(struct fold *f, str text)
{
    buf_add(f->out, text);
    f->has_text = true;
    if (text.len > 0)
        f->ends_open = false;
}

/* The parameter that a name is, which has a default. */
static struct at
defaulted(struct parts *p, struct at name)
{
    const struct facts *facts = part_facts(p, name.file);
    uint32_t scope = part_expr(p, name)->scope;

    if (part_kind(p, name) != EXPR_NAME)
        return (struct at){name.file, 0};
    for (; scope; scope = facts->defs[scope].parent)
        for (uint32_t k = 0; k < PARAMS_MAX; k++) {
            struct at def = {name.file, scope};
            struct at bind = part_param(p, def, k);
            if (!bind.id)
                break;
            if (str_eq(part_str(p, name.file, facts->binds[bind.id].name),
                       part_word(p, name)))
                return facts->binds[bind.id].value ? bind
                                                   : (struct at){name.file, 0};
        }
    return (struct at){name.file, 0};
}

static bool
note_passed(void *ctx, struct at call, struct at expr)
{
    bool *is_passed = ctx;

    (void)call;
    *is_passed = expr.id != 0;
    return false;
}

bool
part_is_passed(struct parts *p, struct at bind)
{
    bool passed = false;

    const struct fact_bind *row = &part_facts(p, bind.file)->binds[bind.id];
    struct at def = {bind.file, row->scope};
    struct part_of_def *of = part_of(p, def);
    if (!of)
        return false;
    uint16_t bit = (uint16_t)(1U << row->index);
    if (!(of->asked & bit)) {
        resolve_args(p->r, def, row->index, note_passed, &passed);
        of->asked |= bit;
        of->passed = (uint16_t)(of->passed | (passed ? bit : 0));
    }
    return of->passed & bit;
}

/* A caller says something else than the default. */
static bool
is_passed(struct parts *p, struct at name)
{
    struct at bind = defaulted(p, name);

    return bind.id && part_is_passed(p, bind);
}

/* Go's `http.MethodGet`: its package is not read, but known. */
static bool
fold_method(struct fold *f, struct at at)
{
    static const char *const names[] = {
        "MethodGet",   "MethodHead",    "MethodPost",
        "MethodPut",   "MethodPatch",   "MethodDelete",
        "MethodTrace", "MethodOptions", "MethodConnect",
    };
    const size_t head = sizeof("Method") - 1;
    struct origin origin;
    str word = part_word(f->p, at);
    char upper[16];
    bool is_one = false;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !is_one; i++)
        is_one = str_eq(word, str_of(names[i]));
    if (!is_one || !part_origin(f->p, at, &origin) ||
        !str_starts(origin.path, STR("net/http.Method")))
        return false;
    fold_text(f,
              str_upper(str_cut(word, head, word.len), upper, sizeof(upper)));
    return true;
}

/* Of a map that is gone through, its keys. */
static void
fold_item(struct fold *f, struct at item)
{
    if (part_kind(f->p, item) != EXPR_PAIR)
        fold_expr(f, item);
    else if (part_expr(f->p, item)->text)
        fold_text(f, part_word(f->p, item));
    else
        fold_expr(f, part_list(f->p, item, 0));
}

/* The item of |list| that |key| numbers; id 0: not known. */
static struct at
item_of(struct parts *p, struct at list, struct at key)
{
    str digits = part_word(p, key);
    uint32_t len = part_expr(p, list)->list_len;
    bool is_known = part_kind(p, key) == EXPR_NUMBER && digits.len > 0;
    uint32_t index = 0;

    for (size_t i = 0; i < digits.len && is_known; i++) {
        index = index * 10 + (uint32_t)(digits.ptr[i] - '0');
        is_known = digits.ptr[i] >= '0' && digits.ptr[i] <= '9' && index < len;
    }
    for (uint32_t i = 0; is_known && i <= index; i++)
        is_known = part_kind(p, part_list(p, list, i)) != EXPR_SPREAD;
    return is_known ? part_list(p, list, index) : (struct at){list.file, 0};
}

/* `paths[1]`, `paths[1][0]`, of a list that stands in the code; false: it is no
 * such thing. */
static bool
indexed(struct parts *p, struct at at, unsigned depth, struct at *item)
{
    struct at base = {at.file, part_expr(p, at)->a};
    struct at list = {at.file, 0};

    if (part_kind(p, at) != EXPR_INDEX || part_expr(p, at)->list_len != 1 ||
        depth == FOLD_DEPTH)
        return false;
    if (!indexed(p, base, depth + 1, &list) && !part_literal(p, base, &list))
        return false;
    if (list.id && part_kind(p, list) != EXPR_ARRAY)
        return false;
    *item = list;
    if (list.id)
        *item = item_of(p, list, part_bare(p, part_list(p, at, 0)));
    return true;
}

static bool
fold_index(struct fold *f, struct at at)
{
    struct at item;

    if (!indexed(f->p, at, 0, &item))
        return false;
    if (item.id)
        fold_expr(f, item);
    else
        fold_gap(f);
    return true;
}

/* A name: a constant, or what it was bound to. */
static void
fold_named(struct fold *f, struct at at)
{
    size_t from = f->out->len;
    unsigned gaps = 0;
    struct at item = turn_of(f->p, at);

    if (item.id != at.id || item.file != at.file) {
        fold_item(f, item);
        return;
    }
    if (is_passed(f->p, at)) {
        fold_gap(f);
        return;
    }
    if (fold_method(f, at) || fold_index(f, at))
        return;

    /* In front of others a choice is a prefix. */
    bool is_text = resolve_text(f->p->r, at, f->out, &gaps);
    if (is_text &&
        (gaps == 0 || (gaps == TEXT_CHOICE && (f->holes || f->depth == 1)))) {
        f->has_text = true;
        f->ends_open &= f->out->len == from;
        return;
    }
    f->out->len = from;
    struct at bound = part_bound(f->p, at);
    enum expr_kind kind = part_kind(f->p, bound);
    bool is_only = kind == EXPR_STRING && !(gaps & TEXT_CHOICE);
    if (bound.id && (kind == EXPR_CONCAT || is_only))
        fold_expr(f, bound);
    else
        fold_gap(f);
}

/* fmt.Sprintf("/users/%s", id): a hole a verb. */
static void
fold_format(struct fold *f, str format)
{
    size_t from = 0;

    for (size_t i = 0; i < format.len; i++) {
        if (format.ptr[i] != '%' || i + 1 == format.len)
            continue;
        if (i > from)
            fold_text(f, str_cut(format, from, i));
        size_t end = i + 1;
        while (end < format.len && strchr("0123456789.+-# ", format.ptr[end]))
            end++;
        if (format.ptr[end < format.len ? end : i] == '%')
            fold_text(f, STR("%"));
        else
            fold_gap(f);
        i = end;
        from = end + 1;
    }
    if (from < format.len)
        fold_text(f, str_cut(format, from, format.len));
}

static bool
is_format(struct parts *p, struct at call)
{
    struct at callee = part_callee(p, call);
    str name = part_word(p, callee);

    return (str_eq(name, STR("Sprintf")) || str_eq(name, STR("format"))) &&
           part_kind(p, callee) == EXPR_MEMBER &&
           part_kind(p, part_arg(p, call, 0)) == EXPR_STRING;
}

/* `strings.ToUpper("get")`, `t.method.toLowerCase()` */
static bool
fold_case(struct fold *f, struct at call)
{
    static const char *const uppers[] = {"ToUpper", "toUpperCase", "upper"};
    static const char *const lowers[] = {"ToLower", "toLowerCase", "lower"};
    struct parts *p = f->p;
    str word = part_word(p, part_callee(p, call));
    struct at text = part_receiver(p, call);
    size_t from = f->out->len;
    bool is_upper = false;
    bool is_lower = false;

    for (size_t i = 0; i < sizeof(uppers) / sizeof(uppers[0]); i++) {
        is_upper |= str_eq(word, str_of(uppers[i]));
        is_lower |= str_eq(word, str_of(lowers[i]));
    }
    if (part_facts(p, call.file)->lang == LANG_GO)
        text = part_arg(p, call, 0);
    if (!text.id || (!is_upper && !is_lower))
        return false;
    fold_expr(f, text);
    for (size_t i = from; i < f->out->len; i++) {
        char *c = &f->out->ptr[i];
        if (is_upper ? *c >= 'a' && *c <= 'z' : *c >= 'A' && *c <= 'Z')
            *c ^= 'a' ^ 'A';
    }
    return true;
}

/* The argument that the parameter |name| of |def| is given. */
static struct at
given_for(struct parts *p, struct at def, struct at name, struct at call)
{
    const struct facts *facts = part_facts(p, def.file);

    for (uint32_t k = 0; k < PARAMS_MAX; k++) {
        struct at bind = part_param(p, def, k);
        if (!bind.id)
            break;
        if (str_eq(part_str(p, def.file, facts->binds[bind.id].name),
                   part_word(p, name)))
            return part_arg(p, call, k);
    }
    return (struct at){call.file, 0};
}

/* `with_prefix("/x")` of a function that may return what it is given: what it
 * else puts before that is not known. */
static bool
fold_given(struct fold *f, struct at call)
{
    struct parts *p = f->p;
    struct at def;

    if (!part_function(p, part_callee(p, call), &def))
        return false;
    for (uint32_t nth = 0; nth < PARAMS_MAX; nth++) {
        struct at returned = part_bare(p, part_returned(p, def, nth));
        struct at arg = {call.file, 0};
        if (!returned.id)
            break;
        if (part_kind(p, returned) == EXPR_NAME)
            arg = given_for(p, def, returned, call);
        if (!arg.id)
            continue;
        fold_gap(f);
        fold_expr(f, arg);
        return true;
    }
    return false;
}

static void
fold_expr(struct fold *f, struct at at)
{
    const struct fact_expr *e = part_expr(f->p, at);

    if (f->depth == FOLD_DEPTH) {
        fold_gap(f);
        return;
    }
    f->depth++;
    if (e->kind == EXPR_STRING || e->kind == EXPR_REGEX ||
        e->kind == EXPR_NUMBER) {
        fold_text(f, part_word(f->p, at));
    } else if (e->kind == EXPR_CONCAT) {
        for (uint32_t i = 0; i < e->list_len; i++)
            fold_expr(f, part_list(f->p, at, i));
    } else if (e->kind == EXPR_PAIR && f->p->turn) {
        fold_item(f, at);
    } else if (e->kind == EXPR_CAST || e->kind == EXPR_AWAIT) {
        fold_expr(f, (struct at){at.file, e->a});
    } else if (e->kind == EXPR_CALL && f->holes && is_format(f->p, at)) {
        fold_format(f, part_word(f->p, part_arg(f->p, at, 0)));
    } else if (e->kind == EXPR_CALL &&
               (fold_case(f, at) || fold_given(f, at))) {
        ; /* it is told */
    } else if (e->kind == EXPR_NAME || e->kind == EXPR_MEMBER ||
               e->kind == EXPR_CALL || e->kind == EXPR_INDEX) {
        fold_named(f, at);
    } else {
        fold_gap(f);
    }
    f->depth--;
}

struct folded
part_text(struct parts *p, struct at expr, bool holes, struct buf *out)
{
    struct fold f = {.p = p, .out = out, .from = out->len, .holes = holes};

    if (!expr.id)
        return (struct folded){false, false};
    fold_expr(&f, expr);
    p->failed |= out->failed;
    if (!f.has_text || f.ends_open || out->failed) {
        out->len = f.from < out->len ? f.from : out->len;
        return (struct folded){false, false};
    }
    return (struct folded){true, f.is_tail};
}

bool
text_is_torn(str path)
{
    size_t at = 0;

    while (at < path.len && !strchr("<{>}", path.ptr[at]))
        at++;
    return at < path.len && (path.ptr[at] == '>' || path.ptr[at] == '}');
}

bool
part_is_choice(struct parts *p, struct at expr)
{
    struct buf text = {0};
    unsigned gaps = 0;

    expr = part_bare(p, expr);
    bool is_text = expr.id && resolve_text(p->r, expr, &text, &gaps);
    p->failed |= text.failed;
    buf_fini(&text);
    return is_text && (gaps & TEXT_CHOICE || is_passed(p, expr));
}

bool
part_items(struct parts *p, struct at *list)
{
    struct at def;

    if (part_kind(p, *list) == EXPR_CALL &&
        part_function(p, part_callee(p, *list), &def))
        *list = part_bare(p, part_returned(p, def, 0));
    struct at bound = part_bound(p, *list);
    if (bound.id && part_kind(p, bound) == EXPR_CONCAT)
        *list = bound;
    return part_kind(p, *list) == EXPR_CONCAT ||
           (part_literal(p, *list, list) && part_kind(p, *list) == EXPR_ARRAY);
}
