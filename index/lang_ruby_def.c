/*
 * Ruby: classes, modules, methods, blocks, and what names are bound to.
 *
 * A module that holds more than other modules and classes may be mixed in and
 * is a type; one that does not is a namespace.
 */
#include "index/lang_ruby.h"

void
ruby_add_local(struct visitor *w, str_id name)
{
    struct ruby *ruby = ruby_of(w);

    if (ruby->local_len < RUBY_LOCALS_MAX)
        ruby->locals[ruby->local_len++] = name;
}

/* The locals of a method are its own; a block sees those around it. */
struct frame {
    uint32_t scope;
    uint32_t local_len;
    uint32_t local_floor;
};

static struct frame
open_frame(struct visitor *w, uint32_t def, bool is_block)
{
    struct ruby *ruby = ruby_of(w);
    struct frame frame = {visit_enter(w, def), ruby->local_len,
                          ruby->local_floor};

    if (!is_block)
        ruby->local_floor = ruby->local_len;
    return frame;
}

static void
close_frame(struct visitor *w, struct frame frame)
{
    struct ruby *ruby = ruby_of(w);

    visit_leave(w, frame.scope);
    ruby->local_len = frame.local_len;
    ruby->local_floor = frame.local_floor;
}

struct params {
    uint32_t index;
};

static void
add_param(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct params *params = ctx;
    uint16_t kind = visit_kind(w, child);
    TSNode name = kind == K_IDENTIFIER ? child : visit_field(w, child, F_NAME);

    (void)field;
    if (kind == K_DESTRUCTURED) {
        struct params inner = {params->index};
        visit_each(w, child, add_param, &inner);
        params->index++;
        return;
    }
    if (ts_node_is_null(name))
        return;
    struct fact_bind bind = {.kind = BIND_PARAM,
                             .name = extract_str(&w->x, name),
                             .index = params->index++};
    if (kind == K_OPTIONAL)
        bind.value = visit(w, visit_field(w, child, F_VALUE));
    ruby_add_local(w, bind.name);
    visit_bind(w, bind, name);
}

static uint32_t
lambda_of(struct visitor *w, TSNode whole, TSNode parameters, TSNode body)
{
    uint32_t def = visit_def(
        w, (struct fact_def){.kind = CODE_FUNCTION, .flags = DEF_LAMBDA}, whole,
        whole, body);
    struct params params = {0};
    struct frame frame = open_frame(w, def, true);

    visit_each(w, parameters, add_param, &params);
    uint32_t last = visit(w, body);
    if (def)
        visit_return(w, last, whole);
    close_frame(w, frame);
    return visit_wrap(w, EXPR_LAMBDA, def, whole);
}

uint32_t
ruby_block(struct visitor *w, TSNode node)
{
    return lambda_of(w, node, visit_field(w, node, F_PARAMETERS),
                     visit_field(w, node, F_BODY));
}

uint32_t
ruby_lambda(struct visitor *w, TSNode node)
{
    TSNode block = visit_field(w, node, F_BODY);

    return lambda_of(w, node, visit_field(w, node, F_PARAMETERS),
                     visit_field(w, block, F_BODY));
}

static bool
is_test_method(const struct visitor *w, str name)
{
    return w->x.facts->flags & FACTS_TEST && str_starts(name, STR("test_")) &&
           visit_in_type(w);
}

static uint32_t
method_of(struct visitor *w, TSNode node, uint32_t flags)
{
    struct ruby *ruby = ruby_of(w);
    TSNode name = visit_field(w, node, F_NAME);
    TSNode body = visit_field(w, node, F_BODY);
    struct params params = {0};
    struct fact_def def = {
        .kind = visit_in_type(w) ? CODE_METHOD : CODE_FUNCTION,
        .flags = flags,
        .name = extract_str(&w->x, name),
    };

    if (str_eq(visit_text(w, name), STR("initialize")))
        def.flags |= DEF_CTOR;
    if (is_test_method(w, visit_text(w, name)))
        def.flags |= DEF_TEST_CASE;
    if (!ruby->is_private || flags & DEF_STATIC)
        def.flags |= DEF_EXPORTED;
    uint32_t id = visit_def(w, def, node, name, body);
    struct frame frame = open_frame(w, id, false);

    visit_each(w, visit_field(w, node, F_PARAMETERS), add_param, &params);
    uint32_t last = visit(w, body);
    if (id && !(def.flags & DEF_CTOR))
        visit_return(w, last, node);
    close_frame(w, frame);
    /* `private def x`: the name is the argument. */
    return visit_leaf(w, EXPR_STRING, visit_text(w, name), name);
}

