/*
 * A path is kept in one buffer of the parts: rules compare it at once with
 * what they know and forget it.
 */
#include <string.h>

#include "index/routes_parts.h"

/* `/v2` in front of a `.` or at the end: a Go module's major version. */
static size_t
version_len(str s, size_t at)
{
    size_t end = at + 2;

    if (s.ptr[at] != '/' || end >= s.len || s.ptr[at + 1] != 'v')
        return 0;
    while (end < s.len && s.ptr[end] >= '0' && s.ptr[end] <= '9')
        end++;
    return end > at + 2 && end == s.len ? end - at : 0;
}

static void
add_dotted(struct buf *out, str s, bool is_go)
{
    for (size_t i = 0; i < s.len; i++) {
        size_t skip = is_go ? version_len(s, i) : 0;
        if (skip) {
            i += skip - 1;
        } else if (s.ptr[i] == ':' && i + 1 < s.len && s.ptr[i + 1] == ':') {
            buf_add_char(out, '.');
            i++;
        } else if (s.ptr[i] == '\\' || s.ptr[i] == '#') {
            if (out->len > 0)
                buf_add_char(out, '.');
        } else {
            buf_add_char(out, s.ptr[i]);
        }
    }
}

static bool
tell(struct parts *p, struct origin *out, bool is_written, uint32_t file)
{
    *out = (struct origin){buf_str(&p->path), is_written, file};
    p->failed |= p->path.failed;
    return p->path.len > 0 && !p->path.failed;
}

static bool
tell_external(struct parts *p, const struct value *value, uint32_t file,
              struct origin *out)
{
    str name = value->name;

    buf_reset(&p->path);
    add_dotted(&p->path, value->module, part_facts(p, file)->lang == LANG_GO);
    if (str_eq(name, STR("default")))
        name.len = 0;
    else if (str_starts(name, STR("default.")))
        name = str_cut(name, 8, name.len);
    if (name.len > 0) {
        if (p->path.len > 0)
            buf_add_char(&p->path, '.');
        add_dotted(&p->path, name, false);
    }
    return tell(p, out, false, file);
}

/* The names of a chain as they stand there; false if it is no chain. */
static bool
add_written(struct parts *p, struct at at)
{
    enum { CHAIN_MAX = 16 };
    uint32_t chain[CHAIN_MAX];
    unsigned len = 0;

    at = part_bare(p, at);
    while (part_kind(p, at) == EXPR_GENERIC)
        at = part_bare(p, (struct at){at.file, part_expr(p, at)->a});
    while (part_kind(p, at) == EXPR_MEMBER && len < CHAIN_MAX) {
        chain[len++] = at.id;
        at.id = part_expr(p, at)->a;
    }
    if (part_kind(p, at) != EXPR_NAME)
        return false;
    add_dotted(&p->path, part_word(p, at), false);
    while (len-- > 0) {
        buf_add_char(&p->path, '.');
        add_dotted(&p->path, part_word(p, (struct at){at.file, chain[len]}),
                   false);
    }
    return true;
}

bool
part_origin(struct parts *p, struct at expr, struct origin *out)
{
    struct value value;

    if (!expr.id)
        return false;
    if (resolve_value(p->r, expr, &value))
        return value.kind == VALUE_EXTERNAL &&
               tell_external(p, &value, expr.file, out);
    buf_reset(&p->path);
    return add_written(p, expr) && tell(p, out, true, expr.file);
}

static bool
imports_all_of(const struct facts *facts, str module)
{
    for (uint32_t i = 1; i < facts->import_len; i++) {
        const struct fact_import *import = &facts->imports[i];
        str name = facts_text(facts, import->module);
        if (str_ends(name, ".*"))
            name.len -= 2;
        if (import->kind == IMPORT_STAR && str_eq(name, module))
            return true;
    }
    return false;
}

/* Namespaces come in by project-wide rules that no file shows. */
static bool
has_implicit_imports(uint8_t lang)
{
    return lang == LANG_CSHARP || lang == LANG_RUBY;
}

static bool
fits_written(const struct parts *p, const struct origin *origin, str path)
{
    const struct facts *facts = part_facts(p, origin->file);
    str name = origin->path;

    if (facts->lang >= LANG_JAVASCRIPT && facts->lang <= LANG_TSX)
        return false;
    if (str_eq(name, path))
        return memchr(name.ptr, '.', name.len) != NULL;
    if (path.len <= name.len || path.ptr[path.len - name.len - 1] != '.' ||
        !str_eq(str_cut(path, path.len - name.len, path.len), name))
        return false;
    return has_implicit_imports(facts->lang) ||
           imports_all_of(facts, str_cut(path, 0, path.len - name.len - 1));
}

bool
origin_is(const struct parts *p, const struct origin *origin, const char *path)
{
    str wanted = str_of(path);

    if (wanted.ptr[0] == '*') {
        wanted = str_cut(wanted, 1, wanted.len);
        return str_ends(origin->path, wanted.ptr) ||
               str_eq(origin->path, str_cut(wanted, 1, wanted.len));
    }
    if (origin->is_written)
        return fits_written(p, origin, wanted);
    return str_eq(origin->path, wanted);
}

bool
part_is(struct parts *p, struct at expr, const char *path)
{
    struct origin origin;

    return part_origin(p, expr, &origin) && origin_is(p, &origin, path);
}

/* Modules are compared as origins are: `::` and `\` as dots. */
static bool
module_starts(str module, str wanted)
{
    size_t k = 0;

    for (size_t i = 0; i < module.len && k < wanted.len; i++, k++) {
        char byte = module.ptr[i];
        if (byte == ':' && i + 1 < module.len && module.ptr[i + 1] == ':')
            i++;
        byte = (char)(byte == ':' || byte == '\\' ? '.' : byte);
        if (byte != wanted.ptr[k])
            return false;
        if (k + 1 == wanted.len)
            return i + 1 == module.len || strchr("./:\\", module.ptr[i + 1]);
    }
    return false;
}

bool
part_imports(const struct parts *p, uint32_t file, const char *module)
{
    const struct facts *facts = part_facts(p, file);
    str wanted = str_of(module);

    for (uint32_t i = 1; i < facts->import_len; i++) {
        str name = facts_text(facts, facts->imports[i].module);
        if (module_starts(name, wanted))
            return true;
        /* `from a import b`, `import a.b.C` told as module a.b, name C */
        str last = facts_text(facts, facts->imports[i].name);
        if (last.len > 0 && wanted.len == name.len + 1 + last.len &&
            str_starts(wanted, name) && wanted.ptr[name.len] == '.' &&
            str_ends(last, wanted.ptr + name.len + 1))
            return true;
    }
    return false;
}

bool
part_type(struct parts *p, struct at type, struct value *def,
          struct origin *out)
{
    *def = (struct value){0};
    *out = (struct origin){0};
    type = part_bare(p, type);
    while (part_kind(p, type) == EXPR_GENERIC)
        type = part_bare(p, (struct at){type.file, part_expr(p, type)->a});
    if (!type.id)
        return false;
    if (resolve_value(p->r, type, def) && def->kind == VALUE_DEF)
        return true;
    def->kind = VALUE_UNKNOWN;
    return part_origin(p, type, out);
}

bool
part_type_of(struct parts *p, struct at expr, struct value *def,
             struct origin *out)
{
    *def = (struct value){0};
    *out = (struct origin){0};
    if (!expr.id || !resolve_type(p->r, expr, def))
        return false;
    if (def->kind == VALUE_DEF)
        return true;
    return def->kind == VALUE_EXTERNAL && tell_external(p, def, expr.file, out);
}
