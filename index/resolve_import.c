/*
 * Imports: what a module's name, as written, means; what an imported name
 * stands for; what a module exports.  How modules are found is a matter of the
 * language; resolve_import_js.c and resolve_import_python.c have their own.
 */
#include "index/resolve_csharp.h"
#include "index/resolve_linkage.h"

static const struct fact_import *
import_at(const struct resolver *r, uint32_t file, uint32_t import)
{
    return &r->sources[file].facts->imports[import];
}

static str
last_part(str path, char separator)
{
    const char *cut = path.len ? memrchr(path.ptr, separator, path.len) : NULL;

    return str_cut(path, cut ? (size_t)(cut + 1 - path.ptr) : 0, path.len);
}

/* `example.com/yaml/v3` is known as yaml, `gopkg.in/yaml.v3`, too. */
static str
go_base(str path)
{
    str base = last_part(path, '/');
    bool is_version = base.len > 1 && base.ptr[0] == 'v';

    for (size_t i = 1; i < base.len && is_version; i++)
        is_version = base.ptr[i] >= '0' && base.ptr[i] <= '9';
    if (is_version && base.len < path.len)
        base = last_part(path_folder(path), '/');
    const char *dot = base.len ? memchr(base.ptr, '.', base.len) : NULL;
    if (dot && dot + 1 < base.ptr + base.len && dot[1] == 'v')
        base.len = (size_t)(dot - base.ptr);
    if (str_starts(base, STR("go-")))
        base = str_cut(base, 3, base.len);
    return base;
}

static sym
go_local_name(struct resolver *r, uint32_t file, const struct fact_import *im)
{
    str path = facts_text(r->sources[file].facts, im->module);
    struct val module = import_module(r, file, path);

    if (module.kind == VAL_UNIT)
        return r->units[module.id].clause;
    return sym_add(r, go_base(path));
}

sym
import_local_name(struct resolver *r, uint32_t file, uint32_t import)
{
    const struct fact_import *im = import_at(r, file, import);
    const struct facts *facts = r->sources[file].facts;
    str module = facts_text(facts, im->module);

    if (im->alias)
        return sym_of(r, file, im->alias);
    if (im->name)
        return sym_of(r, file, im->name);
    if (im->kind != IMPORT_MODULE)
        return 0;
    switch (facts->lang) {
    case LANG_GO:
        return go_local_name(r, file, im);
    case LANG_PYTHON: {
        const char *dot = memchr(module.ptr, '.', module.len);
        return sym_add(
            r,
            str_cut(module, 0, dot ? (size_t)(dot - module.ptr) : module.len));
    }
    case LANG_RUST:
        return sym_add(r, last_part(module, ':'));
    case LANG_PHP:
        return sym_add(r, last_part(module, '\\'));
    case LANG_JAVA:
    case LANG_KOTLIN:
    case LANG_CSHARP:
        return sym_add(r, last_part(module, '.'));
    default:
        return sym_add(r, last_part(module, '/'));
    }
}

static struct val
external(struct resolver *r, str module, sym name)
{
    struct val val = {.kind = VAL_EXTERNAL, .by = CODE_BY_IMPORT};

    val.module = sym_add(r, module);
    val.name = name;
    if (val.module && !map_put(&r->known_modules, val.module, 1))
        r->failed = true;
    return val;
}

/* The unit of a Go import path: below a module of the repository. */
static struct val
go_module(struct resolver *r, str path)
{
    const struct resolve_settings *settings = &r->settings;
    struct buf folder = {0};
    uint32_t unit = 0;
    size_t best = 0;

    for (size_t i = 0; i < settings->module_len; i++) {
        const struct resolve_module *module = &settings->modules[i];
        /* The standard library's packages are named without its module. */
        str name =
            str_eq(module->module, STR("std")) ? STR("") : module->module;
        bool is_below = module->lang == LANG_GO && str_starts(path, name) &&
                        (path.len == name.len || name.len == 0 ||
                         path.ptr[name.len] == '/');
        if (!is_below || name.len + 1 <= best)
            continue;
        best = name.len + 1;
        path_join(&folder, module->folder, str_cut(path, name.len, path.len));
    }
    sym name = best ? sym_find(r, buf_str(&folder)) : 0;
    if (best && (name || folder.len == 0))
        unit = map_get(&r->folder_unit, (uint64_t)name + 1);
    r->failed = r->failed || folder.failed;
    buf_fini(&folder);
    if (!unit)
        return external(r, path, 0);
    return val_of(VAL_UNIT, 0, unit, CODE_BY_IMPORT);
}