uint32_t
ruby_method(struct visitor *w, TSNode node)
{
    const struct ruby *ruby = ruby_of(w);

    return method_of(w, node,
                     ruby->is_shared   ? DEF_STATIC | DEF_SHARED
                     : ruby->is_static ? DEF_STATIC
                                       : 0);
}

uint32_t
ruby_singleton_method(struct visitor *w, TSNode node)
{
    visit(w, visit_field(w, node, F_OBJECT));
    return method_of(w, node, DEF_STATIC);
}

void
ruby_property(struct visitor *w, const struct property *property, TSNode at)
{
    struct ruby *ruby = ruby_of(w);
    struct buf buf = {0};
    /* Its text may be one of the facts', which move when others are added. */
    str_id name = facts_str(w->x.facts, property->name);
    uint32_t whose = property->is_shared ? DEF_STATIC | DEF_SHARED
                     : ruby->is_static   ? DEF_STATIC
                                         : 0;
    struct fact_def def = {
        .kind = CODE_METHOD,
        .flags = DEF_PROPERTY | (ruby->is_private ? 0 : DEF_EXPORTED) | whose,
    };

    if (!ruby->is_static)
        visit_bind(w, (struct fact_bind){.kind = BIND_FIELD, .name = name}, at);
    if (property->reads) {
        def.name = name;
        uint32_t before = visit_enter(w, visit_def(w, def, at, at, at));
        buf_add(&buf, property->is_shared ? STR("@@") : STR("@"));
        buf_add(&buf, facts_text(w->x.facts, name));
        uint32_t self = visit_wrap(w, EXPR_SELF, 0, at);
        visit_return(w, visit_member(w, self, buf_str(&buf), at), at);
        visit_leave(w, before);
    }
    buf_reset(&buf);
    if (property->writes) {
        buf_add(&buf, facts_text(w->x.facts, name));
        buf_add_char(&buf, '=');
        def.name = facts_str(w->x.facts, buf_str(&buf));
        visit_def(w, def, at, at, at);
    }
    buf_fini(&buf);
}

static void
body_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct ruby *ruby = ruby_of(w);
    str text;

    (void)field;
    (void)ctx;
    if (visit_kind(w, child) != K_IDENTIFIER) {
        visit(w, child);
        return;
    }
    text = visit_text(w, child);
    if (str_eq(text, STR("private")) || str_eq(text, STR("protected")))
        ruby->is_private = true;
    else if (str_eq(text, STR("public")))
        ruby->is_private = false;
    else if (str_eq(text, STR("module_function")))
        ruby->is_shared = true;
    else
        visit(w, child);
}

void
ruby_class_body(struct visitor *w, TSNode body)
{
    if (visit_kind(w, body) == K_BODY)
        visit_each(w, body, body_one, NULL);
    else
        visit(w, body);
}

/* Walks the body of |def|, whose bases are |list| and what is mixed in. */
static void
type_body(struct visitor *w, uint32_t def, TSNode body,
          struct extract_list *bases)
{
    struct ruby *ruby = ruby_of(w);
    struct ruby outer = {.mixins = ruby->mixins,
                         .is_private = ruby->is_private,
                         .is_static = ruby->is_static,
                         .is_shared = ruby->is_shared,
                         .in_included = ruby->in_included};
    struct frame frame = open_frame(w, def, false);
    uint32_t len;

