/*
 * Names: of texts, paths, modules, units and definitions.
 *
 * A unit is what several files share without importing one another: a Go
 * package, a namespace, a Rust module, the linkage of C.  Its key is the
 * family of languages, a colon, and its name.  Types that are told of in
 * several places (Ruby, partial classes, methods written beside their type)
 * have one canonical definition, the first of that unit and name; namespaces
 * that nest become the scope of their unit.
 */
#include <stdlib.h>

#include "base/grow.h"
#include "index/resolve_names.h"

sym
sym_add(struct resolver *r, str text)
{
    sym name = intern_copy(&r->names, text);

    r->failed = r->failed || r->names.failed;
    return name;
}

sym
sym_find(const struct resolver *r, str text)
{
    return intern_find(&r->names, text);
}

sym
sym_of(struct resolver *r, uint32_t file, str_id text)
{
    const struct source *source = &r->sources[file];
    sym *memo = &r->syms[source->text_base + text];

    if (!*memo && text)
        *memo = intern_view(&r->names, facts_text(source->facts, text));
    return *memo;
}

sym
sym_join(struct resolver *r, sym a, str middle, str b)
{
    struct buf out = {0};

    buf_add(&out, sym_str(r, a));
    if (a && b.len > 0)
        buf_add(&out, middle);
    buf_add(&out, b);
    sym joined = sym_add(r, buf_str(&out));
    r->failed = r->failed || out.failed;
    buf_fini(&out);
    return joined;
}

bool
sym_is(const struct resolver *r, sym name, const char *text)
{
    return str_eq(sym_str(r, name), str_of(text));
}

str
path_folder(str path)
{
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;

    return str_cut(path, 0, slash ? (size_t)(slash - path.ptr) : 0);
}

str
path_base(str path)
{
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;

    return str_cut(path, slash ? (size_t)(slash + 1 - path.ptr) : 0, path.len);
}

static bool
path_up(struct buf *out)
{
    if (out->len == 0)
        return false;
    out->len = path_folder(buf_str(out)).len;
    return true;
}

bool
path_join(struct buf *out, str folder, str rest)
{
    buf_reset(out);
    buf_add(out, folder);
    while (rest.len > 0) {
        const char *slash = memchr(rest.ptr, '/', rest.len);
        size_t len = slash ? (size_t)(slash - rest.ptr) : rest.len;
        str part = str_cut(rest, 0, len);
        rest = str_cut(rest, slash ? len + 1 : len, rest.len);
        if (part.len == 0 || str_eq(part, STR(".")))
            continue;
        if (str_eq(part, STR(".."))) {
            if (!path_up(out))
                return false;
            continue;
        }
        if (out->len > 0)
            buf_add_char(out, '/');
        buf_add(out, part);
    }
    return !out->failed;
}

/* The path without its extension; a folder for the file that stands for it. */
static str
module_path(uint8_t lang, str path)
{
    str base = path_base(path);
    const char *dot = base.len ? memrchr(base.ptr, '.', base.len) : NULL;
    size_t cut =
        dot && dot > base.ptr ? (size_t)(base.ptr + base.len - dot) : 0;
    str stem = str_cut(path, 0, path.len - cut);

    if (is_script(lang) && path.len > 5 &&
        str_eq(str_cut(path, path.len - 5, path.len), STR(".d.ts")))
        stem = str_cut(path, 0, path.len - 5);
    str name = path_base(stem);
    if ((lang == LANG_PYTHON && str_eq(name, STR("__init__"))) ||
        (is_script(lang) && str_eq(name, STR("index"))))
        return path_folder(path);
    return stem;
}

const char *
unit_family(uint8_t lang)
{
    static const char *const families[LANG_END] = {
        [LANG_GO] = "go",       [LANG_JAVA] = "jvm",     [LANG_KOTLIN] = "jvm",
        [LANG_CSHARP] = "cs",   [LANG_RUBY] = "rb",      [LANG_PHP] = "php",
        [LANG_RUST] = "rs",     [LANG_C] = "c",          [LANG_CPP] = "c",
        [LANG_PROTO] = "proto", [LANG_THRIFT] = "proto",
    };

    return lang < LANG_END ? families[lang] : NULL;
}