/* A dotted name: a package, or a type in one, or a member of that. */
static struct val
dotted(struct resolver *r, uint32_t file, str path, str separator)
{
    uint8_t lang = lang_at(r, file);
    uint32_t unit = unit_find(r, lang, path);
    /* From where it is seen, for who has two types of one name. */
    uint32_t seen = lang == LANG_JAVA || lang == LANG_KOTLIN ? file : 0;
    str rest = path;

    if (unit)
        return val_of(VAL_UNIT, seen, unit, CODE_BY_IMPORT);
    for (uint32_t hops = 0; hops < RESOLVE_HOPS_MAX && rest.len > 0; hops++) {
        const char *cut =
            memrchr(rest.ptr, separator.ptr[separator.len - 1], rest.len);
        size_t at = cut ? (size_t)(cut + 1 - rest.ptr) : 0;
        rest.len = at >= separator.len ? at - separator.len : 0;
        unit = rest.len ? unit_find(r, lang, rest) : 0;
        if (!unit)
            continue;
        struct val val = val_of(VAL_UNIT, seen, unit, CODE_BY_IMPORT);
        while (at < path.len && val.kind != VAL_NONE) {
            const char *next = memmem(path.ptr + at, path.len - at,
                                      separator.ptr, separator.len);
            size_t end = next ? (size_t)(next - path.ptr) : path.len;
            val = member_find(r, val, sym_add(r, str_cut(path, at, end)));
            at = next ? end + separator.len : path.len;
        }
        if (val.kind != VAL_NONE) {
            val.by = CODE_BY_IMPORT;
            return val;
        }
    }
    const char *cut = memrchr(path.ptr, separator.ptr[0], path.len);
    size_t at = cut ? (size_t)(cut + 1 - path.ptr) : 0;
    if (!cut || at < separator.len)
        return external(r, path, 0);
    sym name = sym_add(r, str_cut(path, at, path.len));
    return external(r, str_cut(path, 0, at - separator.len), name);
}

/* Whether a path begins with |word|, as a whole: `superblock` is a name. */
static bool
begins_with_word(str path, str word)
{
    str rest = str_cut(path, word.len, path.len);

    return str_starts(path, word) &&
           (rest.len == 0 || str_starts(rest, STR("::")));
}

/* `crate::a`, `self::b`, `super::c` are seen from the module of the file. */
static struct val
rust_module(struct resolver *r, uint32_t file, str path)
{
    struct buf full = {0};
    str here = sym_str(r, r->sources[file].module);
    const char *end = memmem(here.ptr, here.len, "::", 2);
    str crate = str_cut(here, 0, end ? (size_t)(end - here.ptr) : here.len);

    if (begins_with_word(path, STR("crate"))) {
        buf_add(&full, crate);
        path = str_cut(path, 5, path.len);
    } else if (begins_with_word(path, STR("self"))) {
        buf_add(&full, here);
        path = str_cut(path, 4, path.len);
    } else if (begins_with_word(path, STR("super"))) {
        buf_add(&full, here);
        while (begins_with_word(path, STR("super"))) {
            const char *cut = memrchr(full.ptr, ':', full.len);
            full.len = cut && cut > full.ptr ? (size_t)(cut - 1 - full.ptr) : 0;
            path = str_cut(path, 5, path.len);
            if (begins_with_word(path, STR("::super")))
                path = str_cut(path, 2, path.len);
        }
    }
    buf_add(&full, path);
    sym name = sym_add(r, buf_str(&full));
    buf_fini(&full);
    struct val val = dotted(r, file, sym_str(r, name), STR("::"));
    if (val.kind != VAL_EXTERNAL)
        return val;
    /* 2018: a path may begin at a child of this module. */
    sym child = sym_join(r, r->sources[file].module, STR("::"), path);
    uint32_t unit = unit_find(r, LANG_RUST, sym_str(r, child));
    return unit ? val_of(VAL_UNIT, 0, unit, CODE_BY_IMPORT) : val;
}

static struct val
included_file(struct resolver *r, uint32_t file, str path)
{
    struct buf joined = {0};
    uint32_t found = 0;
    str folders[2] = {path_folder(r->sources[file].path), {0}};

    for (int i = 0; i < 2 && !found; i++)
        if (path_join(&joined, folders[i], path))
            found = map_get(&r->path_file, sym_find(r, buf_str(&joined)));
    buf_fini(&joined);
    if (!found && is_c_family(lang_at(r, file)))
        found = linkage_included(r, file, path);
    if (found)
        return val_of(VAL_FILE, found - 1, 0, CODE_BY_IMPORT);
    return external(r, path, 0);
}

