/*
 * Handlers: what resolves to a function, through what wraps functions: the
 * last argument of a call that does.  In Go the order says nothing, but types
 * do: a function that takes a handler is a middleware, and of two that may be
 * the handler neither is told.
 */
#include "index/routes_parts.h"
#include "index/routes_php_class.h"

enum { WRAP_DEPTH = 4, HANDLER_LOOKS_MAX = 256 };

static bool
is_function(const struct parts *p, struct at def)
{
    uint8_t kind = part_def(p, def)->kind;

    return kind == CODE_FUNCTION || kind == CODE_METHOD;
}

/* `exports.list = function list() {}` of a file that is required. */
static bool
exported_member(struct parts *p, uint32_t file, str name, struct at *out)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        struct at target = {file, bind->target};
        struct at value = {file, bind->value};
        if (bind->kind != BIND_ASSIGN || bind->scope != 0 ||
            part_kind(p, target) != EXPR_MEMBER ||
            part_kind(p, value) != EXPR_LAMBDA ||
            !str_eq(part_word(p, target), name))
            continue;
        struct at object = {file, part_expr(p, target)->a};
        if (!str_eq(part_word(p, object), STR("exports")))
            continue;
        *out = (struct at){file, part_expr(p, value)->a};
        return true;
    }
    return false;
}

static bool
member_function(struct parts *p, struct at expr, struct at *out)
{
    struct at object = {expr.file, part_expr(p, expr)->a};
    struct value type;

    if (part_kind(p, expr) != EXPR_MEMBER)
        return false;
    if (resolve_value(p->r, object, &type) && type.kind == VALUE_FILE)
        return exported_member(p, type.at.file, part_word(p, expr), out);
    if (!resolve_type(p->r, object, &type) || type.kind != VALUE_DEF)
        return false;
    return resolve_member(p->r, type.at, part_word(p, expr), out) &&
           is_function(p, *out);
}

bool
part_function(struct parts *p, struct at expr, struct at *out)
{
    struct value value;

    expr = part_bare(p, expr);
    if (!expr.id)
        return false;
    if (part_kind(p, expr) == EXPR_LAMBDA) {
        *out = (struct at){expr.file, part_expr(p, expr)->a};
        return true;
    }
    if (resolve_value(p->r, expr, &value) && value.kind == VALUE_DEF) {
        *out = value.at;
        return is_function(p, value.at);
    }
    return member_function(p, expr, out);
}

uint32_t
part_method_of(struct parts *p, struct at type, str name)
{
    struct at method;

    if (!resolve_member(p->r, type, name, &method) || !is_function(p, method))
        return 0;
    return resolve_node(p->r, method.file, method.id);
}

/* What serves requests itself: Go's http.Handler, a Java functional class. */
static bool
served_by(struct parts *p, struct at expr, struct at *out)
{
    static const char *const names[] = {"ServeHTTP", "handle", "__invoke"};
    struct value type;

    if (!resolve_type(p->r, expr, &type) || type.kind != VALUE_DEF)
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (resolve_member(p->r, type.at, str_of(names[i]), out) &&
            is_function(p, *out))
            return true;
    return false;
}

/* `h.bind(this)`, `v.as_view()`: the object is what matters. */
static bool
is_adapter(str name)
{
    return str_eq(name, STR("bind")) || str_eq(name, STR("to")) ||
           str_eq(name, STR("handler"));
}

enum wrap {
    WRAP_NONE,      /* no function */
    WRAP_FOUND,     /* this one */
    WRAP_AMBIGUOUS, /* several may be meant, or one that is not known */
};

static enum wrap
handler_at(struct parts *p, struct at expr, unsigned depth, struct at *out);

static bool
is_one_of(const struct parts *p, const struct origin *origin,
          const char *const *paths)
{
    for (; *paths; paths++)
        if (origin_is(p, origin, *paths))
            return true;
    return false;
}

static const char *const go_handlers[] = {
    "net/http.Handler",
    "net/http.HandlerFunc",
    "github.com/gin-gonic/gin.HandlerFunc",
    "github.com/labstack/echo.HandlerFunc",
    "github.com/gofiber/fiber.Handler",
    NULL,
};

static const char *const go_requests[] = {
    "net/http.ResponseWriter",
    "github.com/gin-gonic/gin.Context",
    "github.com/labstack/echo.Context",
    "github.com/gofiber/fiber.Ctx",
    NULL,
};

/* How likely a Go function is the handler, by what it takes first. */
enum likely { LIKELY_NOT, LIKELY_MAYBE, LIKELY_YES };

