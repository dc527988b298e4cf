/*
 * Of several rows of one name a local use takes the last bind before it (an
 * expression's index grows with its place), and a use from further in the
 * first that means something: definitions, imports, binds.
 */
#include "index/resolve_impl.h"

/* `None`, `nil`: a bind that only says that there is nothing yet. */
static bool
is_nothing(const struct resolver *r, const struct row *row)
{
    const struct fact_bind *bind;
    const struct fact_expr *value;

    if (row->kind != ROW_BIND)
        return false;
    bind = bind_at(r, row->file, row->id);
    if (bind->type)
        return false;
    if (!bind->value)
        return bind->kind != BIND_PARAM;
    value = expr_at(r, row->file, bind->value);
    if (value->kind != EXPR_NAME)
        return false;
    str name = facts_text(r->sources[row->file].facts, value->text);
    return str_eq(name, STR("None")) || str_eq(name, STR("null")) ||
           str_eq(name, STR("nil")) || str_eq(name, STR("undefined"));
}

bool
scope_is_before(const struct resolver *r, const struct row *row, uint32_t file,
                uint32_t use)
{
    const struct fact_expr *expr = expr_at(r, file, use);

    if (row->file != file)
        return true;
    if (row->kind == ROW_BIND) {
        const struct fact_bind *bind = bind_at(r, file, row->id);
        if (bind->flags & BIND_TYPE_SWITCH)
            return row->line <= expr->line &&
                   (bind->index == 0 || expr->line <= bind->index);
        if (bind->value)
            return bind->value < use;
    }
    return row->line <= expr->line;
}

static bool
is_assign(const struct resolver *r, const struct row *row)
{
    return row->kind == ROW_BIND &&
           bind_at(r, row->file, row->id)->kind == BIND_ASSIGN;
}

/* In these a name can be declared once in a scope, and an assignment does not
 * change what it is. */
static bool
is_declared_once(uint8_t lang)
{
    return lang == LANG_PYTHON || lang == LANG_RUBY || lang == LANG_PHP;
}

/* The declared type, which holds for the whole scope; NULL where another
 * declaration may hide it. */
static const struct row *
find_typed(const struct resolver *r, struct rows rows)
{
    const struct row *typed = NULL;

    if (rows.len > RESOLVE_CANDIDATES_MAX)
        return NULL;
    for (uint32_t i = 0; i < rows.len; i++) {
        const struct row *row = &rows.at[i];
        if (row->kind != ROW_BIND)
            return NULL;
        const struct fact_bind *bind = bind_at(r, row->file, row->id);
        if (!bind->type) {
            if (!is_assign(r, row) && !is_declared_once(lang_at(r, row->file)))
                return NULL;
            continue;
        }
        if (typed || (bind->flags & BIND_TYPE_SWITCH))
            return NULL;
        typed = row;
    }
    return typed;
}