/* |is_new|: it may be the first of that name. */
static sym
unit_key(struct resolver *r, uint8_t lang, str name, bool is_new)
{
    const char *family = unit_family(lang);
    struct buf key = {0};

    if (!family)
        return 0;
    buf_add(&key, str_of(family));
    buf_add_char(&key, ':');
    buf_add(&key, name);
    sym made = is_new ? sym_add(r, buf_str(&key)) : sym_find(r, buf_str(&key));
    r->failed = r->failed || key.failed;
    buf_fini(&key);
    return made;
}

uint32_t
unit_find(struct resolver *r, uint8_t lang, str key)
{
    sym known = unit_key(r, lang, key, false);

    return known ? map_get(&r->unit_of, known) : 0;
}

/* unit 0 means none: units begin at 1. */
uint32_t
unit_add(struct resolver *r, uint32_t file, str name, sym package)
{
    sym key = unit_key(r, lang_at(r, file), name, true);
    uint32_t unit = map_get(&r->unit_of, key);

    if (unit || !key || r->failed)
        return unit;
    if (!grow_room(r->units, r->unit_len, r->unit_cap)) {
        r->failed = true;
        return 0;
    }
    unit = r->unit_len++;
    r->units[unit] = (struct unit){
        .key = key, .package = package, .file = file, .lang = lang_at(r, file)};
    r->failed = !map_put(&r->unit_of, key, unit);
    return unit;
}

static uint32_t
add_go_unit(struct resolver *r, uint32_t file)
{
    struct source *source = &r->sources[file];
    sym clause = sym_of(r, file, source->facts->package);
    sym name = sym_join(r, source->folder, STR(""), STR(":"));
    name = sym_join(r, name, STR(""), sym_str(r, clause));
    uint32_t unit = unit_add(r, file, sym_str(r, name), source->folder);

    if (!unit)
        return 0;
    r->units[unit].clause = clause;
    return unit;
}

/* The package that an import of the folder means: not its tests, and not a
 * program that stands there beside a library. */
static void
name_go_folders(struct resolver *r)
{
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 1; i < r->unit_len && !r->failed; i++) {
            const struct unit *unit = &r->units[i];
            str clause = sym_str(r, unit->clause);
            bool is_test = clause.len > 5 &&
                           str_eq(str_cut(clause, clause.len - 5, clause.len),
                                  STR("_test"));
            bool is_main = str_eq(clause, STR("main"));
            if (unit->lang != LANG_GO || is_test || is_main != (pass == 1))
                continue;
            r->failed =
                !map_put(&r->folder_unit, (uint64_t)unit->package + 1, i);
        }
}

/* `services/cart/src/db/mod.rs` of crate `cart` is `cart::db`. */
static sym
rust_module(struct resolver *r, uint32_t file)
{
    str path = r->sources[file].path;
    const struct resolve_settings *settings = &r->settings;
    str folder = {0};
    str crate = STR("crate");
    str rest = path;
    const char *src = memmem(path.ptr, path.len, "src/", 4);

    if (src && (src == path.ptr || src[-1] == '/')) {
        folder = str_cut(path, 0, (size_t)(src - path.ptr));
        folder.len -= folder.len > 0;
        rest = str_cut(path, (size_t)(src + 4 - path.ptr), path.len);
        if (folder.len > 0)
            crate = path_base(folder);
    }
    for (size_t i = 0; i < settings->module_len; i++)
        if (settings->modules[i].lang == LANG_RUST &&
            str_eq(settings->modules[i].folder, folder))
            crate = settings->modules[i].module;
    struct buf out = {0};
    for (size_t i = 0; i < crate.len; i++)
        buf_add(&out,
                crate.ptr[i] == '-' ? STR("_") : str_cut(crate, i, i + 1));
    rest = module_path(LANG_RUST, rest);
    str last = path_base(rest);
    if (str_eq(last, STR("mod")) || str_eq(rest, STR("lib")) ||
        str_eq(rest, STR("main")))
        rest = path_folder(rest);
    while (rest.len > 0) {
        const char *slash = memchr(rest.ptr, '/', rest.len);
        size_t len = slash ? (size_t)(slash - rest.ptr) : rest.len;
        buf_add(&out, STR("::"));
        buf_add(&out, str_cut(rest, 0, len));
        rest = str_cut(rest, slash ? len + 1 : len, rest.len);
    }
    sym module = sym_add(r, buf_str(&out));
    r->failed = r->failed || out.failed;
    buf_fini(&out);
    return module;
}

