/*
 * ASP.NET: templates with tokens, and actions without a mark of their own.
 */
#include <string.h>
#include <strings.h>

#include "index/routes_marks.h"

void
marks_aspnet(struct parts *p, struct route_entry *entry, text_id path)
{
    str text = texts_get(&p->texts, path);

    entry->path = path;
    if (str_starts(text, STR("~/"))) {
        char copy[FACT_STR_MAX];
        size_t len = text.len - 1 < sizeof(copy) ? text.len - 1 : sizeof(copy);
        memcpy(copy, text.ptr + 1, len);
        entry->path = texts_add(&p->texts, (str){copy, len});
        entry->router = 0;
    } else if (str_starts(text, STR("/"))) {
        entry->router = 0;
    }
}

/* `[ActionName("make")]`, `[Area("Admin")]`: what it says, or empty. */
static str
said_by(const struct parts *p, struct at def, const char *name)
{
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, def, i)).id; i++)
        if (part_kind(p, mark) == EXPR_CALL &&
            str_eq(mark_word(p, part_callee(p, mark)), str_of(name)) &&
            part_kind(p, part_arg(p, mark, 0)) == EXPR_STRING)
            return part_word(p, part_arg(p, mark, 0));
    return (str){NULL, 0};
}

/* The area that any part of a class says. */
static str
area_of(struct parts *p, struct at type)
{
    str area = {NULL, 0};
    struct at part;

    for (uint32_t i = 0; !area.len && (part = marks_part(p, type, i)).id; i++)
        area = said_by(p, part, "Area");
    return area;
}

static void
add_token(struct parts *p, struct buf *out, struct at def, bool is_class)
{
    str name = part_str(p, def.file, part_def(p, def)->name);
    str said = is_class ? (str){NULL, 0} : said_by(p, def, "ActionName");

    if (said.len > 0) {
        buf_add(out, said);
        return;
    }

    if (is_class && str_ends(name, STR("Controller")) && name.len > 10)
        name.len -= 10;
    if (!is_class && str_ends(name, STR("Async")) && name.len > 5)
        name.len -= 5;
    buf_add(out, name);
}

/* Capitals are as good. */
static bool
is_token(str text, str token)
{
    return text.len >= token.len &&
           strncasecmp(text.ptr, token.ptr, token.len) == 0;
}

/* ASP.NET: `[area]/[controller]/[action]`. */
text_id
marks_tokens(struct parts *p, text_id text, struct at type, struct at method)
{
    struct buf out = {0};
    str s = texts_get(&p->texts, text);

    for (size_t i = 0; i < s.len; i++) {
        str rest = str_cut(s, i, s.len);
        if (is_token(rest, STR("[controller]"))) {
            add_token(p, &out, type, true);
            i += 11;
        } else if (is_token(rest, STR("[action]")) && method.id) {
            add_token(p, &out, method, false);
            i += 7;
        } else if (is_token(rest, STR("[action]"))) {
            buf_add(&out, STR("[action]"));
            i += 7;
        } else if (is_token(rest, STR("[area]")) && area_of(p, type).len > 0) {
            buf_add(&out, area_of(p, type));
            i += 5;
        } else {
            buf_add_char(&out, s.ptr[i]);
        }
    }
    if (!out.failed)
        text = texts_add(&p->texts, buf_str(&out));
    buf_fini(&out);
    return text;
}

text_id
marks_act(struct parts *p, text_id path, text_id action)
{
    static const str token = {"[action]", 8};
    str text = texts_get(&p->texts, path);
    const char *at = action && text.len
                         ? memmem(text.ptr, text.len, token.ptr, token.len)
                         : NULL;
    struct buf out = {0};

    if (!at)
        return path;
    size_t front = (size_t)(at - text.ptr);
    buf_add(&out, str_cut(text, 0, front));
    buf_add(&out, texts_get(&p->texts, action));
    buf_add(&out, str_cut(text, front + token.len, text.len));
    return part_keep(p, &out, path);
}

/* ---- actions that no mark tells ---- */

bool
marks_have(const struct parts *p, struct at def, const char *name)
{
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, def, i)).id; i++) {
        bool is_call = part_kind(p, mark) == EXPR_CALL;
        struct at callee = is_call ? part_callee(p, mark) : mark;
        if (str_eq(mark_word(p, callee), str_of(name)))
            return true;
    }
    return false;
}