static enum likely
likelihood(struct parts *p, struct at def)
{
    struct at bind = part_param(p, def, 0);
    struct value value;
    struct origin origin;

    if (!bind.id)
        return LIKELY_MAYBE;
    struct at type = {bind.file, part_facts(p, bind.file)->binds[bind.id].type};
    if (!type.id || !part_type(p, type, &value, &origin) ||
        value.kind == VALUE_DEF)
        return LIKELY_MAYBE;
    if (is_one_of(p, &origin, go_handlers))
        return LIKELY_NOT;
    return is_one_of(p, &origin, go_requests) ? LIKELY_YES : LIKELY_MAYBE;
}

/* A handler, whichever it is. */
static bool
is_typed_handler(struct parts *p, struct at expr)
{
    struct value value;
    struct origin origin;

    return part_type_of(p, expr, &value, &origin) && value.kind != VALUE_DEF &&
           is_one_of(p, &origin, go_handlers);
}

/* `handleSeal(core, WithTLS(true))`: one of the options, `opts ...Option`, each
 * made by a call.  Handlers have a type of their library. */
static bool
is_go_option(struct parts *p, struct at call, uint32_t index)
{
    struct at maker;
    struct value def;
    struct origin origin;

    if (part_kind(p, part_arg(p, call, index)) != EXPR_CALL ||
        !part_function(p, part_callee(p, call), &maker))
        return false;
    struct at bind = {0, 0};
    for (uint32_t i = 0; i <= index && part_param(p, maker, i).id; i++)
        bind = part_param(p, maker, i);
    if (!bind.id)
        return false;
    struct at type = {bind.file, part_facts(p, bind.file)->binds[bind.id].type};
    return type.id && part_kind(p, type) == EXPR_GENERIC &&
           part_expr(p, type)->list_len == 1 &&
           part_type(p, part_list(p, type, 0), &def, &origin) &&
           def.kind == VALUE_DEF;
}

static enum wrap
wrapped_in_go(struct parts *p, struct at call, unsigned depth, struct at *out)
{
    enum likely best = LIKELY_NOT;
    enum wrap found = WRAP_NONE;

    for (uint32_t i = 0; i < part_args(p, call); i++) {
        struct at arg = part_arg(p, call, i);
        struct at def;
        if (is_go_option(p, call, i))
            continue;
        enum wrap one = handler_at(p, arg, depth + 1, &def);
        enum likely likely = LIKELY_NOT;
        if (one == WRAP_FOUND) {
            likely = likelihood(p, def);
        } else if (one == WRAP_AMBIGUOUS || is_typed_handler(p, arg)) {
            likely = LIKELY_YES;
            one = WRAP_AMBIGUOUS;
        }
        if (likely == LIKELY_NOT || likely < best)
            continue;
        if (likely == best)
            one = WRAP_AMBIGUOUS;
        found = one;
        best = likely;
        if (one == WRAP_FOUND)
            *out = def;
    }
    return found;
}

/* A function that may be given a handler returns what calls it. */
static bool
may_wrap(struct parts *p, struct at def)
{
    enum { PARAMS_MAX = 16 };
    struct value value;
    struct origin origin;

    for (uint32_t i = 0; i < PARAMS_MAX; i++) {
        struct at bind = part_param(p, def, i);
        if (!bind.id)
            return false;
        struct at type = {bind.file,
                          part_facts(p, bind.file)->binds[bind.id].type};
        if (!type.id || !part_type(p, type, &value, &origin) ||
            (value.kind != VALUE_DEF && is_one_of(p, &origin, go_handlers)))
            return true;
    }
    return true;
}

/* What a function of the repository returns, whatever it is given: of several
 * none is told. */
static enum wrap
returned(struct parts *p, struct at call, unsigned depth, struct at *out)
{
    enum { RETURNS_MAX = 8 };
    enum wrap found = WRAP_NONE;
    struct at maker, one, value;

    if (part_kind(p, call) != EXPR_CALL ||
        !part_function(p, part_callee(p, call), &maker) || may_wrap(p, maker))
        return WRAP_NONE;
    for (uint32_t i = 0; i < RETURNS_MAX; i++) {
        value = part_returned(p, maker, i);
        if (!value.id)
            break;
        enum wrap next = handler_at(p, value, depth + 1, &one);
        if (next == WRAP_NONE)
            continue;
        bool is_same =
            found == WRAP_NONE || (one.file == out->file && one.id == out->id);
        if (next == WRAP_AMBIGUOUS || !is_same)
            return WRAP_AMBIGUOUS;
        found = WRAP_FOUND;
        *out = one;
    }
    return found;
}