struct val
import_dotted(struct resolver *r, uint32_t file, str names)
{
    return dotted(r, file, names, STR("."));
}

struct val
import_module(struct resolver *r, uint32_t file, str module)
{
    switch (lang_at(r, file)) {
    case LANG_GO:
        return go_module(r, module);
    case LANG_PYTHON:
        return import_module_python(r, file, module);
    case LANG_JAVASCRIPT:
    case LANG_TYPESCRIPT:
    case LANG_TSX:
        return import_module_js(r, file, module);
    case LANG_RUST:
        return rust_module(r, file, module);
    case LANG_PHP:
        return dotted(r, file, module, STR("\\"));
    case LANG_JAVA:
    case LANG_KOTLIN:
        return import_dotted(r, file, module);
    case LANG_CSHARP: {
        struct val within = csharp_module(r, file, module);
        return within.kind != VAL_NONE ? within
                                       : import_dotted(r, file, module);
    }
    default:
        return included_file(r, file, module);
    }
}

static struct val
named_of(struct resolver *r, struct val module, sym name)
{
    struct val val;

    if (module.kind == VAL_FILE)
        val = import_member(r, module.file, name);
    else
        val = member_find(r, module, name);
    if (val.kind != VAL_NONE)
        val.by = CODE_BY_IMPORT;
    return val;
}

static struct val
find_value(struct resolver *r, uint32_t file, uint32_t import)
{
    const struct fact_import *im = import_at(r, file, import);
    const struct facts *facts = r->sources[file].facts;
    str path = facts_text(facts, im->module);
    bool is_python = facts->lang == LANG_PYTHON;

    if (im->kind == IMPORT_MODULE && is_python && !im->alias)
        path = sym_str(r, import_local_name(r, file, import));
    if (im->kind == EXPORT_NAME && !im->module)
        return scope_lookup(r, file, im->scope, sym_of(r, file, im->name), 0);
    struct val module = import_module(r, file, path);
    if (is_python && im->kind == IMPORT_MODULE && !im->alias && im->module &&
        module.kind == VAL_EXTERNAL)
        external(r, facts_text(facts, im->module), 0);

    switch (im->kind) {
    case IMPORT_NAME:
    case EXPORT_NAME:
        return named_of(r, module, sym_of(r, file, im->name));
    case IMPORT_DEFAULT:
        if (module.kind == VAL_EXTERNAL)
            return module;
        return named_of(r, module, sym_add(r, STR("default")));
    default:
        return import_whole(r, module);
    }
}

struct val
import_value(struct resolver *r, uint32_t file, uint32_t import)
{
    uint32_t *memo = &r->import_memo[r->sources[file].import_base + import];

    return memo_val(r, memo, file, import, find_value);
}

struct val
import_star(struct resolver *r, uint32_t file, sym name)
{
    struct rows rows = scope_rows(r, star_scope(r, file), 0);
    struct val external = {0};

    for (uint32_t i = 0; i < rows.len && i < 256; i++) {
        struct val module = import_value(r, file, rows.at[i].id);
        if (module.kind == VAL_EXTERNAL) {
            str path = sym_str(r, module.module);
            bool is_first =
                external.kind == VAL_NONE ||
                str_starts(sym_str(r, external.module), STR("java."));
            if (is_first && path.len > 0)
                external = module;
            continue;
        }
        /* What is included is of the one unit that was looked into. */
        if (module.kind == VAL_FILE && is_c_family(lang_at(r, file)))
            continue;
        struct val val = named_of(r, module, name);
        if (val.kind != VAL_NONE)
            return val;
    }
    uint8_t lang = lang_at(r, file);
    str text = sym_str(r, name);
    bool is_type = text.len > 0 && text.ptr[0] >= 'A' && text.ptr[0] <= 'Z';
    if (external.kind == VAL_NONE || !is_type ||
        (lang != LANG_JAVA && lang != LANG_KOTLIN))
        return (struct val){0};
    external.name = name;
    return external;
}

