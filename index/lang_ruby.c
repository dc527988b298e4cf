/*
 * Ruby: values and statements.  Definitions are in lang_ruby_def.c, calls in
 * lang_ruby_call.c.
 *
 * A body is what its last statement is, so that a method returns it.
 */
#include "index/lang_ruby.h"

static uint32_t
on_string(struct visitor *w, TSNode node)
{
    return visit_string(w, node, K_CONTENT, K_ESCAPE);
}

static uint32_t
on_symbol(struct visitor *w, TSNode node)
{
    str text = visit_text(w, node);
    bool is_quoted = ts_node_named_child_count(node) > 0;
    uint32_t id = is_quoted ? visit_string(w, node, K_CONTENT, K_ESCAPE)
                            : visit_leaf(w, EXPR_STRING,
                                         str_cut(text, 1, text.len), node);

    if (visit_expr_kind(w, id) == EXPR_STRING)
        w->x.facts->exprs[id].is_symbol = true;
    return id;
}

static uint32_t
on_hash_key(struct visitor *w, TSNode node)
{
    return visit_leaf(w, EXPR_STRING, visit_text(w, node), node);
}

static uint32_t
on_chained(struct visitor *w, TSNode node)
{
    return visit_collection(w, EXPR_CONCAT, node);
}

static uint32_t
on_regex(struct visitor *w, TSNode node)
{
    str text = visit_text(w, node);

    visit_children(w, node);
    if (text.len < 2 || text.ptr[0] != '/')
        return visit_leaf(w, EXPR_REGEX, text, node);
    while (text.len > 1 && text.ptr[text.len - 1] != '/')
        text.len--; /* its options */
    return visit_leaf(w, EXPR_REGEX, str_cut(text, 1, text.len - 1), node);
}

static uint32_t
on_integer(struct visitor *w, TSNode node)
{
    return visit_leaf(w, EXPR_NUMBER, visit_text(w, node), node);
}

static uint32_t
on_constant(struct visitor *w, TSNode node)
{
    return visit_leaf(w, EXPR_NAME, visit_text(w, node), node);
}

static uint32_t
on_field(struct visitor *w, TSNode node)
{
    uint32_t self = visit_wrap(w, EXPR_SELF, 0, node);

    return visit_member(w, self, visit_text(w, node), node);
}

static uint32_t
on_self(struct visitor *w, TSNode node)
{
    return visit_wrap(w, EXPR_SELF, 0, node);
}

static uint32_t
on_array(struct visitor *w, TSNode node)
{
    return visit_collection(w, EXPR_ARRAY, node);
}

static uint32_t
on_hash(struct visitor *w, TSNode node)
{
    return visit_collection(w, EXPR_OBJECT, node);
}

static uint32_t
on_pair(struct visitor *w, TSNode node)
{
    TSNode key = visit_field(w, node, F_KEY);
    TSNode given = visit_field(w, node, F_VALUE);
    uint32_t by = visit(w, key);
    uint32_t value =
        ts_node_is_null(given) ? ruby_identifier(w, key) : visit(w, given);

    return visit_pair_by(w, by, value, node);
}

static uint32_t
on_splat(struct visitor *w, TSNode node)
{
    return visit_wrap(w, EXPR_SPREAD, visit(w, visit_first(node)), node);
}

static uint32_t
on_body(struct visitor *w, TSNode node)
{
    return visit_children(w, node);
}

static void
index_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    if (field != w->x.fields[F_OBJECT])
        visit_list_add(w, ctx, visit(w, child));
}

static uint32_t
on_element(struct visitor *w, TSNode node)
{
    struct extract_list list = {0};
    uint32_t object = visit(w, visit_field(w, node, F_OBJECT));

    visit_each(w, node, index_one, &list);
    return visit_listed(w, EXPR_INDEX, object, &list, node);
}

static uint32_t
on_binary(struct visitor *w, TSNode node)
{
    uint32_t left = visit(w, visit_field(w, node, F_LEFT));
    uint32_t right = visit(w, visit_field(w, node, F_RIGHT));
    str op = visit_text(w, visit_field(w, node, F_OPERATOR));

    if (str_eq(op, STR("||")) || str_eq(op, STR("or")))
        return visit_two(w, EXPR_ALT, left, right, node);
    if (str_eq(op, STR("&&")) || str_eq(op, STR("and")))
        return right;
    return str_eq(op, STR("+")) ? visit_sum(w, left, right, node) : 0;
}

