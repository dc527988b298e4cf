/*
 * How well arguments fit parameters, in Java.  What is not known of a type fits
 * everything, a little.
 */
#include "index/resolve_overload.h"
#include "index/resolve_shape.h"

enum {
    FIT_NOT = -1,
    FIT_MAYBE = 1,
    FIT_WIDER = 2,
    FIT_SAME = 3,
    /* All methods that take so many come before those that take any number. */
    FIT_FIXED = 1000
};

static bool
widens(enum primitive from, enum primitive to)
{
    if (from == P_BOOLEAN || to == P_BOOLEAN || to == P_CHAR)
        return false;
    return from == P_CHAR ? to >= P_INT : from < to;
}

/* What text and boxed values implement. */
static bool
is_of_values(const struct resolver *r, sym name)
{
    return sym_is(r, name, "Comparable") || sym_is(r, name, "Serializable");
}

static int
fit_primitive(struct resolver *r, struct shape arg, struct shape param)
{
    bool is_same = arg.which == param.which;

    switch (param.kind) {
    case SHAPE_PRIMITIVE:
        if (arg.kind == SHAPE_BOXED)
            return is_same || widens(arg.which, param.which) ? FIT_MAYBE
                                                             : FIT_NOT;
        if (is_same)
            return FIT_SAME;
        return widens(arg.which, param.which) ? FIT_WIDER : FIT_NOT;
    case SHAPE_BOXED:
        if (arg.kind == SHAPE_BOXED)
            return is_same ? FIT_SAME : FIT_NOT;
        return is_same ? FIT_MAYBE : FIT_NOT;
    case SHAPE_UNKNOWN:
    case SHAPE_OBJECT:
        return FIT_MAYBE;
    case SHAPE_LIBRARY:
        return sym_is(r, param.name, "Number") || is_of_values(r, param.name)
                   ? FIT_MAYBE
                   : FIT_NOT;
    default:
        return FIT_NOT;
    }
}

/* An instance of ours, which types of ours can be told of. */
static int
fit_ours(struct resolver *r, struct shape arg, struct shape param)
{
    uint32_t type = r->canon[gdef(r, arg.val.file, arg.val.id)];
    const struct lineage *lineage = lineage_of(r, type);

    if (param.kind == SHAPE_LIBRARY)
        return lineage && !lineage->is_open ? FIT_NOT : FIT_MAYBE;
    if (param.kind == SHAPE_UNKNOWN || param.kind == SHAPE_OBJECT)
        return FIT_MAYBE;
    if (param.kind != SHAPE_OURS)
        return FIT_NOT;
    uint32_t wanted = r->canon[gdef(r, param.val.file, param.val.id)];
    if (type == wanted)
        return FIT_SAME;
    for (uint32_t i = 1; lineage && i < lineage->len; i++)
        if (r->bases[lineage->at + i] == wanted)
            return FIT_WIDER;
    return lineage ? FIT_NOT : FIT_MAYBE;
}

static int
fit_lambda(const struct resolver *r, struct shape param)
{
    if (param.kind == SHAPE_OURS)
        return def_at(r, param.val.file, param.val.id)->kind == CODE_INTERFACE
                   ? FIT_WIDER
                   : FIT_NOT;
    return param.kind == SHAPE_LIBRARY || param.kind == SHAPE_UNKNOWN
               ? FIT_MAYBE
               : FIT_NOT;
}

static int
fit_library(struct shape arg, struct shape param)
{
    switch (param.kind) {
    case SHAPE_LIBRARY:
        return arg.name == param.name ? FIT_SAME : FIT_MAYBE;
    case SHAPE_UNKNOWN:
    case SHAPE_OBJECT:
        return FIT_MAYBE;
    default:
        return FIT_NOT;
    }
}

static int fit_shape(struct resolver *r, struct shape arg, struct shape param);

static int
fit_arrays(struct resolver *r, struct shape arg, struct shape param)
{
    struct shape of = {0};
    struct shape wanted = {0};

    if (arg.val.kind != VAL_GENERIC || param.val.kind != VAL_GENERIC ||
        r->depth >= RESOLVE_DEPTH_MAX)
        return FIT_MAYBE;
    of = shape_of_val(r, eval_arg(r, arg.val, 0));
    wanted = shape_of_val(r, eval_arg(r, param.val, 0));
    if (of.kind == SHAPE_PRIMITIVE || wanted.kind == SHAPE_PRIMITIVE)
        return of.kind == wanted.kind && of.which == wanted.which ? FIT_SAME
               : wanted.kind == SHAPE_UNKNOWN || of.kind == SHAPE_UNKNOWN
                   ? FIT_MAYBE
                   : FIT_NOT;
    r->depth++;
    int fit = fit_shape(r, of, wanted);
    r->depth--;
    return fit;
}

