/*
 * Files of Laravel's routes: the routes of each are a router, mounted where a
 * group is given the file, or requires it.  routes/api.php is below `api` if
 * nobody says otherwise; what stands before others of a folder of routes that
 * nobody takes in is not known, but for routes/web.php.
 */
#include <stdlib.h>
#include <string.h>

#include "index/routes_files.h"
#include "index/routes_laravel.h"
#include "index/routes_php_include.h"
#include "index/routes_rules.h"

static bool
is_default(str path, const char *end)
{
    str whole = str_of(end);

    return str_ends(path, str_of(end)) &&
           (path.len == whole.len || path.ptr[path.len - whole.len - 1] == '/');
}

static bool
is_loose(str path)
{
    static const char *const folders[] = {"routes/", "Routes/"};

    if (is_default(path, "routes/web.php"))
        return false;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        size_t len = strlen(folders[i]);
        const char *at =
            path.len ? memmem(path.ptr, path.len, folders[i], len) : NULL;
        if (at && (at == path.ptr || at[-1] == '/'))
            return true;
    }
    return false;
}

uint32_t
laravel_file(struct parts *p, uint32_t file)
{
    str path = p->files[file].path;
    uint32_t id = router_make(p, SPACE_FILE, (struct at){file, 0}, FW_LARAVEL,
                              is_loose(path) ? ROUTER_OPEN : 0);

    if (id && is_default(path, "routes/api.php"))
        router_mount_at(p, id, 0, texts_add(&p->texts, STR("api")), MOUNT_ELSE);
    return id;
}

static void
mount_file(struct parts *p, struct laravel *l, str text, uint32_t from,
           unsigned flags)
{
    uint32_t file;

    if (php_path_file(p, text, from, &file) && !l->prefix.failed)
        router_mount_at(p, laravel_file(p, file), laravel_file(p, from),
                        texts_add(&p->texts, buf_str(&l->prefix)),
                        flags | (l->is_tail ? MOUNT_TAIL : 0));
    p->failed |= l->prefix.failed || p->texts.failed;
    laravel_fini(l);
}

/* Route::prefix('x')->group(base_path('routes/x.php')) */
static bool
mount_group(struct parts *p, struct at call, bool *taken)
{
    struct laravel l = {.controller = {call.file, 0}};
    struct at last = part_last(p, call);

    if (!block_is(p, call, "group") || !last.id ||
        part_kind(p, last) == EXPR_LAMBDA || !laravel_is_chain(p, call))
        return false;
    str text = php_path_text(p, last);
    if (text.len == 0)
        return false;
    taken[last.id] = true;
    laravel_add_groups(p, &l, block_call(p, call));
    laravel_add_chain(p, &l, call);
    mount_file(p, &l, text, call.file, 0);
    return true;
}

/* ->withRouting(api: __DIR__.'/../routes/api.php', apiPrefix: 'v1') */
static void
mount_api(struct parts *p, struct at call)
{
    struct at api = part_named(p, call, "api");
    struct at prefix = part_named(p, call, "apiPrefix");
    struct laravel l = {.controller = {call.file, 0}};

    if (!api.id || !prefix.id || !block_is(p, call, "withRouting"))
        return;
    struct folded folded = part_text(p, prefix, false, &l.prefix);
    l.is_tail = !folded.ok || folded.is_tail;
    mount_file(p, &l, php_path_text(p, api), call.file, 0);
}

/* `require __DIR__.'/x.php'`, in a group or not. */
static void
mount_required(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t i = 1; i < facts->import_len && !p->failed; i++) {
        const struct fact_import *import = &facts->imports[i];
        struct laravel l = {.controller = {file, 0}};
        struct at def = {file, import->scope};
        if (import->kind != IMPORT_INCLUDE)
            continue;
        if (def.id && facts->defs[def.id].flags & DEF_LAMBDA)
            laravel_add_groups(p, &l, part_lambda_call(p, def));
        mount_file(p, &l, facts_text(facts, import->module), file, 0);
    }
}

static bool
is_grouped(struct parts *p, struct at call)
{
    struct at around = block_call(p, call);

    return around.id && block_is(p, around, "group") &&
           laravel_is_chain(p, around);
}

/* `require base_path('routes/x.php')`; by no group, it may be a path that
 * somebody else takes in. */
static void
mount_named(struct parts *p, struct at call)
{
    struct laravel l = {.controller = {call.file, 0}};

    laravel_add_groups(p, &l, block_call(p, call));
    mount_file(
        p, &l, php_path_text(p, call), call.file,
        l.prefix.len > 0 || l.is_tail || is_grouped(p, call) ? 0 : MOUNT_ELSE);
}

void
laravel_nests(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);

    if (!part_imports(p, file, "Illuminate"))
        return;
    bool *taken = calloc(facts->expr_len + 1, sizeof(*taken));
    p->failed |= !taken;
    for (uint32_t i = facts->expr_len; i-- > 1 && !p->failed;) {
        struct at call = {file, i};
        if (facts->exprs[i].kind != EXPR_CALL || taken[i] ||
            mount_group(p, call, taken))
            continue;
        mount_api(p, call);
        if (block_is(p, call, "file_exists") || block_is(p, call, "is_file"))
            taken[part_arg(p, call, 0).id] = true; /* just looked at */
        if (block_is(p, call, "base_path") && !part_receiver(p, call).id)
            mount_named(p, call);
    }
    free(taken);
    mount_required(p, file);
}
