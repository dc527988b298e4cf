/*
 * What Go's statements bind.  The values are written before the names, so an
 * `err := err.Unwrap()` is about the outer one.
 */
#include "index/lang_go.h"

bool
go_is_blank(const struct go *go, TSNode name)
{
    return str_eq(extract_text(go->x, name), STR("_"));
}

uint32_t
go_collect(TSNode list, TSNode *nodes, uint32_t cap)
{
    struct extract_children it = extract_children(list);
    uint32_t len = 0;

    while (extract_next(&it))
        if (len < cap)
            nodes[len++] = it.node;
    return len;
}

static void
bind_one(struct go *go, TSNode name, struct go_bind how, uint32_t value,
         uint32_t index)
{
    struct fact_bind bind = {
        .kind = how.kind,
        .flags = how.flags,
        .scope = go->x->scope,
        .type = how.type,
        .value = value,
        .index = index,
        .line = extract_line(name),
    };

    if (go_is_blank(go, name))
        return;
    if (how.kind == BIND_ASSIGN)
        bind.target = go_value(go, name);
    else
        bind.name = extract_str(go->x, name);
    if (how.until && value && !(how.flags & BIND_MULTI)) {
        bind.flags |= BIND_HOLDS;
        bind.index = how.until;
    }
    facts_bind(go->x->facts, &bind);
}

/* The name by which a function literal is known that is bound to |left|. */
static str_id
hint_of(struct go *go, TSNode left)
{
    if (go_kind(go, left) == GO_SELECTOR)
        left = go_field(go, left, GO_F_FIELD);
    return go_kind(go, left) == GO_IDENT || go_kind(go, left) == GO_LEAF
               ? extract_str(go->x, left)
               : 0;
}

static uint32_t
bound_value(struct go *go, TSNode left, TSNode right)
{
    uint32_t value;

    if (go_kind(go, right) == GO_FUNC_LITERAL)
        go->hint = hint_of(go, left);
    value = go_value(go, right);
    go->hint = 0;
    return value;
}

/* One value of several parts: a call's results, or one and whether it is
 * there (`v, ok := m[k]`). */
static void
bind_parts(struct go *go, const TSNode *left, uint32_t left_len, TSNode right,
           struct go_bind how)
{
    uint32_t value = go_value(go, right);
    bool is_call = go->x->facts->exprs[value].kind == EXPR_CALL;

    how.flags |= is_call ? BIND_MULTI : 0;
    for (uint32_t i = 0; i < left_len; i++)
        bind_one(go, left[i], how, is_call || i == 0 ? value : 0, i);
}

void
go_bind_all(struct go *go, const TSNode *left, uint32_t left_len, TSNode right,
            struct go_bind how)
{
    TSNode values[GO_BIND_MAX];
    uint32_t ids[GO_BIND_MAX] = {0};
    bool is_list = go_kind(go, right) == GO_EXPRESSIONS;
    uint32_t len = is_list ? go_collect(right, values, GO_BIND_MAX) : 1;

    if (!is_list)
        values[0] = right;
    if (ts_node_is_null(right))
        len = 0;
    if (len == 1 && left_len > 1) {
        bind_parts(go, left, left_len, values[0], how);
        return;
    }
    for (uint32_t i = 0; i < len; i++)
        if (i < left_len)
            ids[i] = bound_value(go, left[i], values[i]);
        else
            go_visit(go, values[i]);
    for (uint32_t i = 0; i < left_len; i++)
        bind_one(go, left[i], how, ids[i], 0);
}

uint32_t
go_short_var(struct go *go, TSNode node)
{
    TSNode left[GO_BIND_MAX];
    uint32_t len = go_collect(go_field(go, node, GO_F_LEFT), left, GO_BIND_MAX);

    go_bind_all(go, left, len, go_field(go, node, GO_F_RIGHT),
                (struct go_bind){.kind = BIND_LOCAL});
    return 0;
}

/* It has run for what stands behind it in its block. */
static struct go_bind
assigned(TSNode node)
{
    return (struct go_bind){
        .kind = BIND_ASSIGN,
        .until = ts_node_end_point(ts_node_parent(node)).row + 1,
    };
}

/* `path += "/x"` binds what `path = path + "/x"` does. */
static void
assign_sum(struct go *go, TSNode node, TSNode left)
{
    struct extract *x = go->x;
    uint32_t parts[2];

    parts[0] = go_value(go, left);
    parts[1] =
        go_value(go, ts_node_named_child(go_field(go, node, GO_F_RIGHT), 0));
    uint32_t sum = go_add(go, node,
                          (struct fact_expr){
                              .kind = EXPR_CONCAT,
                              .list_at = facts_list(x->facts, parts, 2),
                              .list_len = 2,
                          });
    bind_one(go, left, assigned(node), sum, 0);
}