    ruby->mixins = bases;
    ruby->is_private = false;
    ruby->is_static = false;
    ruby->is_shared = false;
    ruby->in_included = false;
    ruby_class_body(w, body);
    ruby->mixins = outer.mixins;
    ruby->is_private = outer.is_private;
    ruby->is_static = outer.is_static;
    ruby->is_shared = outer.is_shared;
    ruby->in_included = outer.in_included;
    close_frame(w, frame);
    uint32_t at = extract_list_end(&w->x, bases, &len);
    if (def) {
        w->x.facts->defs[def].bases_at = at;
        w->x.facts->defs[def].bases_len = len;
    }
}

uint32_t
ruby_class(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_NAME);
    TSNode body = visit_field(w, node, F_BODY);
    TSNode base = visit_field(w, node, F_SUPERCLASS);
    struct extract_list bases = {0};
    struct fact_def def = {.kind = CODE_TYPE,
                           .flags = DEF_EXPORTED,
                           .name = extract_str(&w->x, name)};

    if (!ts_node_is_null(base))
        visit_list_add(w, &bases, visit(w, visit_first(base)));
    type_body(w, visit_def(w, def, node, name, body), body, &bases);
    return 0;
}

static void
note_more(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    uint16_t kind = visit_kind(w, child);

    (void)field;
    if (kind != K_MODULE && kind != K_CLASS && kind != K_ASSIGN)
        *(bool *)ctx = true;
}

uint32_t
ruby_module(struct visitor *w, TSNode node)
{
    TSNode name = visit_field(w, node, F_NAME);
    TSNode body = visit_field(w, node, F_BODY);
    struct extract_list bases = {0};
    bool has_more = false;
    struct fact_def def = {.kind = CODE_PACKAGE,
                           .flags = DEF_EXPORTED,
                           .name = extract_str(&w->x, name)};

    visit_each(w, body, note_more, &has_more);
    if (has_more) {
        def.kind = CODE_TYPE;
        def.flags |= DEF_TRAIT;
    }
    type_body(w, visit_def(w, def, node, name, body), body, &bases);
    return 0;
}

void
ruby_class_methods(struct visitor *w, TSNode node, TSNode block)
{
    TSNode body = visit_field(w, block, F_BODY);
    struct extract_list bases = {0};
    struct fact_def def = {.kind = CODE_TYPE,
                           .flags = DEF_EXPORTED | DEF_TRAIT,
                           .name = facts_str(w->x.facts, STR("ClassMethods"))};

    type_body(w, visit_def(w, def, node, visit_field(w, node, F_METHOD), body),
              body, &bases);
}

uint32_t
ruby_singleton_class(struct visitor *w, TSNode node)
{
    struct ruby *ruby = ruby_of(w);
    bool is_static = ruby->is_static;
    bool is_private = ruby->is_private;
    bool is_shared = ruby->is_shared;

    ruby->is_static = true;
    ruby->is_private = false;
    ruby->is_shared = false;
    ruby_class_body(w, visit_field(w, node, F_BODY));
    ruby->is_static = is_static;
    ruby->is_private = is_private;
    ruby->is_shared = is_shared;
    return 0;
}

static void
bind_name(struct visitor *w, TSNode left, struct fact_bind bind)
{
    bool is_local = visit_kind(w, left) == K_IDENTIFIER;
    bool in_type = visit_in_type(w);

    bind.name = extract_str(&w->x, left);
    if (is_local) {
        bind.kind = BIND_LOCAL;
        ruby_add_local(w, bind.name);
    } else {
        bind.kind = in_type ? BIND_FIELD : BIND_LOCAL;
        bind.flags |= BIND_CONST;
        if (w->x.scope == 0)
            visit_def(w,
                      (struct fact_def){.kind = CODE_CONST,
                                        .flags = DEF_EXPORTED,
                                        .name = bind.name},
                      left, left, left);
    }
    visit_bind(w, bind, left);
}

struct many {
    uint32_t value;
    uint32_t index;
};

