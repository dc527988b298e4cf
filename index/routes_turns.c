/*
 * Loops over lists that stand in the code.
 */
#include "index/routes_turns.h"

#include "index/routes_block.h"
#include "index/routes_called.h"
#include "index/visit.h"

bool
turn_list(struct parts *p, struct at call, struct at *lambda, struct at *list)
{
    struct at last = part_last(p, call);
    struct at receiver = part_receiver(p, call);

    if (!block_is(p, call, "each") || !receiver.id ||
        part_kind(p, last) != EXPR_LAMBDA)
        return false;
    *lambda = (struct at){call.file, part_expr(p, last)->a};
    return part_param(p, *lambda, 0).id && !part_param(p, *lambda, 1).id &&
           part_literal(p, receiver, list) && part_kind(p, *list) == EXPR_ARRAY;
}

static uint32_t
put_len(const struct parts *p)
{
    return p->entry_len + p->mount_len;
}

void
turn_begin(struct parts *p, struct part_turn *turn, struct at lambda,
           struct at item)
{
    *turn = (struct part_turn){
        .outer = p->turn, .lambda = lambda, .item = item, .had = put_len(p)};
    p->turn = turn;
}

void
turn_call(struct parts *p, struct part_turn *turn, struct at def,
          struct at call)
{
    turn_begin(p, turn, def, (struct at){call.file, 0});
    turn->call = call;
}

void
turn_open(struct parts *p, struct part_turn *turn)
{
    struct at none = {0, 0};

    turn_begin(p, turn, none, none);
    turn->is_open = true;
}

void
turn_end(struct parts *p, const struct part_turn *turn)
{
    uint32_t put = put_len(p) - turn->had;

    p->turn = turn->outer;
    if (turn->outer || turn->call.id)
        return; /* counts with the one around */
    p->file_looped += put;
    p->looped += put;
}

bool
turn_may(struct parts *p, unsigned *left)
{
    if (*left == 0 || p->turns >= TURNS_OF_FILE ||
        p->file_looped >= LOOPED_OF_FILE || p->looped >= LOOPED_OF_ALL)
        return false;
    p->turns++;
    --*left;
    return true;
}

bool
turn_is_long(const struct parts *p, struct at list)
{
    return part_expr(p, list)->list_len >= VISIT_LIST_MAX;
}

/* Ruby's `|x|`. */
static struct at
of_block(struct parts *p, struct at name)
{
    for (const struct part_turn *turn = p->turn; turn; turn = turn->outer) {
        struct at bind = part_param(p, turn->lambda, 0);
        if (turn->lambda.id && !turn->over.id && !turn->call.id &&
            turn->lambda.file == name.file &&
            str_eq(part_str(p, bind.file,
                            part_facts(p, bind.file)->binds[bind.id].name),
                   part_word(p, name)))
            return turn->item;
    }
    return (struct at){name.file, 0};
}

static bool
is_within(const struct facts *facts, uint32_t scope, uint32_t def)
{
    while (scope && scope != def)
        scope = facts->defs[scope].parent;
    return scope == def;
}

/* What the call of |turn| gives the parameter |index|, by its place or its
 * name; of a list of handlers that takes all that are left, the last. */
static struct at
argument(struct parts *p, const struct part_turn *turn, uint32_t index,
         str name)
{
    struct at call = turn->call;
    uint8_t lang = part_facts(p, call.file)->lang;
    bool is_named = lang == LANG_PYTHON || lang == LANG_PHP;

    if (lang == LANG_PHP && name.len > 0 && name.ptr[0] == '$')
        name = str_cut(name, 1, name.len);
    for (uint32_t i = 0; is_named && i < part_expr(p, call)->list_len; i++) {
        struct at pair = part_list(p, call, i);
        if (part_kind(p, pair) == EXPR_PAIR && str_eq(part_word(p, pair), name))
            return (struct at){pair.file, part_expr(p, pair)->a};
    }
    if (part_args(p, call) > index + 1 &&
        !part_param(p, turn->lambda, index + 1).id)
        return part_last(p, call);
    return part_arg(p, call, index);
}

struct at
turn_given(struct parts *p, const struct part_turn *turn, uint32_t index)
{
    struct at bind = part_param(p, turn->lambda, index);
    const struct fact_bind *row = &part_facts(p, bind.file)->binds[bind.id];

    if (!bind.id)
        return bind;
    struct at out = argument(p, turn, index, part_str(p, bind.file, row->name));
    return out.id ? out : (struct at){bind.file, row->value};
}

/* What the call that is gone into gives the parameter |name|. */
static bool
given_by(struct parts *p, const struct part_turn *turn, struct at name,
         struct at *out)
{
    enum { PARAMS_MAX = 16 };
    const struct facts *facts = part_facts(p, name.file);

    if (turn->lambda.file != name.file ||
        !is_within(facts, part_expr(p, name)->scope, turn->lambda.id))
        return false;
    for (uint32_t k = 0; k < PARAMS_MAX; k++) {
        struct at bind = part_param(p, turn->lambda, k);
        if (!bind.id)
            return false;
        if (facts->binds[bind.id].name != part_expr(p, name)->text)
            continue;
        *out = turn_given(p, turn, k);
        return true;
    }
    return false;
}

/* Go's T{path: "/x"} and T{"/x"}. */
static struct at
field_of_new(struct parts *p, struct at made, str name)
{
    struct at field = part_field(p, made, name);

    if (!field.id && part_facts(p, made.file)->lang == LANG_GO)
        field = composite_field(p, made, name);
    return field;
}

/* A parameter of a call that is gone into, or a field of one. */
static bool
of_call(struct parts *p, struct at expr, struct at *out)
{
    bool is_member = part_kind(p, expr) == EXPR_MEMBER;
    struct at name = expr;
    struct at object;

    if (is_member)
        name.id = part_expr(p, expr)->a;
    if (!name.id || part_kind(p, name) != EXPR_NAME)
        return false;
    for (const struct part_turn *turn = p->turn; turn; turn = turn->outer) {
        if (!turn->call.id || !given_by(p, turn, name, out))
            continue;
        if (!is_member || !out->id)
            return true;
        object = part_bare(p, *out);
        if (part_kind(p, object) == EXPR_NEW) {
            *out = field_of_new(p, object, part_word(p, expr));
            return true;
        }
        if (!part_literal(p, *out, &object) ||
            part_kind(p, object) != EXPR_OBJECT)
            return false;
        *out = part_field(p, object, part_word(p, expr));
        return true;
    }
    return false;
}

struct at
turn_of(struct parts *p, struct at expr)
{
    struct at item = {expr.file, 0};

    if (!p->turn || !expr.id || of_call(p, expr, &item))
        return p->turn && expr.id ? item : expr;
    if (part_kind(p, expr) == EXPR_NAME)
        item = of_block(p, expr);
    if (!item.id)
        item = turn_taken(p, expr);
    bool is_field = part_kind(p, expr) == EXPR_MEMBER;
    if (!item.id && (p->turn->is_open || is_field) && turn_is_looped(p, expr))
        return item;
    return item.id ? item : expr;
}

bool
turn_in_file(struct parts *p, uint32_t file)
{
    return called_in(p, file)->has_loops;
}
