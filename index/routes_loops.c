/*
 * What a loop gives is found from the name: it is bound to an element of what
 * the loop goes through, to a part of one, or is the parameter of a lambda that
 * `forEach` is given.
 */
#include "index/routes_turns.h"

enum { FOLLOW_MAX = 8, LOOPS_MAX = 2, SEEN_MAX = 128 };
/* A loop: what it goes through, and the lambda it calls or 0. */
struct loop {
    struct at over;
    struct at lambda;
};

/* How far out |scope| is from |inner|, from 1; 0: it is not around it. */
static uint32_t
distance(const struct facts *facts, uint32_t inner, uint32_t scope)
{
    uint32_t steps = 1;

    for (; inner != scope && inner; steps++)
        inner = facts->defs[inner].parent;
    return inner == scope ? steps : 0;
}

/* The row that a name is of: the last before it, in the innermost scope that
 * has one. */
static struct at
bind_of(struct parts *p, struct at name)
{
    const struct facts *facts = part_facts(p, name.file);
    const struct fact_expr *e = part_expr(p, name);
    struct at found = {name.file, 0};
    uint32_t least = UINT32_MAX;

    if (p->loop_rows > TURN_ROWS_MAX)
        return found;
    p->loop_rows += facts->bind_len;
    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        if (bind->name != e->text || bind->line > e->line ||
            (bind->kind != BIND_LOCAL && bind->kind != BIND_PARAM))
            continue;
        uint32_t far = distance(facts, e->scope, bind->scope);
        if (far && far <= least) {
            least = far;
            found.id = i;
        }
    }
    return found;
}

/* The lambda |def| is called with each of a list. */
static bool
loop_of_lambda(struct parts *p, struct at def, struct loop *out)
{
    struct at call = part_lambda_call(p, def);
    str word = call.id ? part_word(p, part_callee(p, call)) : STR("");

    if (!str_eq(word, STR("forEach")) && !str_eq(word, STR("map")) &&
        !str_eq(word, STR("each")))
        return false;
    *out = (struct loop){part_receiver(p, call), def};
    return out->over.id != 0;
}

/* ---- which loop something comes from ---- */

static bool loop_of_value(struct parts *p, struct at value, unsigned depth,
                          struct loop *out);

static bool
loop_of_name(struct parts *p, struct at name, unsigned depth, struct loop *out)
{
    struct at at = bind_of(p, name);
    const struct fact_bind *bind = &part_facts(p, at.file)->binds[at.id];
    struct at scope = {at.file, bind->scope};

    if (!at.id)
        return false;
    if (bind->kind == BIND_PARAM)
        return bind->index == 0 && loop_of_lambda(p, scope, out);
    return loop_of_value(p, (struct at){at.file, bind->value}, depth, out);
}

/* The parameter that a pattern takes apart is told by its place. */
static bool
is_first_param(const struct parts *p, struct at value)
{
    return part_kind(p, value) == EXPR_OTHER &&
           str_eq(part_word(p, value), STR("0"));
}

static bool
loop_of_value(struct parts *p, struct at value, unsigned depth,
              struct loop *out)
{
    const struct fact_expr *e = part_expr(p, value);
    struct at inner = {value.file, e->a};

    if (!value.id || depth == FOLLOW_MAX)
        return false;
    switch ((enum expr_kind)e->kind) {
    case EXPR_NAME:
        return loop_of_name(p, value, depth + 1, out);
    case EXPR_ELEM:
        *out = (struct loop){inner, {value.file, 0}};
        return inner.id != 0;
    case EXPR_OTHER:
        return is_first_param(p, value) &&
               loop_of_lambda(p, (struct at){value.file, e->scope}, out);
    case EXPR_MEMBER:
    case EXPR_INDEX:
    case EXPR_CAST:
    case EXPR_AWAIT:
    case EXPR_SPREAD:
        return loop_of_value(p, inner, depth + 1, out);
    default:
        return false;
    }
}

/* ---- what it gives ---- */

static const struct part_turn *
turn_of_loop(const struct parts *p, const struct loop *loop)
{
    const struct part_turn *turn = p->turn;

    while (turn && (turn->over.file != loop->over.file ||
                    turn->over.id != loop->over.id ||
                    turn->lambda.id != loop->lambda.id))
        turn = turn->outer;
    return turn;
}

static struct at
field_of(struct parts *p, struct at item, str name)
{
    struct at object;
    struct at field = {item.file, 0};

    if (!item.id)
        return field;
    if (part_kind(p, item) == EXPR_NEW) {
        field = part_field(p, item, name);
        if (!field.id && part_facts(p, item.file)->lang == LANG_GO)
            field = composite_field(p, item, name);
        return field;
    }
    if (!part_literal(p, item, &object))
        return turn_of_module(p, item, name);
    if (part_kind(p, object) == EXPR_OBJECT)
        field = part_field(p, object, name);
    return field;
}

