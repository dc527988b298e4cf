/*
 * C and C++: functions, and what macros make of them.
 */
#include "index/lang_c.h"

/* Of `a::T::m` the `a.T`, and T in |last|; 0 where it is not qualified. */
static str_id
scope_of(struct visitor *w, TSNode name, str_id *last)
{
    struct buf scope = {.cap_max = FACT_STR_MAX};
    str_id id = 0;

    while (visit_kind(w, name) == K_QUALIFIED) {
        TSNode next = visit_field(w, name, F_SCOPE);
        if (!ts_node_is_null(next)) {
            if (scope.len > 0)
                buf_add_char(&scope, '.');
            buf_add(&scope, visit_text(w, cxx_name(w, next)));
            *last = extract_str(&w->x, cxx_name(w, next));
        }
        name = visit_field(w, name, F_NAME);
    }
    if (scope.len > 0)
        id = facts_str(w->x.facts, buf_str(&scope));
    buf_fini(&scope);
    return id;
}

static str_id
function_name(struct visitor *w, TSNode name)
{
    str text = visit_text(w, cxx_name(w, name));
    const char *paren = text.len ? memchr(text.ptr, '(', text.len) : NULL;

    /* `operator bool() const` is written with its parentheses, and only a
     * name with nothing before them is `operator()`. */
    if (visit_kind(w, cxx_name(w, name)) == K_OPERATOR_CAST && paren)
        text.len = (size_t)(paren - text.ptr);
    return facts_str(w->x.facts, text);
}

static bool
is_test_macro(str name)
{
    static const char *const names[] = {"TEST",         "TEST_F",
                                        "TEST_P",       "TYPED_TEST",
                                        "TYPED_TEST_P", "BOOST_AUTO_TEST_CASE"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

static void
test_word(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    struct buf *name = ctx;

    (void)field;
    if (name->len > 0)
        buf_add_char(name, '.');
    buf_add(name, visit_text(w, child));
}

static bool
has_type(const struct facts *facts, str name)
{
    for (uint32_t id = 1; id < facts->def_len; id++)
        if (facts->defs[id].kind == CODE_TYPE &&
            str_eq(facts_text(facts, facts->defs[id].name), name))
            return true;
    return false;
}

/* `TEST(Suite, Case) { }`: named `Suite.Case`; the fixture, of TEST_F or a
 * class of the file, is what it is a method of. */
static void
as_test(struct visitor *w, TSNode parameters, str macro, struct fact_def *def)
{
    struct buf name = {.cap_max = FACT_STR_MAX};
    bool has_fixture =
        str_eq(macro, STR("TEST_F")) || str_eq(macro, STR("TEST_P")) ||
        has_type(w->x.facts, visit_text(w, visit_first(parameters)));

    visit_each(w, parameters, test_word, &name);
    def->name = facts_str(w->x.facts, buf_str(&name));
    def->flags |= DEF_TEST_CASE;
    if (has_fixture) {
        def->receiver = extract_str(&w->x, visit_first(parameters));
        def->kind = CODE_METHOD;
    }
    buf_fini(&name);
}

static bool
is_capitals(str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((text.ptr[i] < 'A' || text.ptr[i] > 'Z') && text.ptr[i] != '_' &&
            (text.ptr[i] < '0' || text.ptr[i] > '9'))
            return false;
    return text.len > 1;
}

/* `PHP_FUNCTION(strlen) { }`: what it is called only the macro knows.  To C's
 * grammar that is a type and a name in parentheses, to C++'s a function that
 * returns nothing.  Null: it is an ordinary function. */
static TSNode
made_by(struct visitor *w, TSNode node, const struct cxx_declarator *declarator)
{
    TSNode type = visit_field(w, node, F_TYPE);
    TSNode outer = visit_field(w, node, F_DECLARATOR);
    const TSNode none = {0};

    if (visit_kind(w, declarator->name) != K_IDENTIFIER ||
        w->x.facts->defs[w->x.scope].kind == CODE_TYPE)
        return none;
    if (ts_node_is_null(declarator->function))
        return visit_kind(w, outer) == K_PAREN_DECL ? type : none;
    bool is_macro =
        ts_node_is_null(type) && is_capitals(visit_text(w, declarator->name));
    return is_macro ? declarator->name : none;
}

/* Named `PHP_FUNCTION.strlen`. */
static void
as_made(struct visitor *w, TSNode macro, TSNode parameters,
        struct fact_def *def)
{
    struct buf name = {.cap_max = FACT_STR_MAX};

    buf_add(&name, visit_text(w, macro));
    visit_each(w, parameters, test_word, &name);
    def->name = facts_str(w->x.facts, buf_str(&name));
    def->type = 0;
    buf_fini(&name);
}

static void
result_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)field;
    if (visit_kind(w, child) == K_INNER) /* `-> T` */
        *(uint32_t *)ctx = visit(w, child);
}

