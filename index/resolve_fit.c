/*
 * How well arguments fit parameters, in Java.  What is not known of a type fits
 * everything, a little.
 */
#include "base/grow.h"
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
    if (arg.val.kind != VAL_GENERIC || param.val.kind != VAL_GENERIC ||
        r->depth >= RESOLVE_DEPTH_MAX)
        return FIT_MAYBE;
    struct shape of = shape_of_val(r, eval_arg(r, arg.val, 0));
    struct shape wanted = shape_of_val(r, eval_arg(r, param.val, 0));
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

/* What one of any number of arguments has to be. */
static uint32_t
element_type(const struct resolver *r, uint32_t file, uint32_t type)
{
    const struct fact_expr *at = expr_at(r, file, type);

    return at->kind == EXPR_GENERIC && at->list_len > 0
               ? list_at(r, file, at->list_at)
               : type;
}

static struct parameters *
parameters_of(const struct resolver *r, struct at method)
{
    return &r->params[gdef(r, method.file, method.id)];
}

bool
overload_step(struct resolver *r, struct passing *passing)
{
    bool is_free = passing->steps < OVERLOAD_STEPS_FREE;
    bool is_left = passing->steps < OVERLOAD_STEPS_MAX &&
                   r->overload_steps < OVERLOAD_ALL_STEPS_MAX;

    if (!is_free && !is_left) {
        passing->is_cut = true;
        return false;
    }
    passing->steps++;
    r->overload_steps += !is_free;
    return true;
}

/* What is not known because a question further out is open may be known to who
 * asks from elsewhere. */
static bool
is_final(const struct resolver *r, struct shape shape, uint32_t cuts)
{
    return shape.kind != SHAPE_UNKNOWN ||
           (r->cuts == cuts && r->depth < RESOLVE_DEPTH_MAX / 2);
}

static bool
reserve_shapes(struct resolver *r, struct parameters *params)
{
    uint32_t at = r->shape_len ? r->shape_len : 1;

    for (uint32_t len = at + params->len + 1; r->shape_len < len;
         r->shapes[r->shape_len++] = (struct shape){.kind = SHAPE_UNASKED})
        if (!grow_room(r->shapes, r->shape_len, r->shape_cap)) {
            r->failed = true;
            return false;
        }
    params->shapes = at;
    return true;
}

/* Of parameter |index|; past the last, of one of the rest. */
static struct shape
shape_of_parameter(struct resolver *r, struct at method, uint32_t index)
{
    struct parameters *params = parameters_of(r, method);
    bool is_rest = index >= params->len;
    uint32_t bind = params->first + (is_rest ? params->len - 1 : index);
    uint32_t type = bind_at(r, method.file, bind)->type;
    uint32_t cuts = r->cuts;

    if (!params->shapes && !reserve_shapes(r, params))
        return (struct shape){0};
    uint32_t at = params->shapes + index;
    if (r->shapes[at].kind != SHAPE_UNASKED)
        return r->shapes[at];
    if (is_rest)
        type = element_type(r, method.file, type);
    struct shape shape = shape_of_val(r, eval_type(r, method.file, type));
    if (is_final(r, shape, cuts))
        r->shapes[at] = shape;
    return shape;
}

static bool
reserve_passed(struct resolver *r, struct passing *passing)
{
    uint32_t len = expr_at(r, passing->call.file, passing->call.id)->list_len;

    passing->at = r->passed_len;
    for (len += passing->at; r->passed_len < len;
         r->passed[r->passed_len++] = (struct shape){.kind = SHAPE_UNASKED})
        if (!grow_room(r->passed, r->passed_len, r->passed_cap)) {
            r->passed_len = passing->at;
            r->failed = true;
            return false;
        }
    passing->has_shapes = true;
    return true;
}

void
overload_passed(struct resolver *r, const struct passing *passing)
{
    if (passing->has_shapes)
        r->passed_len = passing->at;
}

