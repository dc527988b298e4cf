/*
 * Java's and Kotlin's routes that are calls of static functions: Spark's,
 * Javalin's ApiBuilder.
 */
#include <string.h>

#include "index/routes_block.h"

enum { BLOCKS_MAX = 8 };

static enum framework
owner_of(struct parts *p, struct at call)
{
    struct origin origin;
    char path[64];
    static const struct {
        const char *owner;
        enum framework framework;
    } owners[] = {
        {"spark.Spark.", FW_SPARK},
        {"io.javalin.apibuilder.ApiBuilder.", FW_JAVALIN},
    };
    str name = block_word(p, call);

    if (name.len > 16 || !part_origin(p, part_callee(p, call), &origin))
        return FW_NONE;
    for (size_t i = 0; i < sizeof(owners) / sizeof(owners[0]); i++) {
        size_t len = strlen(owners[i].owner);
        memcpy(path, owners[i].owner, len);
        memcpy(path + len, name.ptr, name.len);
        path[len + name.len] = '\0';
        if (origin_is(p, &origin, path))
            return owners[i].framework;
    }
    return FW_NONE;
}

/* path("/api", () -> { ... }) puts itself before. */
static uint32_t
block_router(struct parts *p, struct at call, enum framework framework,
             unsigned depth)
{
    struct at around = block_call(p, call);
    struct verb_path prefix = {0, false};

    if (!around.id || depth == BLOCKS_MAX)
        return router_make(p, SPACE_FILE, (struct at){call.file, 0}, framework,
                           0);
    uint32_t parent = block_router(p, around, framework, depth + 1);
    if (!block_is(p, around, "path") || owner_of(p, around) != framework)
        return parent;
    if (!verb_prefix(p, part_arg(p, around, 0), &prefix))
        prefix.is_tail = true;
    uint32_t id = router_make(p, SPACE_EXPR, around, framework, 0);
    router_mount_at(p, id, parent, prefix.text,
                    prefix.is_tail ? MOUNT_TAIL : 0);
    return id;
}

static void
static_route(struct parts *p, struct at call)
{
    str method = block_method(p, call);
    enum framework framework = method.len > 0 ? owner_of(p, call) : FW_NONE;
    struct verb_rule rule = {.framework = (uint8_t)framework};
    struct at handler = part_arg(p, call, 1);
    struct at none = {call.file, 0};

    if (framework == FW_NONE || part_args(p, call) == 0)
        return;
    struct verb_call v = {p, call, block_router(p, call, framework, 0), &rule};
    if (!v.router)
        return;
    if (handler.id)
        (void)verb_route(&v, method, part_arg(p, call, 0),
                         part_handler(p, handler));
    else
        verb_root(&v, method, none, part_handler(p, part_arg(p, call, 0)));
}

/* Behind the placeholder at |at|: `${a:${b:/x}}` has another in it. */
static size_t
skip_placeholder(str text, size_t at)
{
    unsigned open = 0;

    for (; at < text.len; at++)
        if (text.ptr[at] == '{')
            open++;
        else if (text.ptr[at] == '}' && open > 0 && --open == 0)
            return at + 1;
    return at;
}

bool
spring_path(struct parts *p, struct verb_path *path)
{
    str text = texts_get(&p->texts, path->text);
    struct buf rest = {0};
    size_t at = 0;

    for (size_t i = 0; i + 1 < text.len; i++)
        if (text.ptr[i] == '$' && text.ptr[i + 1] == '{') {
            at = skip_placeholder(text, i);
            i = at - 1;
        }
    if (at == 0)
        return true;
    if (at < text.len) {
        buf_add(&rest, str_cut(text, at, text.len));
        path->text = texts_add(&p->texts, buf_str(&rest));
        path->is_tail = true;
    }
    p->failed |= rest.failed || p->texts.failed;
    buf_fini(&rest);
    return at < text.len;
}

void
routes_java(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    bool is_static = part_imports(p, file, "spark") ||
                     part_imports(p, file, "io.javalin.apibuilder");

    for (uint32_t i = 1; is_static && i < facts->expr_len && !p->failed; i++)
        if (facts->exprs[i].kind == EXPR_CALL)
            static_route(p, (struct at){file, i});
}
