/*
 * Ruby: calls, and those of them that define or import: `require`, `include`,
 * `attr_accessor`, `define_method`, `included do`.
 */
#include <string.h>

#include "index/lang_ruby.h"

bool
ruby_is_symbol(const struct visitor *w, uint32_t id)
{
    return visit_expr_kind(w, id) == EXPR_STRING;
}

static bool
is_local(struct visitor *w, str_id name)
{
    const struct ruby *ruby = ruby_of(w);

    for (uint32_t i = ruby->local_len; i > ruby->local_floor; i--)
        if (ruby->locals[i - 1] == name)
            return true;
    return ruby->local_len == RUBY_LOCALS_MAX;
}

/* `new` of nothing makes one of the class around; outside of all classes, and
 * where self is an object, it is a word of somebody's own. */
static bool
is_own_new(const struct visitor *w, str name)
{
    const struct fact_def *defs = w->x.facts->defs;

    if (!str_eq(name, STR("new")))
        return false;
    for (uint32_t at = w->x.scope; at; at = defs[at].parent) {
        if (defs[at].kind == CODE_TYPE || defs[at].kind == CODE_PACKAGE)
            return true;
        if (defs[at].kind == CODE_METHOD &&
            !(defs[at].flags & (DEF_STATIC | DEF_LAMBDA)))
            return false;
    }
    return false;
}

static uint32_t
make_own(struct visitor *w, struct extract_list *args, TSNode at)
{
    return visit_listed(w, EXPR_NEW, visit_wrap(w, EXPR_SELF, 0, at), args, at);
}

uint32_t
ruby_identifier(struct visitor *w, TSNode node)
{
    str_id name = extract_str(&w->x, node);
    str text = visit_text(w, node);
    struct extract_list none = {0};

    if (is_local(w, name))
        return visit_leaf(w, EXPR_NAME, text, node);
    if (is_own_new(w, text))
        return make_own(w, &none, node);
    uint32_t id = visit_leaf(w, EXPR_NAME, text, node);
    return visit_listed(w, EXPR_CALL, id, &none, node);
}

uint32_t
ruby_scope(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_NAME);
    uint32_t scope = visit(w, visit_field(w, node, F_SCOPE));

    return scope ? visit_member(w, scope, visit_text(w, name), name)
                 : visit_leaf(w, EXPR_NAME, visit_text(w, name), name);
}

/* `super` calls what the method around overrides. */
static uint32_t
super_callee(struct visitor *w, TSNode node)
{
    uint32_t base = visit_wrap(w, EXPR_SUPER, 0, node);
    struct fact_expr expr = {.kind = EXPR_MEMBER,
                             .scope = w->x.scope,
                             .a = base,
                             .text = visit_owner(w)->name,
                             .line = extract_line(node),
                             .col = extract_col(node)};

    return facts_expr(w->x.facts, &expr);
}

uint32_t
ruby_super(struct visitor *w, TSNode node)
{
    struct extract_list none = {0};

    return visit_listed(w, EXPR_CALL, super_callee(w, node), &none, node);
}

static void
import_file(struct visitor *w, str module, bool is_relative, TSNode at)
{
    struct buf path = {0};

    if (is_relative && module.len > 0 && module.ptr[0] != '.' &&
        module.ptr[0] != '/')
        buf_add(&path, STR("./"));
    buf_add(&path, module);
    facts_import(
        w->x.facts,
        &(struct fact_import){.kind = IMPORT_INCLUDE,
                              .scope = w->x.scope,
                              .module = facts_str(w->x.facts, buf_str(&path)),
                              .line = extract_line(at)});
    buf_fini(&path);
}

/* A call while it is gathered. */
struct call {
    TSNode node;
    TSNode at; /* its name */
    str name;
    bool is_bare; /* no receiver */
    struct extract_list args;
};

typedef void effect_fn(struct visitor *w, struct call *call);

static void
on_require(struct visitor *w, struct call *call)
{
    uint32_t at = str_eq(call->name, STR("autoload")) ? 1 : 0;

    if (call->args.len > at && ruby_is_symbol(w, call->args.items[at]))
        import_file(w, visit_expr_text(w, call->args.items[at]),
                    str_eq(call->name, STR("require_relative")), call->at);
}