static void
name_unit(struct resolver *r, uint32_t file)
{
    struct source *source = &r->sources[file];
    uint8_t lang = source->facts->lang;
    sym package = sym_of(r, file, source->facts->package);

    switch (lang) {
    case LANG_GO:
        source->unit = add_go_unit(r, file);
        source->module = source->folder;
        return;
    case LANG_RUST:
        source->module = rust_module(r, file);
        source->unit =
            unit_add(r, file, sym_str(r, source->module), source->module);
        return;
    case LANG_JAVA:
    case LANG_KOTLIN:
    case LANG_CSHARP:
        source->module = package;
        source->unit = unit_add(r, file, sym_str(r, package), package);
        return;
    case LANG_C:
    case LANG_CPP:
        source->module = sym_add(r, source->path);
        source->unit = unit_add(r, file, STR(""), 0);
        return;
    case LANG_RUBY:
        source->unit = unit_add(r, file, STR(""), 0);
        return;
    default:
        source->unit = unit_add(r, file, sym_str(r, package), package);
        return;
    }
}

static void
name_file(struct resolver *r, uint32_t file)
{
    struct source *source = &r->sources[file];
    str folder = path_folder(source->path);

    source->folder = sym_add(r, folder);
    source->module = sym_add(r, module_path(source->facts->lang, source->path));
    sym path = sym_add(r, source->path);
    if (!map_put(&r->path_file, path, file + 1))
        r->failed = true;
    for (; source->facts->lang == LANG_PYTHON; folder = path_folder(folder)) {
        sym name = sym_add(r, folder);
        bool is_known = map_get(&r->folders, (uint64_t)name + 1) != 0;
        if (is_known || r->failed)
            break;
        r->failed = !map_put(&r->folders, (uint64_t)name + 1, 1);
        if (folder.len == 0)
            break;
    }
    name_unit(r, file);
}

/* Python looks for modules where packages begin. */
static void
find_python_roots(struct resolver *r)
{
    struct map seen = {0};
    uint32_t len = 0;

    for (uint32_t file = 0; file < r->source_len && !r->failed; file++) {
        const struct source *source = &r->sources[file];
        if (source->facts->lang != LANG_PYTHON ||
            !str_starts(path_base(source->path), STR("__init__.")))
            continue;
        str parent = path_folder(sym_str(r, source->folder));
        struct buf init = {0};
        path_join(&init, parent, STR("__init__.py"));
        sym above = sym_find(r, buf_str(&init));
        buf_fini(&init);
        sym root = sym_add(r, path_folder(sym_str(r, source->folder)));
        if (source->folder == 0 || map_get(&r->path_file, above) ||
            map_get(&seen, (uint64_t)root + 1))
            continue;
        r->failed = !map_put(&seen, (uint64_t)root + 1, 1);
        sym *grown = realloc(r->python_roots, (len + 1) * sizeof(*grown));
        r->failed = r->failed || !grown;
        if (r->failed)
            break;
        r->python_roots = grown;
        r->python_roots[len++] = root;
    }
    r->python_root_len = len;
    map_fini(&seen);
}

bool
names_prepare(struct resolver *r)
{
    r->unit_len = 1;
    r->unit_cap = 64;
    r->units = calloc(r->unit_cap, sizeof(*r->units));
    if (!r->units)
        return false;
    for (uint32_t file = 0; file < r->source_len && !r->failed; file++)
        name_file(r, file);
    name_go_folders(r);
    find_python_roots(r);
    for (uint32_t file = 0; file < r->source_len && !r->failed; file++)
        names_of_file(r, file);
    r->unit_cap_all = r->unit_len;
    for (uint32_t file = 0; file < r->source_len && !r->failed; file++)
        names_know_types(r, file);
    return !r->failed;
}
