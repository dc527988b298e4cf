/*
 * How JavaScript and TypeScript find modules: relative paths, `paths` of a
 * tsconfig.json, packages of the workspace; extensions left out, `.js` written
 * for `.ts`, folders for their index.
 */
#include "index/resolve_impl.h"

static uint32_t
find_path(const struct resolver *r, str path)
{
    return map_get(&r->path_file, sym_find(r, path));
}

static uint32_t
try_endings(struct resolver *r, struct buf *path)
{
    static const char *const endings[] = {
        ".ts",       ".tsx",       ".d.ts",      ".js",
        ".jsx",      ".mjs",       ".cjs",       ".mts",
        ".cts",      "/index.ts",  "/index.tsx", "/index.d.ts",
        "/index.js", "/index.jsx", "/index.mjs", "/index.cjs",
    };
    size_t len = path->len;
    uint32_t found = find_path(r, buf_str(path));

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]) && !found;
         i++) {
        path->len = len;
        str ending = str_of(endings[i]);
        if (len == 0)
            ending = str_cut(ending, 1, ending.len);
        buf_add(path, ending);
        found = find_path(r, buf_str(path));
    }
    path->len = len;
    return found;
}

/* `./store.js` is how an ES module names what was store.ts. */
static uint32_t
try_sources(struct resolver *r, struct buf *path)
{
    static const struct {
        const char *written;
        const char *meant[2];
    } pairs[] = {
        {".js", {".ts", ".tsx"}},
        {".jsx", {".tsx", ".ts"}},
        {".mjs", {".mts", ".ts"}},
        {".cjs", {".cts", ".ts"}},
    };
    size_t len = path->len;

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        size_t cut = strlen(pairs[i].written);
        if (len <= cut ||
            memcmp(path->ptr + len - cut, pairs[i].written, cut) != 0)
            continue;
        for (int k = 0; k < 2; k++) {
            path->len = len - cut;
            buf_add(path, str_of(pairs[i].meant[k]));
            uint32_t found = find_path(r, buf_str(path));
            path->len = len;
            if (found)
                return found;
            buf_reset(path);
        }
        return 0;
    }
    return 0;
}

static uint32_t
try_path(struct resolver *r, str folder, str rest)
{
    struct buf path = {0};
    uint32_t found = 0;

    if (path_join(&path, folder, rest))
        found = try_endings(r, &path);
    if (!found && path_join(&path, folder, rest))
        found = try_sources(r, &path);
    r->failed = r->failed || path.failed;
    buf_fini(&path);
    return found;
}

static bool
is_in(str path, str folder)
{
    return folder.len == 0 ||
           (str_starts(path, folder) && path.len > folder.len &&
            path.ptr[folder.len] == '/');
}

/* The tsconfig.json nearest to the file, and in it the longest prefix. */
static uint32_t
try_aliases(struct resolver *r, str path, str module)
{
    const struct resolve_settings *settings = &r->settings;
    uint32_t found = 0;
    size_t best = 0;

    for (size_t i = 0; i < settings->alias_len; i++) {
        const struct resolve_alias *alias = &settings->aliases[i];
        size_t rank = alias->folder.len * 1024 + alias->prefix.len + 1;
        if (rank <= best || !is_in(path, alias->folder) ||
            !str_starts(module, alias->prefix))
            continue;
        struct buf rest = {0};
        struct buf base = {0};
        uint32_t at = 0;
        buf_add(&rest, alias->target);
        buf_add(&rest, str_cut(module, alias->prefix.len, module.len));
        if (path_join(&base, alias->folder, buf_str(&rest)))
            at = try_path(r, STR(""), buf_str(&base));
        buf_fini(&rest);
        buf_fini(&base);
        if (!at)
            continue;
        found = at;
        best = rank;
    }
    return found;
}

static uint32_t
try_workspace(struct resolver *r, str module)
{
    const struct resolve_settings *settings = &r->settings;
    static const char *const mains[] = {"src/index", "index", "lib/index",
                                        "src/main", "src"};
    uint32_t found = 0;

    for (size_t i = 0; i < settings->module_len && !found; i++) {
        const struct resolve_module *own = &settings->modules[i];
        if (!is_script(own->lang) || own->module.len == 0 ||
            !str_starts(module, own->module))
            continue;
        str rest = str_cut(module, own->module.len, module.len);
        if (rest.len > 0 && rest.ptr[0] != '/')
            continue;
        rest = str_cut(rest, 1, rest.len);
        if (rest.len > 0)
            found = try_path(r, own->folder, rest);
        for (size_t k = 0; k < 5 && !found; k++) {
            struct buf path = {0};
            buf_add(&path, str_of(mains[rest.len > 0 ? 4 : k]));
            if (rest.len > 0)
                buf_add_char(&path, '/');
            buf_add(&path, rest);
            found = try_path(r, own->folder, buf_str(&path));
            buf_fini(&path);
            if (rest.len > 0)
                break;
        }
    }
    return found;
}

struct val
import_module_js(struct resolver *r, uint32_t file, str module)
{
    str path = r->sources[file].path;
    uint32_t found = 0;

    if (str_starts(module, STR("./")) || str_starts(module, STR("../")) ||
        str_eq(module, STR(".")) || str_eq(module, STR(".."))) {
        found = try_path(r, path_folder(path), module);
    } else if (module.len > 0) {
        found = try_aliases(r, path, module);
        if (!found)
            found = try_workspace(r, module);
    }
    if (found)
        return val_of(VAL_FILE, found - 1, 0, CODE_BY_IMPORT);
    if (str_starts(module, STR("node:")))
        module = str_cut(module, 5, module.len);
    sym name = sym_add(r, module);
    if (name && !map_put(&r->known_modules, name, 1))
        r->failed = true;
    return (struct val){
        .kind = VAL_EXTERNAL, .by = CODE_BY_IMPORT, .module = name};
}