/* Rows are in the order of lines: how many are not behind |line|. */
static uint32_t
count_until(struct rows rows, uint32_t line)
{
    uint32_t lo = 0;
    uint32_t hi = rows.len;

    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (rows.at[middle].line <= line)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Whether what a branch assigns does not hold any more at |use|. */
static bool
is_over(const struct resolver *r, const struct row *row, uint32_t file,
        uint32_t use)
{
    const struct fact_bind *bind;

    if (row->kind != ROW_BIND || row->file != file)
        return false;
    bind = bind_at(r, file, row->id);
    return bind->flags & BIND_HOLDS &&
           expr_at(r, file, use)->line > bind->index;
}

static struct val
pick_before(struct resolver *r, struct rows rows, uint32_t file, uint32_t use,
            bool with_assigns)
{
    uint32_t until = count_until(rows, expr_at(r, file, use)->line);

    for (uint32_t i = until, tries = 0; i > 0 && tries < RESOLVE_CANDIDATES_MAX;
         i--, tries++) {
        const struct row *row = &rows.at[i - 1];
        if (scope_is_before(r, row, file, use) && !is_nothing(r, row) &&
            (with_assigns || !is_assign(r, row))) {
            struct val val = eval_row(r, row);
            val.is_choice |= val.kind == VAL_TEXT && is_over(r, row, file, use);
            return val;
        }
    }
    return (struct val){0};
}

/* A variable of which its declaration tells nothing. */
static bool
is_variable(const struct resolver *r, struct val val)
{
    return val.kind == VAL_DEF && def_at(r, val.file, val.id)->kind == CODE_VAR;
}

/* What a variable was assigned last, for sure; or NULL.  |*branch| is what it
 * may have been assigned since, in a branch that has ended. */
static const struct row *
last_assigned(const struct resolver *r, struct rows rows, uint32_t file,
              uint32_t use, const struct row **branch)
{
    const struct fact_expr *at = expr_at(r, file, use);
    uint32_t until = count_until(rows, at->line);

    *branch = NULL;
    for (uint32_t i = until, tries = 0; i > 0 && tries < RESOLVE_CANDIDATES_MAX;
         i--, tries++) {
        const struct row *row = &rows.at[i - 1];
        if (row->kind != ROW_BIND || !scope_is_before(r, row, file, use))
            continue;
        if (!is_assign(r, row))
            break;
        const struct fact_bind *bind = bind_at(r, row->file, row->id);
        if (is_over(r, row, file, use)) {
            *branch = *branch ? *branch : row;
            continue;
        }
        if (row->file == file && bind->flags & BIND_HOLDS &&
            bind->scope == at->scope)
            return row;
    }
    return NULL;
}

/* A variable keeps its type, but is made of what it was assigned last: the
 * group of `r = r.Group("/v1")`, and a text is another one. */
static struct val
with_assigned(struct resolver *r, struct rows rows, uint32_t file, uint32_t use,
              struct val val)
{
    const struct row *branch;
    const struct row *row = last_assigned(r, rows, file, use, &branch);
    struct val last = row ? eval_row(r, row) : val;

    if (val.kind == VAL_TEXT || is_variable(r, val)) {
        last.is_choice |= last.kind == VAL_TEXT && branch;
        return last;
    }
    return val_made_as(val, last);
}

bool
resolve_branch(struct resolver *r, struct at name, struct at *value)
{
    const struct fact_expr *at = expr_at(r, name.file, name.id);
    uint32_t scope = r->canon[gdef(r, name.file, at->scope)];
    struct rows rows = scope_rows(r, scope, sym_of(r, name.file, at->text));
    const struct row *branch;

    (void)last_assigned(r, rows, name.file, name.id, &branch);
    if (at->kind != EXPR_NAME || !branch)
        return false;
    *value = (struct at){name.file, bind_at(r, name.file, branch->id)->value};
    return true;
}

static struct val
pick_local(struct resolver *r, struct rows rows, uint32_t file, uint32_t use)
{
    uint8_t lang = lang_at(r, file);
    bool is_dynamic = is_declared_once(lang) || lang == LANG_JAVASCRIPT;
    const struct row *typed = find_typed(r, rows);
    struct val val = {0};

    if (typed)
        return with_assigned(r, rows, file, use, eval_row(r, typed));
    if (!is_dynamic)
        val = pick_before(r, rows, file, use, false);
    if (val.kind != VAL_NONE && val.kind != VAL_MADE)
        return with_assigned(r, rows, file, use, val);
    val = pick_before(r, rows, file, use, true);
    if (val.kind != VAL_NONE)
        return val;
    for (uint32_t i = 0; i < rows.len && i < RESOLVE_CANDIDATES_MAX; i++)
        if (!is_nothing(r, &rows.at[i]) &&
            !scope_is_before(r, &rows.at[i], file, use))
            return eval_row(r, &rows.at[i]);
    return val;
}

/* Definitions, imports, binds; a variable tells less than what it is bound
 * to. */
static int
rank_of(const struct resolver *r, const struct row *row)
{
    if (row->kind == ROW_IMPORT)
        return 1;
    if (row->kind == ROW_BIND)
        return is_assign(r, row) ? 3 : 2;
    uint8_t kind = def_at(r, row->file, row->id)->kind;
    return kind == CODE_VAR || kind == CODE_CONST || kind == CODE_FIELD ? 4 : 0;
}

/* Of texts that a name is set to one after the other, what is called later sees
 * the last, if the run comes by there. */
static struct val
last_text(struct resolver *r, struct rows rows, const struct row *first)
{
    struct val val = eval_row(r, first);

    for (uint32_t i = 0; i < rows.len && i < RESOLVE_CANDIDATES_MAX; i++) {
        const struct row *row = &rows.at[i];
        if (row == first || row->kind != ROW_BIND || is_nothing(r, row))
            continue;
        struct val more = eval_row(r, row);
        if (more.kind == VAL_TEXT)
            val = more;
        val.is_choice = true;
    }
    return val;
}

static struct val
pick_outer(struct resolver *r, struct rows rows)
{
    const struct row *typed = find_typed(r, rows);

    if (typed)
        return eval_row(r, typed);
    for (int rank = 0; rank < 5; rank++)
        for (uint32_t i = 0; i < rows.len && i < RESOLVE_CANDIDATES_MAX; i++) {
            const struct row *row = &rows.at[i];
            if (rank_of(r, row) != rank || is_nothing(r, row))
                continue;
            struct val val = eval_row(r, row);
            if (val.kind == VAL_TEXT)
                return last_text(r, rows, row);
            if (val.kind != VAL_NONE)
                return val;
        }
    return (struct val){0};
}

struct val
scope_pick(struct resolver *r, struct rows rows, uint32_t file, uint32_t use)
{
    if (rows.len == 1)
        return eval_row(r, rows.at);
    if (use)
        return pick_local(r, rows, file, use);
    return pick_outer(r, rows);
}
