/*
 * `(require 'routes.php')($app)`, and `require 'routes.php'` whose statements
 * use the `$app` of who requires it.
 */
#include "index/routes_php_include.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/sorted.h"
#include "index/routes_block.h"
#include "index/routes_files.h"
#include "index/routes_nest.h"

struct php_include {
    uint32_t file;  /* that is required */
    struct at from; /* by which file; the definition it is required in */
};

/* The last text of `base_path('routes/x.php')`, `__DIR__.'/x.php'`. */
str
php_path_text(struct parts *p, struct at expr)
{
    for (unsigned i = 0; i < 4 && expr.id; i++) {
        expr = part_bare(p, expr);
        enum expr_kind kind = part_kind(p, expr);
        uint32_t len = part_expr(p, expr)->list_len;
        if (kind == EXPR_STRING)
            return part_word(p, expr);
        if ((kind != EXPR_CALL && kind != EXPR_CONCAT) || len == 0)
            break;
        expr = part_list(p, expr, len - 1);
    }
    return (str){NULL, 0};
}

/* The nearest file whose path ends so, `..` and what is before it off. */
bool
php_path_file(struct parts *p, str text, uint32_t from, uint32_t *out)
{
    const char *up;
    bool found = false;

    while (text.len > 0 && (up = memmem(text.ptr, text.len, "../", 3)))
        text = str_cut(text, (size_t)(up - text.ptr) + 3, text.len);
    while (text.len > 0 && (text.ptr[0] == '/' || text.ptr[0] == '.'))
        text = str_cut(text, 1, text.len);
    struct file_range range = {NULL, 0};
    if (str_ends(text, STR(".php")))
        range = files_ending(p, text);
    for (uint32_t i = 0; i < range.len; i++)
        if (!found || files_common(p, range.rows[i].file, from) >
                          files_common(p, *out, from)) {
            *out = range.rows[i].file;
            found = true;
        }
    return found && *out != from;
}

/* ---- who requires a file ---- */

static int
by_file(const void *a, const void *b)
{
    const struct php_include *x = a;
    const struct php_include *y = b;

    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->from.file > y->from.file) - (x->from.file < y->from.file);
}

static int
against_file(const void *key, const void *row)
{
    uint32_t file = *(const uint32_t *)key;
    const struct php_include *other = row;

    return (file > other->file) - (file < other->file);
}

static void
add_includes(struct parts *p, uint32_t from)
{
    const struct facts *facts = part_facts(p, from);
    uint32_t file;

    for (uint32_t i = 1; i < facts->import_len && !p->failed; i++) {
        const struct fact_import *import = &facts->imports[i];
        if (import->kind != IMPORT_INCLUDE ||
            !php_path_file(p, facts_text(facts, import->module), from, &file))
            continue;
        if (!grow_room(p->php_includes, p->php_include_len,
                       p->php_include_cap)) {
            p->failed = true;
            return;
        }
        p->php_includes[p->php_include_len++] =
            (struct php_include){file, {from, import->scope}};
    }
}

static void
make(struct parts *p)
{
    p->has_php_includes = true;
    for (uint32_t i = 0; i < p->len && !p->failed; i++)
        if (part_facts(p, i)->lang == LANG_PHP)
            add_includes(p, i);
    if (p->php_include_len > 0)
        qsort(p->php_includes, p->php_include_len, sizeof(*p->php_includes),
              by_file);
}

void
php_includes_fini(struct parts *p)
{
    free(p->php_includes);
    free(p->php_asked);
}

/* What |name| is in the definition |from|. */
static uint32_t
router_in(struct parts *p, struct at from, str name)
{
    const struct facts *facts = part_facts(p, from.file);

    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        if (bind->scope != from.id ||
            !str_eq(facts_text(facts, bind->name), name))
            continue;
        if (bind->kind == BIND_PARAM)
            return router_of_param(p, (struct at){from.file, i});
        if (bind->value)
            return router_of(p, (struct at){from.file, bind->value});
    }
    return 0;
}

static bool
is_bound(const struct parts *p, struct at name)
{
    const struct facts *facts = part_facts(p, name.file);
    str word = part_word(p, name);

    for (uint32_t i = 1; i < facts->bind_len; i++)
        if (facts->binds[i].scope == 0 &&
            str_eq(facts_text(facts, facts->binds[i].name), word))
            return true;
    return false;
}

/* What was asked of a name of a file: its calls ask the same again. */
struct php_asked {
    str word;
    uint32_t file; /* 1 + its index; 0: nothing was asked */
    uint32_t id;   /* 0: ask again */
    bool is_bound;
};

enum { ASKED_SLOTS = 64 };

/* The slot of |name|; one of another name is taken over. */
static struct php_asked *
asked(struct parts *p, struct at name)
{
    str word = part_word(p, name);
    uint32_t hash = name.file;

    if (!p->php_asked)
        p->php_asked = calloc(ASKED_SLOTS, sizeof(*p->php_asked));
    if (!p->php_asked) {
        p->failed = true;
        return NULL;
    }
    for (size_t i = 0; i < word.len; i++)
        hash = hash * 31 + (unsigned char)word.ptr[i];
    struct php_asked *slot = &p->php_asked[hash % ASKED_SLOTS];
    if (slot->file != name.file + 1 || !str_eq(slot->word, word))
        *slot = (struct php_asked){word, name.file + 1, 0, is_bound(p, name)};
    return slot;
}