static bool
is_routed(struct parts *p, struct at def)
{
    struct at mark;

    for (uint32_t i = 0; (mark = mark_at(p, def, i)).id; i++) {
        const struct mark_rule *rule = mark_rule(p, mark);
        if (rule && rule->framework == FW_ASPNET)
            return true;
    }
    return false;
}

/* Whether |def| overrides what a base of |from| has marks for: it is told by
 * these. */
static bool
is_told_above(struct parts *p, struct at from, struct at def,
              struct marks_seen *seen)
{
    str name = part_str(p, def.file, part_def(p, def)->name);
    struct at base;

    for (uint32_t i = 0; marks_base_of(p, from, &i, &base);) {
        const struct facts *facts = part_facts(p, base.file);
        if (!marks_see(seen, base))
            continue;
        for (uint32_t d = base.id + 1; d < facts->def_len; d++) {
            struct at method = {base.file, d};
            struct at own = def;
            if (facts->defs[d].parent != base.id || !is_routed(p, method) ||
                !str_eq(facts_text(facts, facts->defs[d].name), name))
                continue;
            marks_overload(p, method, &own);
            if (own.file == def.file && own.id == def.id)
                return true;
        }
        if (is_told_above(p, base, def, seen))
            return true;
    }
    return false;
}

static bool
is_action(struct parts *p, struct at type, struct at def)
{
    const struct fact_def *row = part_def(p, def);
    struct marks_seen seen = {.len = 0};
    uint32_t not = DEF_STATIC | DEF_CTOR | DEF_PROPERTY | DEF_ABSTRACT |
                   DEF_LAMBDA | DEF_PRIVATE;

    return row->parent == type.id && row->kind == CODE_METHOD &&
           (row->flags & DEF_EXPORTED) && !(row->flags & not ) &&
           !marks_have(p, def, "NonAction") && !is_routed(p, def) &&
           !is_told_above(p, type, def, &seen);
}

/* The framework's own base classes have the mark [Controller]. */
static bool
extends_controller(struct parts *p, struct at type, struct marks_seen *seen)
{
    const struct facts *facts = part_facts(p, type.file);
    const struct fact_def *row = part_def(p, type);
    struct at base;

    for (uint32_t i = 0; i < row->bases_len; i++) {
        base = (struct at){type.file, facts->lists[row->bases_at + i]};
        if (part_is(p, base, "Microsoft.AspNetCore.Mvc.ControllerBase") ||
            part_is(p, base, "Microsoft.AspNetCore.Mvc.Controller"))
            return true;
    }
    for (uint32_t i = 0; marks_base_of(p, type, &i, &base);)
        if (marks_see(seen, base) && extends_controller(p, base, seen))
            return true;
    return false;
}

static bool
is_controller(struct parts *p, struct at type, const struct class_marks *of)
{
    str name = part_str(p, type.file, part_def(p, type)->name);
    struct marks_seen seen = {.len = 0};

    return str_ends(name, STR("Controller")) || of->is_controller ||
           extends_controller(p, type, &seen);
}

void
marks_aspnet_actions(struct parts *p, uint32_t router, struct at type,
                     const struct class_marks *of)
{
    const struct facts *facts = part_facts(p, type.file);
    struct verb_rule rule = {.framework = FW_ASPNET};

    if (of->framework != FW_ASPNET || !of->prefix.id ||
        !is_controller(p, type, of))
        return;
    for (uint32_t d = type.id + 1; d < facts->def_len; d++) {
        struct at def = {type.file, d};
        struct verb_call v = {p, of->mark, router, &rule};
        uint32_t from = p->entry_len;
        if (!is_action(p, type, def))
            continue;
        verb_root(&v, STR("ANY"), (struct at){type.file, 0},
                  resolve_node(p->r, def.file, def.id));
        for (uint32_t i = from; i < p->entry_len; i++) {
            struct route_entry *entry = &p->entries[i];
            entry->action = marks_tokens(
                p, texts_add(&p->texts, STR("[action]")), type, def);
            entry->at_def = !of->mark.id; /* the mark is its base's */
            if (entry->at_def)
                entry->at = def;
        }
    }
}