/* `t[0]`; of a pair of a map its key, which is the pair, and its value. */
static struct at
place_of(struct parts *p, struct at item, uint32_t place)
{
    struct at list;

    if (item.id && part_kind(p, item) == EXPR_PAIR) {
        if (place == 1)
            item.id = part_expr(p, item)->a;
        return place < 2 ? item : (struct at){item.file, 0};
    }
    if (!item.id || !part_literal(p, item, &list) ||
        part_kind(p, list) != EXPR_ARRAY)
        return (struct at){item.file, 0};
    return part_list(p, list, place);
}

static struct at taken(struct parts *p, struct at expr, unsigned depth);

static struct at
taken_by_name(struct parts *p, struct at name, unsigned depth)
{
    struct at none = {name.file, 0};
    struct at at = bind_of(p, name);
    const struct fact_bind *bind = &part_facts(p, at.file)->binds[at.id];
    struct loop loop;

    if (!at.id)
        return none;
    if (bind->kind == BIND_PARAM) {
        const struct part_turn *turn = NULL;
        if (loop_of_name(p, name, 0, &loop))
            turn = turn_of_loop(p, &loop);
        return turn ? turn->item : none;
    }
    struct at item = taken(p, (struct at){at.file, bind->value}, depth);
    return bind->flags & BIND_MULTI ? place_of(p, item, bind->index) : item;
}

/* `all[key]`, where a loop gives the key of what stands in the code. */
static struct at
taken_by_key(struct parts *p, struct at object, struct at key, unsigned depth)
{
    struct at list;
    struct at item = taken(p, key, depth);
    struct at none = {object.file, 0};
    str word = item.id ? part_word(p, item) : STR("");

    if (!item.id || !part_literal(p, object, &list) ||
        (!part_key(p, item, &word) && part_kind(p, item) != EXPR_STRING))
        return none;
    return part_field(p, list, word);
}

static struct at
taken_by_index(struct parts *p, struct at expr, unsigned depth)
{
    struct at object = {expr.file, part_expr(p, expr)->a};
    struct at key = part_list(p, expr, 0);

    if (!key.id || part_expr(p, expr)->list_len != 1)
        return key.id ? (struct at){expr.file, 0} : key;
    str word = part_word(p, key);
    if (part_kind(p, key) == EXPR_NAME)
        return taken_by_key(p, object, key, depth);
    if (part_kind(p, key) == EXPR_STRING)
        return field_of(p, taken(p, object, depth), word);
    if (part_kind(p, key) != EXPR_NUMBER || word.len != 1)
        return (struct at){expr.file, 0};
    return place_of(p, taken(p, object, depth), (uint32_t)(word.ptr[0] - '0'));
}

/* Of a map Go's second name is the value. */
static struct at
taken_element(struct parts *p, struct at elem)
{
    const struct fact_expr *e = part_expr(p, elem);
    struct loop loop = {{elem.file, e->a}, {elem.file, 0}};
    const struct part_turn *turn = turn_of_loop(p, &loop);
    struct at item = turn ? turn->item : (struct at){elem.file, 0};

    if (item.id && part_kind(p, item) == EXPR_PAIR && !e->text &&
        part_facts(p, elem.file)->lang == LANG_GO)
        item.id = part_expr(p, item)->a;
    else if (item.id && e->text && part_kind(p, item) != EXPR_PAIR)
        item.id = 0; /* its place in a list */
    return item;
}

static struct at
taken(struct parts *p, struct at expr, unsigned depth)
{
    const struct fact_expr *e = part_expr(p, expr);
    struct at none = {expr.file, 0};
    struct at inner = {expr.file, e->a};
    struct loop loop;

    if (!expr.id || depth == FOLLOW_MAX)
        return none;
    switch ((enum expr_kind)e->kind) {
    case EXPR_NAME:
        return taken_by_name(p, expr, depth + 1);
    case EXPR_ELEM:
        return taken_element(p, expr);
    case EXPR_OTHER:
        if (loop_of_value(p, expr, 0, &loop)) {
            const struct part_turn *turn = turn_of_loop(p, &loop);
            return turn ? turn->item : none;
        }
        return none;
    case EXPR_MEMBER:
        return field_of(p, taken(p, inner, depth + 1), part_word(p, expr));
    case EXPR_INDEX:
        return taken_by_index(p, expr, depth + 1);
    case EXPR_CAST:
    case EXPR_AWAIT:
    case EXPR_SPREAD:
        return taken(p, inner, depth + 1);
    default:
        return none;
    }
}

struct at
turn_taken(struct parts *p, struct at expr)
{
    return taken(p, expr, 0);
}

bool
turn_is_looped(struct parts *p, struct at expr)
{
    struct loop loop;

    return loop_of_value(p, expr, 0, &loop);
}

/* ---- the loops of a call ---- */