/* `a.b = c` calls `b=`. */
static void
call_setter(struct visitor *w, uint32_t object, TSNode name, uint32_t value)
{
    struct extract_list args = {0};
    struct buf setter = {0};

    buf_add(&setter, visit_text(w, name));
    buf_add_char(&setter, '=');
    uint32_t callee = visit_member(w, object, buf_str(&setter), name);
    buf_fini(&setter);
    visit_list_add(w, &args, value);
    visit_listed(w, EXPR_CALL, callee, &args, name);
}

static void
bind_target(struct visitor *w, TSNode left, struct fact_bind bind)
{
    uint16_t kind = visit_kind(w, left);

    if (kind == K_IDENTIFIER || kind == K_CONSTANT) {
        bind_name(w, left, bind);
        return;
    }
    if (kind == K_CALL) {
        TSNode name = visit_field(w, left, F_METHOD);
        uint32_t object = visit(w, visit_field(w, left, F_RECEIVER));
        call_setter(w, object, name, bind.value);
        bind.target = visit_member(w, object, visit_text(w, name), name);
    } else {
        bind.target = visit(w, left);
    }
    bind.kind = BIND_ASSIGN;
    if (bind.target)
        visit_bind(w, bind, left);
}

static void
bind_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct many *many = ctx;

    (void)field;
    bind_target(w, child,
                (struct fact_bind){.flags = BIND_MULTI,
                                   .value = many->value,
                                   .index = many->index++});
}

uint32_t
ruby_assign(struct visitor *w, TSNode node)
{
    TSNode left = visit_field(w, node, F_LEFT);
    uint32_t value = visit(w, visit_field(w, node, F_RIGHT));

    if (visit_kind(w, left) == K_LEFT_LIST) {
        struct many many = {value, 0};
        visit_each(w, left, bind_one, &many);
    } else {
        bind_target(w, left, (struct fact_bind){.value = value});
    }
    return value;
}

/* `a ||= b` may bind; `a += b` makes a value of both that we do not follow. */
uint32_t
ruby_update(struct visitor *w, TSNode node)
{
    str op = visit_text(w, visit_field(w, node, F_OPERATOR));

    if (str_eq(op, STR("||=")) || str_eq(op, STR("&&=")))
        return ruby_assign(w, node);
    visit(w, visit_field(w, node, F_RIGHT));
    return 0;
}

uint32_t
ruby_return(struct visitor *w, TSNode node)
{
    uint32_t value = visit_children(w, visit_first(node));

    visit_return(w, value, node);
    return 0;
}

uint32_t
ruby_for(struct visitor *w, TSNode node)
{
    TSNode pattern = visit_field(w, node, F_PATTERN);
    uint32_t list = visit_children(w, visit_field(w, node, F_VALUE));
    uint32_t value = visit_wrap(w, EXPR_ELEM, list, pattern);

    if (visit_kind(w, pattern) == K_LEFT_LIST) {
        struct many many = {value, 0};
        visit_each(w, pattern, bind_one, &many);
    } else {
        bind_target(w, pattern, (struct fact_bind){.value = value});
    }
    visit(w, visit_field(w, node, F_BODY));
    return 0;
}

uint32_t
ruby_rescue(struct visitor *w, TSNode node)
{
    TSNode variable = visit_field(w, node, F_VARIABLE);
    TSNode exceptions = visit_field(w, node, F_EXCEPTIONS);
    struct extract_list types = {0};

    visit_list(w, exceptions, &types);
    if (ts_node_is_null(variable)) {
        uint32_t len;
        extract_list_end(&w->x, &types, &len);
    } else {
        struct fact_bind bind = {0};
        bind.type = types.len == 1 ? types.items[0] : 0;
        uint32_t all = visit_listed(w, EXPR_ALT, 0, &types, node);
        bind.type = bind.type ? bind.type : all;
        bind_target(w, visit_first(variable), bind);
    }
    return visit(w, visit_field(w, node, F_BODY));
}