/* A base that is no plain one, by what brings it. */
static void
add_mixin(struct visitor *w, const char *how, uint32_t module, TSNode at)
{
    uint32_t pair = visit_pair(w, str_of(how), module, at);

    visit_list_add(w, ruby_of(w)->mixins, pair);
}

/* A concern extends what includes it with its module of that name. */
static void
add_concern(struct visitor *w, uint32_t module, TSNode at)
{
    if (!str_eq(visit_expr_text(w, module), STR("Concern")))
        return;
    uint32_t self = visit_wrap(w, EXPR_SELF, 0, at);
    add_mixin(w, "included", visit_member(w, self, STR("ClassMethods"), at),
              at);
}

/* Of `include A, B` the first is nearest, and nearer than all that came before
 * it: so they are told from the last. */
static void
on_mixin(struct visitor *w, struct call *call)
{
    struct ruby *ruby = ruby_of(w);
    bool is_include = str_eq(call->name, STR("include"));
    bool is_prepend = str_eq(call->name, STR("prepend"));

    if (!ruby->mixins || !visit_in_type(w) || (ruby->is_static && !is_include))
        return;
    for (uint32_t i = call->args.len; i-- > 0;) {
        uint32_t module = call->args.items[i];
        uint8_t kind = visit_expr_kind(w, module);
        if (kind != EXPR_NAME && kind != EXPR_MEMBER && kind != EXPR_SELF)
            continue;
        if (is_include && !ruby->is_static) {
            visit_list_add(w, ruby->mixins, module);
            continue;
        }
        const char *how = is_prepend          ? "prepend"
                          : ruby->in_included ? "included"
                                              : "extend";
        add_mixin(w, how, module, call->at);
        if (!is_prepend)
            add_concern(w, module, call->at);
    }
}

/* `def self.included(base)`: what is said to |base| there is said to whatever
 * includes the module. */
static bool
is_includer(const struct visitor *w, uint32_t receiver)
{
    const struct facts *facts = w->x.facts;
    const struct fact_def *owner = visit_owner(w);

    if (visit_expr_kind(w, receiver) != EXPR_NAME ||
        !(owner->flags & DEF_STATIC) ||
        !str_eq(facts_text(facts, owner->name), STR("included")))
        return false;
    for (uint32_t i = facts->bind_len; i-- > 1;)
        if (facts->binds[i].kind == BIND_PARAM &&
            &facts->defs[facts->binds[i].scope] == owner)
            return facts->binds[i].name == facts->exprs[receiver].text &&
                   facts->binds[i].index == 0;
    return false;
}

/* `base.extend(A)`, `base.send(:extend, A)` */
static void
add_included(struct visitor *w, const struct call *call, uint32_t receiver)
{
    bool is_sent = str_eq(call->name, STR("send"));
    uint32_t first = is_sent ? 1 : 0;

    if ((!is_sent && !str_eq(call->name, STR("extend"))) ||
        !ruby_of(w)->mixins || call->args.len <= first ||
        !is_includer(w, receiver) ||
        (is_sent &&
         !str_eq(visit_expr_text(w, call->args.items[0]), STR("extend"))))
        return;
    for (uint32_t i = call->args.len; i-- > first;)
        add_mixin(w, "included", call->args.items[i], call->at);
}

static bool
ends_with(str name, const char *end)
{
    size_t len = strlen(end);

    return name.len >= len &&
           str_eq(str_cut(name, name.len - len, name.len), str_of(end));
}

static void
add_properties(struct visitor *w, struct call *call, bool is_shared)
{
    struct property property = {
        .reads = !ends_with(call->name, "_writer"),
        .writes = !ends_with(call->name, "_reader") &&
                  !str_eq(call->name, STR("attr")),
        .is_shared = is_shared,
    };

    if (!visit_in_type(w))
        return;
    for (uint32_t i = 0; i < call->args.len; i++) {
        property.name = visit_expr_text(w, call->args.items[i]);
        if (ruby_is_symbol(w, call->args.items[i]))
            ruby_property(w, &property, call->at);
    }
}