/* A row of the exports: under another name, from elsewhere, or both. */
static struct val
exported(struct resolver *r, uint32_t file, sym name)
{
    struct rows rows = scope_rows(r, export_scope(r, file), name);
    bool is_python = lang_at(r, file) == LANG_PYTHON;
    struct val val = {0};

    for (uint32_t i = 0; i < rows.len && i < RESOLVE_CANDIDATES_MAX; i++) {
        if (rows.at[i].kind != ROW_IMPORT) {
            val = eval_row(r, &rows.at[i]);
            if (val.kind != VAL_NONE)
                return val;
            continue;
        }
        const struct fact_import *im = import_at(r, file, rows.at[i].id);
        /* `__all__` only says that own names are exported. */
        if (is_python || (im->kind == EXPORT_STAR && im->alias == 0))
            continue;
        val = import_value(r, file, rows.at[i].id);
        if (val.kind != VAL_NONE)
            return val;
    }
    struct rows stars = scope_rows(r, export_scope(r, file), 0);
    bool is_starred = name && !is_python && !sym_is(r, name, WHOLE_EXPORT);
    for (uint32_t i = 0; i < stars.len && i < 256 && is_starred; i++) {
        struct val module = import_value(r, file, stars.at[i].id);
        if (module.kind == VAL_FILE)
            val = import_member(r, module.file, name);
        else if (module.kind != VAL_EXTERNAL)
            val = member_find(r, module, name);
        if (val.kind != VAL_NONE)
            return val;
    }
    return val;
}

static struct val
default_export(struct resolver *r, uint32_t file)
{
    const struct facts *facts = r->sources[file].facts;

    for (uint32_t i = 1; i < facts->def_len; i++)
        if (facts->defs[i].flags & DEF_DEFAULT)
            return val_of(VAL_DEF, file, i, CODE_BY_IMPORT);
    return (struct val){0};
}

/* A module does not export what it imports, without saying so. */
static struct val
own_export(struct resolver *r, struct rows rows, uint32_t file)
{
    struct rows own = rows;

    while (own.len > 0 && own.at->kind == ROW_IMPORT) {
        own.at++;
        own.len--;
    }
    return own.len > 0 ? scope_pick(r, own, file, 0) : (struct val){0};
}

struct val
import_whole(struct resolver *r, struct val module)
{
    struct val val = {0};

    if (module.kind == VAL_FILE && is_script(lang_at(r, module.file)))
        val = import_member(r, module.file, sym_add(r, STR(WHOLE_EXPORT)));
    if (val.kind == VAL_NONE)
        return module;
    if (val.kind == VAL_DEF)
        val.by = CODE_BY_IMPORT;
    return val;
}

static struct val
member_of_whole(struct resolver *r, uint32_t file, sym name)
{
    struct val whole;

    if (sym_is(r, name, WHOLE_EXPORT))
        return (struct val){0};
    whole = import_whole(r, val_of(VAL_FILE, file, 0, CODE_BY_IMPORT));
    if (whole.kind == VAL_FILE)
        return (struct val){0};
    return sym_is(r, name, "default") ? whole : member_find(r, whole, name);
}

static struct val
find_member(struct resolver *r, uint32_t file, sym name)
{
    uint8_t lang = lang_at(r, file);
    struct val val = {0};

    if (is_script(lang))
        val = exported(r, file, name);
    if (val.kind == VAL_NONE && is_script(lang) && sym_is(r, name, "default"))
        val = default_export(r, file);
    if (val.kind != VAL_NONE)
        return val;
    struct rows rows = scope_rows(r, r->sources[file].def_base, name);
    if (is_script(lang)) {
        val = own_export(r, rows, file);
        return val.kind == VAL_NONE ? member_of_whole(r, file, name) : val;
    }
    if (rows.len > 0)
        val = scope_pick(r, rows, file, 0);
    if (val.kind == VAL_NONE && lang == LANG_PYTHON)
        val = import_star(r, file, name);
    if (val.kind == VAL_NONE && lang == LANG_PYTHON)
        val = import_submodule_python(r, file, name);
    return val;
}

struct val
import_member(struct resolver *r, uint32_t file, sym name)
{
    uint64_t key = (uint64_t)(file + 1) << 32 | name;
    uint32_t *slot = map_slot(&r->exports, key);

    if (!slot && !map_put(&r->exports, key, 0)) {
        r->failed = true;
        return (struct val){0};
    }
    /* The table moves when it grows, so the memo is kept here meanwhile. */
    uint32_t memo = slot ? *slot : 0;
    if (memo)
        return memo_val(r, &memo, file, name, find_member);
    *map_slot(&r->exports, key) = MEMO_ASKED;
    struct val val = memo_val(r, &memo, file, name, find_member);
    *map_slot(&r->exports, key) = memo;
    return val;
}