struct fact_def
cxx_signature(struct visitor *w, TSNode node,
              const struct cxx_declarator *declarator, uint32_t type,
              bool is_static)
{
    const struct fact_def *around = &w->x.facts->defs[w->x.scope];
    bool in_class = around->kind == CODE_TYPE;
    struct fact_def def = {.kind = in_class ? CODE_METHOD : CODE_FUNCTION,
                           .name = function_name(w, declarator->name)};
    str_id class_name = in_class ? around->name : 0;

    def.receiver = scope_of(w, declarator->name, &class_name);
    if (def.receiver)
        def.kind = CODE_METHOD;
    if (class_name && def.name == class_name)
        def.flags |= DEF_CTOR;
    if (is_static || (!in_class && cxx_of(w)->is_hidden))
        def.flags |= DEF_STATIC;
    if (!cxx_of(w)->is_hidden && (in_class || !is_static))
        def.flags |= DEF_EXPORTED;
    def.type = cxx_type(w, type, declarator, node);
    if (!def.type && !ts_node_is_null(declarator->function))
        visit_each(w, declarator->function, result_one, &def.type);
    return def;
}

static void
initializer_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    (void)ctx;
    /* The constructor's field_initializer_list has no field of its own. */
    if (field == 0 && visit_kind(w, child) == 0)
        visit(w, child);
}

uint32_t
cxx_function(struct visitor *w, TSNode node)
{
    TSNode type = visit_field(w, node, F_TYPE);
    TSNode body = visit_field(w, node, F_BODY);
    struct cxx_declarator declarator =
        cxx_declarator(w, visit_field(w, node, F_DECLARATOR));
    TSNode parameters = visit_field(w, declarator.function, F_PARAMETERS);
    str macro;

    if (ts_node_is_null(declarator.name)) {
        visit_children(w, node);
        return 0;
    }
    struct fact_def def =
        cxx_signature(w, node, &declarator, visit(w, type),
                      cxx_has_storage(w, node, STR("static")));
    macro = visit_text(w, declarator.name);
    bool is_test = ts_node_is_null(type) && is_test_macro(macro);
    if (is_test)
        as_test(w, parameters, macro, &def);
    TSNode macro_node = made_by(w, node, &declarator);
    bool is_made = !is_test && !ts_node_is_null(macro_node);
    if (is_made)
        as_made(w, macro_node,
                ts_node_is_null(parameters) ? visit_field(w, node, F_DECLARATOR)
                                            : parameters,
                &def);
    uint32_t before = visit_enter(
        w, visit_def(w, def, node, cxx_name(w, declarator.name), body));

    if (!is_test && !is_made)
        cxx_params(w, parameters);
    visit_each(w, node, initializer_one, NULL);
    visit(w, body);
    visit_leave(w, before);
    return 0;
}

/* A function that is a friend where it is defined stands around the class. */
uint32_t
cxx_friend(struct visitor *w, TSNode node)
{
    TSNode function = visit_first(node);
    bool is_hidden = cxx_of(w)->is_hidden;
    uint32_t around = w->x.scope;

    if (visit_kind(w, function) != K_FUNCTION)
        return 0;
    while (w->x.facts->defs[around].kind == CODE_TYPE)
        around = w->x.facts->defs[around].parent;
    uint32_t before = visit_enter(w, around);
    cxx_of(w)->is_hidden = false;
    visit(w, function);
    cxx_of(w)->is_hidden = is_hidden;
    visit_leave(w, before);
    return 0;
}