static uint32_t
either(struct visitor *w, uint32_t one, uint32_t two, TSNode node)
{
    return one && two ? visit_two(w, EXPR_ALT, one, two, node)
           : one      ? one
                      : two;
}

/* `if`, `elsif`, `unless`, `c ? a : b` */
static uint32_t
on_if(struct visitor *w, TSNode node)
{
    visit(w, visit_field(w, node, F_CONDITION));
    uint32_t one = visit(w, visit_field(w, node, F_CONSEQUENCE));
    uint32_t two = visit(w, visit_field(w, node, F_ALTERNATIVE));

    return either(w, one, two, node);
}

static uint32_t
on_if_modifier(struct visitor *w, TSNode node)
{
    visit(w, visit_field(w, node, F_CONDITION));
    return visit(w, visit_field(w, node, F_BODY));
}

static void
case_one(struct visitor *w, TSNode child, TSFieldId field, void *ctx)
{
    uint32_t id = visit(w, child);

    if (field != w->x.fields[F_VALUE] && id)
        visit_list_add(w, ctx, id);
}

static uint32_t
on_case(struct visitor *w, TSNode node)
{
    struct extract_list list = {0};

    visit_each(w, node, case_one, &list);
    return visit_listed(w, EXPR_ALT, 0, &list, node);
}

/* What patterns bind is not followed; names in them are no calls. */
static uint32_t
on_in_clause(struct visitor *w, TSNode node)
{
    return visit(w, visit_field(w, node, F_BODY));
}

static uint32_t
on_rescue_modifier(struct visitor *w, TSNode node)
{
    uint32_t body = visit(w, visit_field(w, node, F_BODY));

    return either(w, body, visit(w, visit_field(w, node, F_HANDLER)), node);
}

static uint32_t
on_alias(struct visitor *w, TSNode node)
{
    (void)w;
    (void)node;
    return 0;
}

static visit_fn *const handlers[K_END] = {
    [K_ALIAS] = on_alias,
    [K_ARRAY] = on_array,
    [K_ASSIGN] = ruby_assign,
    [K_BARE_STRING] = on_string,
    [K_BEGIN] = on_body,
    [K_BINARY] = on_binary,
    [K_BLOCK] = ruby_block,
    [K_BLOCK_ARG] = on_splat,
    [K_BODY] = on_body,
    [K_CALL] = ruby_call,
    [K_CASE] = on_case,
    [K_CHAINED] = on_chained,
    [K_CLASS] = ruby_class,
    [K_CLASS_VAR] = on_field,
    [K_CONDITIONAL] = on_if,
    [K_CONSTANT] = on_constant,
    [K_ELEMENT] = on_element,
    [K_FOR] = ruby_for,
    [K_GLOBAL] = on_constant,
    [K_HASH] = on_hash,
    [K_HASH_KEY] = on_hash_key,
    [K_IDENTIFIER] = ruby_identifier,
    [K_IF] = on_if,
    [K_IF_MODIFIER] = on_if_modifier,
    [K_IN_CLAUSE] = on_in_clause,
    [K_INSTANCE_VAR] = on_field,
    [K_INTEGER] = on_integer,
    [K_INTERPOLATION] = on_body,
    [K_LAMBDA] = ruby_lambda,
    [K_METHOD] = ruby_method,
    [K_MODULE] = ruby_module,
    [K_OP_ASSIGN] = ruby_update,
    [K_PAIR] = on_pair,
    [K_PARENS] = on_body,
    [K_REGEX] = on_regex,
    [K_RESCUE] = ruby_rescue,
    [K_RESCUE_MODIFIER] = on_rescue_modifier,
    [K_RETURN] = ruby_return,
    [K_RIGHT_LIST] = on_array,
    [K_SCOPE] = ruby_scope,
    [K_SELF] = on_self,
    [K_SINGLETON_CLASS] = ruby_singleton_class,
    [K_SINGLETON_METHOD] = ruby_singleton_method,
    [K_SPLAT] = on_splat,
    [K_STRING] = on_string,
    [K_SUPER] = ruby_super,
    [K_SYMBOL] = on_symbol,
    [K_THEN] = on_body,
    [K_WHEN] = on_body,
};