static void
on_attr(struct visitor *w, struct call *call)
{
    add_properties(w, call, false);
}

static void
on_class_attr(struct visitor *w, struct call *call)
{
    add_properties(w, call, true);
}

static struct fact_def *
lambda_arg(struct visitor *w, const struct call *call)
{
    uint32_t last = call->args.len ? call->args.items[call->args.len - 1] : 0;
    const struct fact_expr *expr = &w->x.facts->exprs[last];

    return expr->kind == EXPR_LAMBDA && expr->a ? &w->x.facts->defs[expr->a]
                                                : NULL;
}

static void
on_define(struct visitor *w, struct call *call)
{
    struct fact_def *def = lambda_arg(w, call);

    if (!def || call->args.len < 2 || !ruby_is_symbol(w, call->args.items[0]) ||
        !visit_in_type(w))
        return;
    def->kind = CODE_METHOD;
    def->name = w->x.facts->exprs[call->args.items[0]].text;
    def->flags = DEF_EXPORTED;
    if (ruby_of(w)->is_static ||
        str_eq(call->name, STR("define_singleton_method")))
        def->flags |= DEF_STATIC;
}

static void
on_example(struct visitor *w, struct call *call)
{
    struct fact_def *def = lambda_arg(w, call);

    if (!def || !(w->x.facts->flags & FACTS_TEST))
        return;
    def->flags |= DEF_TEST_CASE;
    if (ruby_is_symbol(w, call->args.items[0]))
        def->name = w->x.facts->exprs[call->args.items[0]].text;
}

/* `private :a, :b`, `private def a`, `module_function :a`: of what was defined
 * before, nearby. */
static void
on_visibility(struct visitor *w, struct call *call)
{
    enum { LOOK_BACK = 256 };
    struct facts *facts = w->x.facts;
    bool is_static = str_eq(call->name, STR("module_function"));

    for (uint32_t i = 0; i < call->args.len; i++) {
        if (!ruby_is_symbol(w, call->args.items[i]))
            continue;
        str_id name = facts->exprs[call->args.items[i]].text;
        uint32_t at = facts->def_len;
        for (uint32_t n = 0; n < LOOK_BACK && at > 1; n++) {
            struct fact_def *def = &facts->defs[--at];
            if (def->parent != w->x.scope || def->name != name)
                continue;
            def->flags = is_static ? def->flags | DEF_STATIC | DEF_SHARED
                                   : def->flags & ~DEF_EXPORTED;
            break;
        }
    }
}

static const struct effect {
    const char *name;
    effect_fn *fn;
} effects[] = {
    {"require", on_require},
    {"require_relative", on_require},
    {"load", on_require},
    {"autoload", on_require},
    {"include", on_mixin},
    {"extend", on_mixin},
    {"prepend", on_mixin},
    {"attr_accessor", on_attr},
    {"attr_reader", on_attr},
    {"attr_writer", on_attr},
    {"attr", on_attr},
    {"cattr_accessor", on_class_attr},
    {"cattr_reader", on_class_attr},
    {"cattr_writer", on_class_attr},
    {"mattr_accessor", on_class_attr},
    {"mattr_reader", on_class_attr},
    {"mattr_writer", on_class_attr},
    {"class_attribute", on_class_attr},
    {"define_method", on_define},
    {"define_singleton_method", on_define},
    {"private", on_visibility},
    {"protected", on_visibility},
    {"private_class_method", on_visibility},
    {"module_function", on_visibility},
    {"it", on_example},
    {"specify", on_example},
    {"example", on_example},
    {"scenario", on_example},
    {"test", on_example},
    {"should", on_example},
};

static void
add_effects(struct visitor *w, struct call *call)
{
    for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++)
        if (str_eq(call->name, str_of(effects[i].name))) {
            effects[i].fn(w, call);
            return;
        }
}

/* The block of a method that goes through its receiver is given its elements.
 */