uint32_t
php_given(struct parts *p, struct at name)
{
    if (!p->has_php_includes)
        make(p);
    if (p->php_include_len == 0)
        return 0;
    size_t i = sorted_first(&name.file, p->php_includes, p->php_include_len,
                            sizeof(*p->php_includes), against_file);
    if (i == p->php_include_len || p->php_includes[i].file != name.file)
        return 0;
    struct php_asked *slot = asked(p, name);
    if (!slot || slot->is_bound)
        return 0;
    if (slot->id && !p->turn) /* a turn has its own */
        return slot->id;
    uint32_t id = 0;
    for (;
         i < p->php_include_len && p->php_includes[i].file == name.file && !id;
         i++)
        id = router_in(p, p->php_includes[i].from, part_word(p, name));
    slot = p->turn ? NULL : asked(p, name);
    if (slot)
        slot->id = id;
    return id;
}

uint32_t
php_grouped(struct parts *p, struct at expr)
{
    struct at def = part_enclosing(p, expr);
    enum expr_kind kind = part_kind(p, expr);

    if ((kind != EXPR_SELF && kind != EXPR_NAME) || !def.id ||
        !(part_def(p, def)->flags & DEF_LAMBDA) || part_param(p, def, 0).id)
        return 0;
    struct at call = part_lambda_call(p, def);
    struct at on = part_receiver(p, call);
    if (!on.id || !block_is(p, call, "group") ||
        (kind == EXPR_NAME && !(part_kind(p, on) == EXPR_NAME &&
                                str_eq(part_word(p, on), part_word(p, expr)))))
        return 0;
    uint32_t parent = router_of(p, on);
    return parent && p->routers[parent].framework == FW_SLIM
               ? router_of(p, call)
               : 0;
}

/* Whether |path| is one to the framework: what is optional stands at its end,
 * and is not empty. */
static bool
is_slim(str path)
{
    unsigned braces = 0;
    size_t open = 0;
    size_t closed = 0;

    for (size_t i = 0; i < path.len; i++) {
        char c = path.ptr[i];
        bool is_plain = braces == 0;
        if (closed > 0 && c != ']')
            return false;
        braces += c == '{';
        braces -= c == '}' && braces > 0;
        if (is_plain && c == '[')
            open++;
        closed += is_plain && c == ']';
        if (is_plain && i > 0 && path.ptr[i - 1] == '[' &&
            (c == '[' || c == ']'))
            return false;
    }
    return open == closed;
}

bool
slim_optional(str path, unsigned n, struct buf *out)
{
    unsigned braces = 0;
    unsigned ends = 0;

    if (n > SLIM_ENDS_MAX + 1 || !is_slim(path))
        return false;
    for (size_t i = 0; i < path.len; i++) {
        char c = path.ptr[i];
        bool is_plain = braces == 0;
        braces += c == '{';
        braces -= c == '}' && braces > 0;
        if (is_plain && c == '[' && ends++ == SLIM_ENDS_MAX) {
            if (n > SLIM_ENDS_MAX)
                buf_add(out, path.ptr[i + 1] == '/' ? STR("/{rest:.*}")
                                                    : STR("{rest:.*}"));
            break;
        }
        if (is_plain && (c == '[' || c == ']'))
            continue;
        if (ends > n)
            break;
        buf_add_char(out, c);
    }
    return ends >= n;
}

/* ---- what a file returns, called ---- */

/* The function that the file which |expr| requires returns. */
static bool
returned(struct parts *p, struct at expr, struct at *lambda)
{
    uint32_t file;

    if (part_kind(p, expr) == EXPR_NAME)
        expr = part_bound(p, expr);
    if (part_kind(p, expr) != EXPR_CALL || !block_is(p, expr, "require") ||
        !php_path_file(p, php_path_text(p, expr), expr.file, &file))
        return false;
    const struct facts *facts = part_facts(p, file);
    for (uint32_t i = 1; i < facts->bind_len; i++) {
        const struct fact_bind *bind = &facts->binds[i];
        *lambda = (struct at){file, bind->value};
        if (bind->kind == BIND_RETURN && bind->scope == 0 && bind->value &&
            part_kind(p, *lambda) == EXPR_LAMBDA)
            return true;
    }
    return false;
}

void
php_nests(struct parts *p, uint32_t file)
{
    static const struct verb_path none = {0, false};
    const struct facts *facts = part_facts(p, file);
    struct at lambda;

    for (uint32_t i = 1; i < facts->expr_len && !p->failed; i++) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL || facts->exprs[i].list_len == 0)
            continue;
        struct at callee = part_bare(p, part_callee(p, call));
        enum expr_kind kind = part_kind(p, callee);
        if ((kind != EXPR_CALL && kind != EXPR_NAME) ||
            !returned(p, callee, &lambda))
            continue;
        struct verb_call v = {p, call, router_of(p, part_arg(p, call, 0)),
                              NULL};
        if (v.router)
            verb_give(&v, lambda, v.router, &none);
    }
}
