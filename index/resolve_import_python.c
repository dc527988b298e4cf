/*
 * How Python finds modules: leading dots count from the package of the file;
 * other names from folders that are searched, above the file first, then
 * from where the packages of the repository begin.
 */
#include "index/resolve_impl.h"

/* A module, a package, or a folder of modules; |path| is where it would be. */
static struct val
try_path(struct resolver *r, struct buf *path)
{
    static const char *const endings[] = {"/__init__.py", ".py",
                                          "/__init__.pyi", ".pyi"};
    size_t len = path->len;
    struct val val = {0};

    for (size_t i = 0; i < 4; i++) {
        path->len = len;
        str ending = str_of(endings[i]);
        if (len == 0 && ending.ptr[0] == '/')
            ending = str_cut(ending, 1, ending.len);
        buf_add(path, ending);
        uint32_t found = map_get(&r->path_file, sym_find(r, buf_str(path)));
        path->len = len;
        if (found)
            return val_of(VAL_FILE, found - 1, 0, CODE_BY_IMPORT);
    }
    sym folder = sym_find(r, buf_str(path));
    if (folder && map_get(&r->folders, (uint64_t)folder + 1)) {
        val = val_of(VAL_FOLDER, 0, 0, CODE_BY_IMPORT);
        val.name = folder;
    }
    return val;
}

static void
add_dotted(struct buf *path, str module)
{
    for (size_t i = 0; i < module.len; i++) {
        char byte = module.ptr[i];
        if (i == 0 && path->len > 0)
            buf_add_char(path, '/');
        if (byte == '.' && i > 0)
            byte = '/';
        buf_add_char(path, byte);
    }
}

static struct val
try_root(struct resolver *r, str root, str module)
{
    struct buf path = {0};

    buf_add(&path, root);
    add_dotted(&path, module);
    struct val val = try_path(r, &path);
    r->failed = r->failed || path.failed;
    buf_fini(&path);
    return val;
}

static bool
has_file(const struct resolver *r, str folder, str name)
{
    struct buf path = {0};

    path_join(&path, folder, name);
    bool found = map_get(&r->path_file, sym_find(r, buf_str(&path))) != 0;
    buf_fini(&path);
    return found;
}

/* Python looks in the folder of what it runs, though that be a package. */
static bool
is_searched(const struct resolver *r, str folder)
{
    return !has_file(r, folder, STR("__init__.py")) ||
           has_file(r, folder, STR("manage.py"));
}

static struct val
relative(struct resolver *r, uint32_t file, str module)
{
    str folder = path_folder(r->sources[file].path);
    size_t dots = 0;

    while (dots < module.len && module.ptr[dots] == '.')
        dots++;
    for (size_t i = 1; i < dots; i++)
        folder = path_folder(folder);
    return try_root(r, folder, str_cut(module, dots, module.len));
}

/* A folder of one name is less than a module of it elsewhere. */
static struct val
absolute(struct resolver *r, uint32_t file, str module)
{
    str folder = path_folder(r->sources[file].path);
    struct val weak = {0};

    for (uint32_t hops = 0; hops < RESOLVE_HOPS_MAX; hops++) {
        struct val val = {0};
        if (is_searched(r, folder))
            val = try_root(r, folder, module);
        if (val.kind == VAL_FILE)
            return val;
        if (weak.kind == VAL_NONE)
            weak = val;
        if (folder.len == 0)
            break;
        folder = path_folder(folder);
    }
    for (uint32_t i = 0; i < r->python_root_len; i++) {
        struct val val = try_root(r, sym_str(r, r->python_roots[i]), module);
        if (val.kind == VAL_FILE)
            return val;
        if (weak.kind == VAL_NONE)
            weak = val;
    }
    if (weak.kind == VAL_NONE)
        weak = try_root(r, STR("src"), module);
    return weak;
}

struct val
import_module_python(struct resolver *r, uint32_t file, str module)
{
    struct val val = {0};

    if (module.len == 0)
        return val;
    if (module.ptr[0] == '.')
        return relative(r, file, module);
    sym name = sym_add(r, module);
    uint64_t key = (uint64_t)(r->sources[file].folder + 1) << 32 | name;
    uint32_t known = map_get(&r->python_modules, key);
    if (known >= 2)
        return val_of(VAL_FILE, known - 2, 0, CODE_BY_IMPORT);
    if (known == 0)
        val = absolute(r, file, module);
    if (val.kind == VAL_FOLDER) {
        val.module = name; /* which it may only be called like */
        return val;
    }
    if (known == 0 && !map_put(&r->python_modules, key,
                               val.kind == VAL_FILE ? val.file + 2 : 1))
        r->failed = true;
    if (val.kind == VAL_FILE)
        return val;
    if (!map_put(&r->known_modules, name, 1))
        r->failed = true;
    return (struct val){
        .kind = VAL_EXTERNAL, .by = CODE_BY_IMPORT, .module = name};
}

struct val
import_submodule_python(struct resolver *r, uint32_t file, sym name)
{
    str path = r->sources[file].path;

    if (!str_starts(path_base(path), STR("__init__.")))
        return (struct val){0};
    return try_root(r, path_folder(path), sym_str(r, name));
}

struct val
import_in_folder_python(struct resolver *r, sym folder, sym name)
{
    return try_root(r, sym_str(r, folder), sym_str(r, name));
}