static bool
is_iterator(str name)
{
    static const char *const names[] = {
        "each",      "map",
        "select",    "reject",
        "flat_map",  "each_with_index",
        "find",      "detect",
        "any?",      "all?",
        "filter",    "filter_map",
        "sort_by",   "group_by",
        "collect",   "find_each",
        "min_by",    "max_by",
        "partition", "each_with_object",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

/* `included do` and `class_methods do` of a Rails concern: what stands in them
 * belongs to the class. */
static bool
visit_concern(struct visitor *w, TSNode node, str name)
{
    struct ruby *ruby = ruby_of(w);
    TSNode block = visit_field(w, node, F_BLOCK);
    bool was_included = ruby->in_included;
    bool is_class_methods = str_eq(name, STR("class_methods"));

    if ((!is_class_methods && !str_eq(name, STR("included"))) ||
        ts_node_is_null(block) || !visit_in_type(w))
        return false;
    ruby->in_included = !is_class_methods;
    if (is_class_methods)
        ruby_class_methods(w, node, block);
    else
        ruby_class_body(w, visit_field(w, block, F_BODY));
    ruby->in_included = was_included;
    return true;
}

static uint32_t
block_arg(struct visitor *w, TSNode block, uint32_t receiver, str name)
{
    uint32_t id = visit(w, block);
    struct facts *facts = w->x.facts;
    uint32_t def = facts->exprs[id].a;

    if (!receiver || !is_iterator(name) || !def)
        return id;
    /* Its first parameter is the first bind of its scope. */
    for (uint32_t i = facts->bind_len; i-- > 1;)
        if (facts->binds[i].scope == def &&
            facts->binds[i].kind == BIND_PARAM && facts->binds[i].index == 0) {
            facts->binds[i].value = visit_wrap(w, EXPR_ELEM, receiver, block);
            break;
        }
    return id;
}

static uint32_t
callee_of(struct visitor *w, const struct call *call, uint32_t receiver)
{
    if (visit_kind(w, call->at) == K_SUPER)
        return super_callee(w, call->at);
    /* `Array(x)` is a method of that name, and never the class. */
    bool is_capital = call->is_bare && call->name.len > 0 &&
                      call->name.ptr[0] >= 'A' && call->name.ptr[0] <= 'Z';
    if (is_capital)
        receiver = visit_wrap(w, EXPR_SELF, 0, call->at);
    else if (call->is_bare)
        return visit_leaf(w, EXPR_NAME, call->name, call->at);
    uint32_t callee = visit_member(w, receiver, call->name, call->at);
    if (is_capital && callee)
        w->x.facts->exprs[callee].is_symbol = true;
    return callee;
}

uint32_t
ruby_call(struct visitor *w, TSNode node)
{
    TSNode receiver_node = visit_field(w, node, F_RECEIVER);
    TSNode block = visit_field(w, node, F_BLOCK);
    struct call call = {.node = node, .at = visit_field(w, node, F_METHOD)};

    call.is_bare = ts_node_is_null(receiver_node);
    call.name = ts_node_is_null(call.at) ? STR("call") : visit_text(w, call.at);
    if (call.is_bare && visit_concern(w, node, call.name))
        return 0;
    if (ts_node_is_null(call.at))
        call.at = node;
    uint32_t receiver = visit(w, receiver_node);
    uint32_t callee = callee_of(w, &call, receiver);

    visit_list(w, visit_field(w, node, F_ARGUMENTS), &call.args);
    if (!ts_node_is_null(block))
        visit_list_add(w, &call.args, block_arg(w, block, receiver, call.name));
    if (call.is_bare)
        add_effects(w, &call);
    else
        add_included(w, &call, receiver);
    if (call.is_bare && call.args.len == 1 && lambda_arg(w, &call) &&
        (str_eq(call.name, STR("lambda")) || str_eq(call.name, STR("proc")))) {
        uint32_t lambda = call.args.items[0];
        uint32_t len;
        extract_list_end(&w->x, &call.args, &len);
        return lambda;
    }
    if (call.is_bare && is_own_new(w, call.name))
        return make_own(w, &call.args, call.at);
    if (!call.is_bare && str_eq(call.name, STR("new")))
        return visit_listed(w, EXPR_NEW, receiver, &call.args, call.at);
    return visit_listed(w, EXPR_CALL, callee, &call.args, call.at);
}