/* `var show = http.HandlerFunc(...)`: the call, or the name itself. */
static struct at
made_by_call(struct parts *p, struct at expr)
{
    enum expr_kind kind = part_kind(p, expr);
    struct value value;

    if ((kind == EXPR_NAME || kind == EXPR_MEMBER) &&
        resolve_value(p->r, expr, &value) && value.kind == VALUE_MADE &&
        part_kind(p, value.at) == EXPR_CALL)
        return value.at;
    return expr;
}

/* `h = Log(h, name)` */
static bool
is_wrapped_again(struct parts *p, struct at value, str name)
{
    for (uint32_t i = 0; i < part_args(p, value); i++)
        if (str_eq(part_word(p, part_arg(p, value, i)), name))
            return part_kind(p, value) == EXPR_CALL;
    return false;
}

/* `var h http.Handler; h = t.HandlerFunc; h = Log(h, name)`: what a name is
 * given before |name| stands there, if once but for what wraps it; or itself.
 */
static struct at
given_to(struct parts *p, struct at name)
{
    const struct facts *facts = part_facts(p, name.file);
    str word = part_word(p, name);
    struct at given = name;
    struct at def;
    unsigned times = 0;

    if (part_kind(p, name) != EXPR_NAME || part_function(p, name, &def) ||
        p->lookups++ > PART_LOOKUPS_MAX)
        return name;
    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        struct at value = {name.file, bind->value};
        struct at target = {name.file, bind->target};
        if (bind->scope != part_expr(p, name)->scope || bind->type > name.id ||
            value.id > name.id)
            continue;
        if (bind->kind == BIND_LOCAL &&
            str_eq(facts_text(facts, bind->name), word)) {
            given = name;
            times = value.id != 0;
        } else if (bind->kind == BIND_ASSIGN && value.id &&
                   part_kind(p, target) == EXPR_NAME &&
                   str_eq(part_word(p, target), word) &&
                   !is_wrapped_again(p, value, word)) {
            given = value;
            times++;
        }
    }
    return times == 1 ? given : name;
}

/* What a call wraps: the last of its arguments that is a function. */
static enum wrap
wrapped(struct parts *p, struct at expr, unsigned depth, struct at *out)
{
    struct at callee = part_callee(p, expr);
    enum wrap found = WRAP_NONE;

    if (part_kind(p, expr) == EXPR_CALL &&
        part_kind(p, callee) == EXPR_MEMBER && is_adapter(part_word(p, callee)))
        found = handler_at(p, part_receiver(p, expr), depth + 1, out);
    if (found == WRAP_NONE && part_facts(p, expr.file)->lang == LANG_GO) {
        found = wrapped_in_go(p, expr, depth, out);
        return found == WRAP_NONE ? returned(p, expr, depth, out) : found;
    }
    for (uint32_t i = part_args(p, expr); i > 0 && found == WRAP_NONE; i--)
        found = handler_at(p, part_arg(p, expr, i - 1), depth + 1, out);
    return found;
}

static enum wrap
handler_at(struct parts *p, struct at expr, unsigned depth, struct at *out)
{
    enum wrap found = WRAP_NONE;

    expr = part_bare(p, expr);
    if (!expr.id || depth == WRAP_DEPTH || p->handler_left == 0)
        return WRAP_NONE;
    p->handler_left--;
    if (part_facts(p, expr.file)->lang == LANG_GO)
        expr = made_by_call(p, part_bare(p, given_to(p, expr)));
    enum expr_kind kind = part_kind(p, expr);
    if (kind == EXPR_ARRAY || kind == EXPR_CALL)
        found = wrapped(p, expr, depth, out);
    if (found != WRAP_NONE)
        return found;
    return part_function(p, expr, out) || served_by(p, expr, out) ? WRAP_FOUND
                                                                  : WRAP_NONE;
}

uint32_t
part_handler(struct parts *p, struct at expr)
{
    bool is_php = part_facts(p, expr.file)->lang == LANG_PHP;
    uint32_t answers = is_php ? php_answers(p, expr) : 0;
    struct at def;

    if (answers)
        return answers;
    p->handler_left = HANDLER_LOOKS_MAX;
    if (handler_at(p, expr, 0, &def) != WRAP_FOUND)
        return 0;
    return resolve_node(p->r, def.file, def.id);
}
