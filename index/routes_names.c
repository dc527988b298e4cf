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
tell(struct parts *p, struct origin *out, str name, bool is_written,
     uint32_t file)
{
    *out = (struct origin){buf_str(&p->path), name, is_written, file};
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
    return tell(p, out, name, false, file);
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
    return add_written(p, expr) &&
           tell(p, out, buf_str(&p->path), true, expr.file);
}

/* The path a rule asks for; a `*` in front of it stands for any beginning. */
struct wanted {
    str path;
    bool is_tail;
};

/* |module| + `.` + |name|, with no module |name| alone. */
static bool
fits(const struct wanted *wanted, str module, str name)
{
    size_t dot = module.len > 0;
    size_t len = module.len + dot + name.len;
    str path = wanted->path;

    if (wanted->is_tail && path.ptr[0] == '.' && len + 1 == path.len)
        path = str_cut(path, 1, path.len);
    if (wanted->is_tail ? len < path.len : len != path.len)
        return false;
    size_t in_name = path.len < name.len ? path.len : name.len;
    if (in_name > 0 && memcmp(path.ptr + path.len - in_name,
                              name.ptr + name.len - in_name, in_name) != 0)
        return false;
    size_t rest = path.len - in_name;
    if (rest == 0 || module.len == 0)
        return rest == 0;
    rest -= dot;
    str front = str_cut(path, 0, rest);
    str tail = str_cut(module, module.len - rest, module.len);
    return path.ptr[rest] == '.' && str_eq(front, tail);
}

/* A name that may have come by `import x.*`, `using x`: not by its own. */
static bool
is_imported(const struct facts *facts, str name)
{
    const char *dot = name.len ? memchr(name.ptr, '.', name.len) : NULL;

    if (dot)
        name.len = (size_t)(dot - name.ptr);
    for (uint32_t i = 1; i < facts->import_len; i++) {
        const struct fact_import *import = &facts->imports[i];
        str_id known = import->alias ? import->alias : import->name;
        if (import->kind == IMPORT_NAME &&
            str_eq(facts_text(facts, known), name))
            return true;
    }
    return false;
}

static bool
fits_by_star(const struct parts *p, const struct origin *origin,
             const struct wanted *wanted)
{
    const struct facts *facts = part_facts(p, origin->file);

    if (is_imported(facts, origin->name))
        return false;
    for (uint32_t i = 1; i < facts->import_len; i++) {
        const struct fact_import *import = &facts->imports[i];
        str module = facts_text(facts, import->module);
        char dotted[256];
        size_t len = 0;
        if (import->kind != IMPORT_STAR)
            continue;
        if (str_ends(module, STR(".*")))
            module.len -= 2;
        for (size_t k = 0; k < module.len && len < sizeof(dotted); k++) {
            char byte = module.ptr[k];
            bool is_colon = byte == ':' || byte == '\\';
            if (is_colon)
                byte = '.';
            if (!is_colon || (len > 0 && dotted[len - 1] != '.'))
                dotted[len++] = byte;
        }
        if (fits(wanted, (str){dotted, len}, origin->name))
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

bool
origin_is(const struct parts *p, const struct origin *origin, const char *path)
{
    const struct facts *facts = part_facts(p, origin->file);
    struct wanted wanted = {str_of(path), path[0] == '*'};

    if (wanted.is_tail)
        wanted.path = str_cut(wanted.path, 1, wanted.path.len);
    if (!origin->is_written && fits(&wanted, (str){NULL, 0}, origin->path))
        return true;
    if (facts->lang >= LANG_JAVASCRIPT && facts->lang <= LANG_TSX)
        return false;
    if (origin->is_written) {
        bool is_long = origin->path.len > 0 &&
                       memchr(origin->path.ptr, '.', origin->path.len) != NULL;
        if (is_long && fits(&wanted, (str){NULL, 0}, origin->path))
            return true;
        struct wanted tail = {origin->path, true};
        if (has_implicit_imports(facts->lang) &&
            wanted.path.len > origin->path.len &&
            wanted.path.ptr[wanted.path.len - origin->path.len - 1] == '.' &&
            fits(&tail, (str){NULL, 0}, wanted.path))
            return true;
    }
    return fits_by_star(p, origin, &wanted);
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
            str_ends(last, str_of(wanted.ptr + name.len + 1)))
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