/* A call that is looked at meanwhile has its shapes further on. */
static struct shape
shape_of_passed(struct resolver *r, const struct passing *passing,
                uint32_t index)
{
    const struct fact_expr *at =
        expr_at(r, passing->call.file, passing->call.id);
    struct shape shape = r->passed[passing->at + index];

    if (shape.kind != SHAPE_UNASKED)
        return shape;
    shape =
        shape_of_argument(r, passing->call.file,
                          list_at(r, passing->call.file, at->list_at + index));
    r->passed[passing->at + index] = shape;
    return shape;
}

static int
fit_all(struct resolver *r, struct at method, struct passing *passing,
        bool is_spread)
{
    const struct fact_expr *at =
        expr_at(r, passing->call.file, passing->call.id);
    uint32_t params = parameters_of(r, method)->len;
    int sum = is_spread ? 0 : FIT_FIXED;

    if (!passing->has_shapes && !reserve_passed(r, passing))
        return FIT_NOT;
    for (uint32_t i = 0; i < at->list_len; i++) {
        bool is_rest = is_spread && i + 1 >= params;
        if (!overload_step(r, passing))
            return FIT_NOT;
        struct shape param =
            shape_of_parameter(r, method, is_rest ? params : i);
        int fit = fit_shape(r, shape_of_passed(r, passing, i), param);
        if (fit == FIT_NOT)
            return FIT_NOT;
        sum += fit;
    }
    return sum;
}

bool
overload_takes(const struct resolver *r, struct at method, struct at call)
{
    const struct parameters *params = parameters_of(r, method);
    uint32_t len = expr_at(r, call.file, call.id)->list_len;

    return lang_at(r, method.file) != LANG_JAVA || len == params->len ||
           (params->has_rest && len + 1 >= params->len);
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
overload_differ(struct resolver *r, struct at a, struct at b,
                struct passing *passing)
{
    uint32_t len = parameters_of(r, a)->len;

    if (len != parameters_of(r, b)->len)
        return true;
    for (uint32_t i = 0; i < len; i++) {
        if (!overload_step(r, passing))
            return true;
        struct shape x = shape_of_parameter(r, a, i);
        struct shape y = shape_of_parameter(r, b, i);
        if (are_apart(&x, &y))
            return true;
    }
    return false;
}

/* Two types of one file, by what is written.  Who is given a `Box<?>` can call
 * nothing of what is in it that is not in another box, too. */
static bool
is_written_alike(const struct resolver *r, uint32_t file, uint32_t a,
                 uint32_t b, uint32_t depth)
{
    const struct fact_expr *x = expr_at(r, file, a);
    const struct fact_expr *y = expr_at(r, file, b);
    const struct facts *facts = r->sources[file].facts;

    if (!a || !b)
        return a == b;
    if (depth == 0 || x->kind != y->kind || x->list_len != y->list_len ||
        !str_eq(facts_text(facts, x->text), facts_text(facts, y->text)) ||
        !is_written_alike(r, file, x->a, y->a, depth - 1))
        return false;
    for (uint32_t i = 0; i < x->list_len; i++) {
        uint32_t of_x = list_at(r, file, x->list_at + i);
        uint32_t of_y = list_at(r, file, y->list_at + i);
        bool is_any = !of_x || !of_y; /* `?` */
        if (!is_any && !is_written_alike(r, file, of_x, of_y, depth - 1))
            return false;
    }
    return true;
}

bool
overload_returns(const struct resolver *r, struct at a, struct at b)
{
    return a.file == b.file &&
           is_written_alike(r, a.file, def_at(r, a.file, a.id)->type,
                            def_at(r, b.file, b.id)->type, RESOLVE_HOPS_MAX);
}

int
overload_fit(struct resolver *r, struct at method, struct passing *passing)
{
    const struct parameters *params = parameters_of(r, method);
    uint32_t len = expr_at(r, passing->call.file, passing->call.id)->list_len;
    int fit = FIT_NOT;

    /* Parameters of Kotlin's may be left out. */
    if (lang_at(r, method.file) != LANG_JAVA)
        return FIT_MAYBE;
    if (len == params->len)
        fit = fit_all(r, method, passing, false);
    if (fit == FIT_NOT && params->has_rest && len + 1 >= params->len)
        fit = fit_all(r, method, passing, true);
    return fit;
}