/* `Object.entries(o)`, `d.items()`: the map; |values|: of its values. */
static struct at
map_of(struct parts *p, struct at over, bool *values)
{
    struct at callee = part_callee(p, over);
    struct at receiver = part_receiver(p, over);
    str word = part_word(p, callee);
    bool is_python = part_facts(p, over.file)->lang == LANG_PYTHON;

    *values = str_eq(word, STR("values"));
    if (!receiver.id)
        return receiver;
    if (is_python &&
        (*values || str_eq(word, STR("items")) || str_eq(word, STR("keys"))))
        return receiver;
    if (str_eq(part_word(p, receiver), STR("Object")) &&
        (*values || str_eq(word, STR("entries")) || str_eq(word, STR("keys"))))
        return part_arg(p, over, 0);
    return (struct at){over.file, 0};
}

static bool
literal_of(struct parts *p, struct at over, struct at *list, bool *values)
{
    *values = false;
    if (part_kind(p, over) == EXPR_CALL) {
        struct at map = map_of(p, over, values);
        if (map.id)
            over = map;
    }
    if (part_literal(p, over, list))
        return true;
    *list = over;
    return composite_is(p, list);
}

struct search {
    struct parts *p;
    struct loop found;
    bool is_open;  /* one was found that cannot be gone through */
    unsigned left; /* expressions that may still be looked at */
};

/* A loop that |expr| takes something from and that is in no turn yet. */
static bool
find_loop(struct search *s, struct at expr, unsigned depth)
{
    struct parts *p = s->p;
    struct at list;
    bool values;

    if (!expr.id || depth == FOLLOW_MAX || s->left == 0)
        return false;
    s->left--;
    const struct fact_expr *e = part_expr(p, expr);
    if (e->kind == EXPR_LAMBDA)
        return false;
    if (e->kind == EXPR_NAME) {
        bool is_new =
            loop_of_name(p, expr, 0, &s->found) && !turn_of_loop(p, &s->found);
        if (is_new && !turn_takes_all(p, s->found.over))
            s->is_open = true;
        else if (is_new && (literal_of(p, s->found.over, &list, &values) ||
                            find_loop(s, s->found.over, depth + 1)))
            return true; /* also the loop around of `for r in m.routes` */
        struct at row = bind_of(p, expr);
        const struct fact_bind *bind = &part_facts(p, row.file)->binds[row.id];
        struct at bound = {row.file, row.id ? bind->value : 0};
        return bound.id && part_kind(p, bound) == EXPR_CONCAT &&
               find_loop(s, bound, depth + 1);
    }
    bool has = find_loop(s, (struct at){expr.file, e->a}, depth + 1);
    for (uint32_t i = 0; i < e->list_len && !has; i++)
        has = find_loop(s, part_list(p, expr, i), depth + 1);
    return has;
}

struct each {
    struct parts *p;
    struct at call;
    turn_fn *fn;
    void *ctx;
    unsigned left; /* turns that may still be taken */
    bool is_cut;   /* there were more */
    bool has_more; /* of a list, than the facts hold */
};

static void each_loop(struct each *each, unsigned depth);

static void
call_once(const struct each *each, bool is_open)
{
    struct part_turn turn;

    if (is_open)
        turn_open(each->p, &turn);
    each->fn(each->ctx);
    if (is_open)
        turn_end(each->p, &turn);
}

static void
each_item(struct each *each, struct part_turn *turn, struct at list,
          bool values, unsigned depth)
{
    struct parts *p = each->p;

    each->has_more |= turn_is_long(p, list);
    for (uint32_t i = 0; i < part_expr(p, list)->list_len && !each->is_cut;
         i++) {
        struct at item = part_list(p, list, i);
        struct at more;
        if (part_kind(p, item) == EXPR_SPREAD && depth < FOLLOW_MAX &&
            part_literal(p, item, &more)) {
            each_item(each, turn, more, values, depth + 1);
            continue;
        }
        if (!turn_may(p, &each->left)) {
            each->is_cut = true;
            return;
        }
        if (values && part_kind(p, item) == EXPR_PAIR)
            item.id = part_expr(p, item)->a;
        turn->item = item;
        each_loop(each, depth + 1);
    }
}

static void
each_loop(struct each *each, unsigned depth)
{
    struct parts *p = each->p;
    struct search search = {.p = p, .left = SEEN_MAX};
    struct at list;
    bool values;

    if (depth > LOOPS_MAX || !find_loop(&search, each->call, 0) ||
        !literal_of(p, search.found.over, &list, &values)) {
        call_once(each, search.is_open);
        return;
    }
    struct part_turn turn;
    turn_begin(p, &turn, search.found.lambda, (struct at){list.file, 0});
    turn.over = search.found.over;
    each_item(each, &turn, list, values, depth);
    turn_end(p, &turn);
}

void
turn_each(struct parts *p, struct at call, turn_fn *fn, void *ctx)
{
    struct each each = {p, call, fn, ctx, TURNS_OF_CALL, false, false};

    each_loop(&each, 0);
    if (each.is_cut || each.has_more)
        call_once(&each, true);
}