uint32_t
go_assign(struct go *go, TSNode node)
{
    TSNode left[GO_BIND_MAX];
    str op = extract_text(go->x, go_field(go, node, GO_F_OPERATOR));
    uint32_t len = go_collect(go_field(go, node, GO_F_LEFT), left, GO_BIND_MAX);

    if (str_eq(op, STR("=")))
        go_bind_all(go, left, len, go_field(go, node, GO_F_RIGHT),
                    assigned(node));
    else if (str_eq(op, STR("+=")) && go_kind(go, left[0]) == GO_IDENT)
        assign_sum(go, node, left[0]);
    else
        go_visit_children(go, node);
    return 0;
}

/* Whether names are declared: `:=`, an unnamed child between the two. */
static bool
is_declaring(const struct go *go, TSNode node)
{
    uint32_t count = ts_node_child_count(node);

    for (uint32_t i = 0; i < count && i < 4; i++)
        if (str_eq(extract_text(go->x, ts_node_child(node, i)), STR(":=")))
            return true;
    return false;
}

uint32_t
go_range(struct go *go, TSNode node)
{
    struct extract *x = go->x;
    TSNode left[2];
    TSNode right = go_field(go, node, GO_F_RIGHT);
    uint32_t len = go_collect(go_field(go, node, GO_F_LEFT), left, 2);
    uint32_t of = go_value(go, right);
    struct go_bind how = {.kind = is_declaring(go, node) ? BIND_LOCAL
                                                         : BIND_ASSIGN};

    for (uint32_t i = 0; i < len; i++) {
        struct fact_expr elem = {.kind = EXPR_ELEM, .a = of};
        if (go_is_blank(go, left[i]))
            continue;
        if (i == 0)
            elem.text = facts_str(x->facts, STR("key"));
        bind_one(go, left[i], how, go_add(go, right, elem), 0);
    }
    return 0;
}

uint32_t
go_receive(struct go *go, TSNode node)
{
    TSNode left[GO_BIND_MAX];
    TSNode right = go_field(go, node, GO_F_RIGHT);
    uint32_t len = go_collect(go_field(go, node, GO_F_LEFT), left, GO_BIND_MAX);

    if (len == 0)
        go_visit(go, right);
    else
        go_bind_all(go, left, len, right,
                    (struct go_bind){.kind = is_declaring(go, node)
                                                 ? BIND_LOCAL
                                                 : BIND_ASSIGN});
    return 0;
}

/* In a clause of one type the name has that type; in others, the value's. */
static void
bind_case(struct go *go, TSNode clause, TSNode name, uint32_t value)
{
    struct extract *x = go->x;
    struct extract_children it = extract_children(clause);
    uint32_t types = 0;
    struct fact_bind bind = {
        .kind = BIND_LOCAL,
        .flags = BIND_TYPE_SWITCH,
        .scope = x->scope,
        .name = extract_str(x, name),
        .index = ts_node_end_point(clause).row + 1,
        .line = extract_line(clause),
    };

    while (extract_next(&it)) {
        if (!extract_is_field(x, &it, GO_F_TYPE))
            continue;
        if (types++ == 0)
            bind.type = go_value(go, it.node);
    }
    if (types != 1)
        bind.type = 0;
    if (!bind.type)
        bind.value = value;
    facts_bind(x->facts, &bind);
}

uint32_t
go_type_switch(struct go *go, TSNode node)
{
    struct extract_children it = extract_children(node);
    TSNode alias = {.id = NULL};
    uint32_t value = 0;

    while (extract_next(&it)) {
        uint16_t kind = go_kind(go, it.node);

        if (extract_is_field(go->x, &it, GO_F_ALIAS)) {
            alias = ts_node_named_child(it.node, 0);
        } else if (extract_is_field(go->x, &it, GO_F_VALUE)) {
            value = go_value(go, it.node);
        } else {
            bool is_case = kind == GO_TYPE_CASE || kind == GO_DEFAULT_CASE;
            if (is_case && !ts_node_is_null(alias))
                bind_case(go, it.node, alias, value);
            go_visit(go, it.node);
        }
    }
    return 0;
}

static bool
is_worth_returning(const struct facts *facts, uint32_t value)
{
    switch (facts->exprs[value].kind) {
    case EXPR_OTHER:
    case EXPR_STRING:
    case EXPR_NUMBER:
    case EXPR_CONCAT:
        return false;
    default:
        return true;
    }
}

uint32_t
go_return(struct go *go, TSNode node)
{
    struct extract *x = go->x;
    struct extract_children it = extract_children(ts_node_named_child(node, 0));

    for (uint32_t i = 0; extract_next(&it); i++) {
        uint32_t value = go_value(go, it.node);
        if (!is_worth_returning(x->facts, value))
            continue;
        facts_bind(x->facts, &(struct fact_bind){.kind = BIND_RETURN,
                                                 .scope = x->scope,
                                                 .value = value,
                                                 .index = i,
                                                 .line = extract_line(node)});
    }
    return 0;
}