static const struct extract_name kinds[] = {
    {K_ALIAS, "alias"},
    {K_ALIAS, "undef"},
    {K_ARGUMENTS, "argument_list"},
    {K_ARRAY, "array"},
    {K_ARRAY, "string_array"},
    {K_ARRAY, "symbol_array"},
    {K_ASSIGN, "assignment"},
    {K_BARE_STRING, "bare_string"},
    {K_BEGIN, "begin"},
    {K_BINARY, "binary"},
    {K_BLOCK, "block"},
    {K_BLOCK, "do_block"},
    {K_BLOCK_ARG, "block_argument"},
    {K_BODY, "body_statement"},
    {K_BODY, "block_body"},
    {K_BODY, "else"},
    {K_CALL, "call"},
    {K_CASE, "case"},
    {K_CASE, "case_match"},
    {K_CHAINED, "chained_string"},
    {K_CLASS, "class"},
    {K_CLASS_VAR, "class_variable"},
    {K_CONDITIONAL, "conditional"},
    {K_CONSTANT, "constant"},
    {K_CONSTANT, "true"},
    {K_CONSTANT, "false"},
    {K_CONTENT, "string_content"},
    {K_DESTRUCTURED, "destructured_parameter"},
    {K_ELEMENT, "element_reference"},
    {K_ESCAPE, "escape_sequence"},
    {K_FOR, "for"},
    {K_GLOBAL, "global_variable"},
    {K_HASH, "hash"},
    {K_HASH_KEY, "hash_key_symbol"},
    {K_IDENTIFIER, "identifier"},
    {K_IF, "if"},
    {K_IF, "elsif"},
    {K_IF, "unless"},
    {K_IF_MODIFIER, "if_modifier"},
    {K_IF_MODIFIER, "unless_modifier"},
    {K_IN_CLAUSE, "in_clause"},
    {K_INSTANCE_VAR, "instance_variable"},
    {K_INTEGER, "integer"},
    {K_INTEGER, "float"},
    {K_INTERPOLATION, "interpolation"},
    {K_LAMBDA, "lambda"},
    {K_LEFT_LIST, "left_assignment_list"},
    {K_METHOD, "method"},
    {K_MODULE, "module"},
    {K_OP_ASSIGN, "operator_assignment"},
    {K_OPTIONAL, "optional_parameter"},
    {K_OPTIONAL, "keyword_parameter"},
    {K_PAIR, "pair"},
    {K_PARENS, "parenthesized_statements"},
    {K_REGEX, "regex"},
    {K_RESCUE, "rescue"},
    {K_RESCUE_MODIFIER, "rescue_modifier"},
    {K_RETURN, "return"},
    {K_RIGHT_LIST, "right_assignment_list"},
    {K_SCOPE, "scope_resolution"},
    {K_SELF, "self"},
    {K_SINGLETON_CLASS, "singleton_class"},
    {K_SINGLETON_METHOD, "singleton_method"},
    {K_SPLAT, "splat_argument"},
    {K_SPLAT, "hash_splat_argument"},
    {K_SPLAT_PARAM, "splat_parameter"},
    {K_SPLAT_PARAM, "hash_splat_parameter"},
    {K_SPLAT_PARAM, "block_parameter"},
    {K_STRING, "string"},
    {K_STRING, "heredoc_body"},
    {K_SUPER, "super"},
    {K_SYMBOL, "bare_symbol"},
    {K_SYMBOL, "simple_symbol"},
    {K_SYMBOL, "delimited_symbol"},
    {K_THEN, "then"},
    {K_WHEN, "when"},
};

static const struct extract_name fields[] = {
    {F_ALTERNATIVE, "alternative"},
    {F_ARGUMENTS, "arguments"},
    {F_BLOCK, "block"},
    {F_BODY, "body"},
    {F_CONDITION, "condition"},
    {F_CONSEQUENCE, "consequence"},
    {F_EXCEPTIONS, "exceptions"},
    {F_HANDLER, "handler"},
    {F_KEY, "key"},
    {F_LEFT, "left"},
    {F_METHOD, "method"},
    {F_NAME, "name"},
    {F_OBJECT, "object"},
    {F_OPERATOR, "operator"},
    {F_PARAMETERS, "parameters"},
    {F_PATTERN, "pattern"},
    {F_RECEIVER, "receiver"},
    {F_RIGHT, "right"},
    {F_SCOPE, "scope"},
    {F_SUPERCLASS, "superclass"},
    {F_VALUE, "value"},
    {F_VARIABLE, "variable"},
};

const struct lang_names lang_names_ruby = {
    .kinds = kinds,
    .fields = fields,
    .kind_len = sizeof(kinds) / sizeof(kinds[0]),
    .field_len = sizeof(fields) / sizeof(fields[0]),
};

void
lang_extract_ruby(struct extract *x)
{
    struct ruby ruby = {.w = {.x = *x, .handlers = handlers, .len = K_END}};

    visit(&ruby.w, x->root);
}