static int
fit_shape(struct resolver *r, struct shape arg, struct shape param)
{
    bool is_vague = param.kind == SHAPE_UNKNOWN || param.kind == SHAPE_OBJECT;

    /* The same name, whether an import told it or not. */
    if (arg.name && arg.name == param.name && arg.kind != SHAPE_OURS &&
        param.kind != SHAPE_OURS)
        return FIT_SAME;
    switch (arg.kind) {
    case SHAPE_PRIMITIVE:
    case SHAPE_BOXED:
        return fit_primitive(r, arg, param);
    case SHAPE_NUMBER: {
        bool is_boolean = param.which == P_BOOLEAN;
        bool is_number =
            param.kind == SHAPE_PRIMITIVE || param.kind == SHAPE_BOXED;
        return is_vague || (is_number && !is_boolean) ||
                       param.kind == SHAPE_LIBRARY
                   ? FIT_MAYBE
                   : FIT_NOT;
    }
    case SHAPE_TEXT:
        if (param.kind == SHAPE_TEXT)
            return FIT_SAME;
        if (sym_is(r, param.name, "CharSequence"))
            return FIT_WIDER;
        return is_vague || is_of_values(r, param.name) ? FIT_MAYBE : FIT_NOT;
    case SHAPE_NULL:
        return param.kind == SHAPE_PRIMITIVE ? FIT_NOT : FIT_WIDER;
    case SHAPE_LAMBDA:
        return fit_lambda(r, param);
    case SHAPE_ARRAY:
        if (param.kind == SHAPE_ARRAY)
            return fit_arrays(r, arg, param);
        return is_vague ? FIT_MAYBE : FIT_NOT;
    case SHAPE_OURS:
        return fit_ours(r, arg, param);
    case SHAPE_LIBRARY:
        return fit_library(arg, param);
    case SHAPE_OBJECT:
        return param.kind == SHAPE_OBJECT    ? FIT_SAME
               : param.kind == SHAPE_UNKNOWN ? FIT_MAYBE
                                             : FIT_NOT;
    default:
        return FIT_MAYBE;
    }
}

static int
fit_type(struct resolver *r, uint32_t file, uint32_t type, struct at arg)
{
    struct shape param = shape_of_val(r, eval_type(r, file, type));

    return fit_shape(r, shape_of_argument(r, arg.file, arg.id), param);
}

/* What one of any number of arguments has to be. */
static uint32_t
element_type(const struct resolver *r, uint32_t file, uint32_t type)
{
    const struct fact_expr *at = expr_at(r, file, type);

    return at->kind == EXPR_GENERIC && at->list_len > 0
               ? list_at(r, file, at->list_at)
               : type;
}

struct parameters {
    uint32_t first; /* bind */
    uint32_t len;
    bool has_rest; /* the last one takes all that are left */
};

/* They stand side by side. */
static struct parameters
parameters_of(const struct resolver *r, struct at method)
{
    const struct facts *facts = r->sources[method.file].facts;
    uint32_t first = r->params[gdef(r, method.file, method.id)];
    struct parameters params = {.first = first};

    for (uint32_t id = first; id && id < facts->bind_len; id++) {
        const struct fact_bind *bind = &facts->binds[id];
        if (bind->kind != BIND_PARAM || bind->scope != method.id)
            break;
        params.len++;
        params.has_rest = bind->flags & BIND_REST;
    }
    return params;
}

static int
fit_all(struct resolver *r, struct at method, struct at call,
        struct parameters params, bool is_spread)
{
    const struct fact_expr *at = expr_at(r, call.file, call.id);
    int sum = is_spread ? 0 : FIT_FIXED;

    for (uint32_t i = 0; i < at->list_len; i++) {
        bool is_rest = is_spread && i + 1 >= params.len;
        uint32_t index = is_rest ? params.len - 1 : i;
        const struct fact_bind *bind =
            bind_at(r, method.file, params.first + index);
        uint32_t type =
            is_rest ? element_type(r, method.file, bind->type) : bind->type;
        struct at arg = {call.file, list_at(r, call.file, at->list_at + i)};
        int fit = fit_type(r, method.file, type, arg);
        if (fit == FIT_NOT)
            return FIT_NOT;
        sum += fit;
    }
    return sum;
}

bool
overload_takes(const struct resolver *r, struct at method, struct at call)
{
    struct parameters params = parameters_of(r, method);
    uint32_t len = expr_at(r, call.file, call.id)->list_len;

    return lang_at(r, method.file) != LANG_JAVA || len == params.len ||
           (params.has_rest && len + 1 >= params.len);
}

/* Types that are both known, and of which no value can be the other's. */
static bool
are_apart(const struct shape *a, const struct shape *b)
{
    if (a->kind == SHAPE_UNKNOWN || b->kind == SHAPE_UNKNOWN)
        return false;
    if (a->kind != b->kind)
        return true;
    if (a->kind == SHAPE_PRIMITIVE || a->kind == SHAPE_BOXED)
        return a->which != b->which;
    if (a->kind == SHAPE_OURS)
        return a->val.file != b->val.file || a->val.id != b->val.id;
    return a->kind == SHAPE_LIBRARY && a->name != b->name;
}

bool
overload_differ(struct resolver *r, struct at a, struct at b)
{
    struct parameters of_a = parameters_of(r, a);
    struct parameters of_b = parameters_of(r, b);

    if (of_a.len != of_b.len)
        return true;
    for (uint32_t i = 0; i < of_a.len; i++) {
        uint32_t type_a = bind_at(r, a.file, of_a.first + i)->type;
        uint32_t type_b = bind_at(r, b.file, of_b.first + i)->type;
        struct shape x = shape_of_val(r, eval_type(r, a.file, type_a));
        struct shape y = shape_of_val(r, eval_type(r, b.file, type_b));
        if (are_apart(&x, &y))
            return true;
    }
    return false;
}

int
overload_fit(struct resolver *r, struct at method, struct at call)
{
    struct parameters params = parameters_of(r, method);
    uint32_t len = expr_at(r, call.file, call.id)->list_len;
    int fit = FIT_NOT;

    /* Parameters of Kotlin's may be left out. */
    if (lang_at(r, method.file) != LANG_JAVA)
        return FIT_MAYBE;
    if (len == params.len)
        fit = fit_all(r, method, call, params, false);
    if (fit == FIT_NOT && params.has_rest && len + 1 >= params.len)
        fit = fit_all(r, method, call, params, true);
    return fit;
}
