/*
 * What applies to all controllers of an application: NestJS's global prefix,
 * JAX-RS's application path.  It is told once, in a file of the application's
 * folder; controllers below that folder are mounted on it.
 */
#include <string.h>

#include "base/grow.h"
#include "index/routes_marks.h"

/* `services/cart` of `services/cart/src/main.ts`: up to the sources. */
static str
app_folder(str path)
{
    static const char *const roots[] = {"/src/", "/app/", "/lib/"};
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;

    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
        const char *at =
            path.len ? memmem(path.ptr, path.len, roots[i], 5) : NULL;
        if (at)
            return str_cut(path, 0, (size_t)(at - path.ptr));
        if (str_starts(path, str_of(roots[i] + 1)))
            return (str){path.ptr, 0};
    }
    return str_cut(path, 0, slash ? (size_t)(slash - path.ptr) : 0);
}

struct marks_said {
    struct at at;    /* the call, or mark */
    uint32_t router; /* APP_PREFIX: one with that prefix */
    uint8_t framework;
    uint8_t what; /* enum app_says */
};

static void
add_said(struct parts *p, const struct marks_said *said)
{
    for (uint32_t i = 0; i < p->app_len; i++)
        if (p->apps[i].at.file == said->at.file &&
            p->apps[i].at.id == said->at.id)
            return;
    if (!grow_room(p->apps, p->app_len, p->app_cap)) {
        p->failed = true;
        return;
    }
    p->apps[p->app_len++] = *said;
}

void
marks_add_app(struct parts *p, enum framework framework, struct at at,
              uint32_t router, enum app_says what)
{
    add_said(
        p, &(struct marks_said){at, router, (uint8_t)framework, (uint8_t)what});
}

bool
marks_app_next(const struct parts *p, enum framework framework, uint32_t *i,
               struct marks_app_at *out)
{
    for (; *i < p->app_len; ++*i)
        if (p->apps[*i].framework == framework) {
            *out = (struct marks_app_at){p->apps[*i].at, p->apps[*i].router};
            ++*i;
            return true;
        }
    return false;
}

static void
add_app(struct parts *p, enum framework framework, struct at at,
        struct at prefix)
{
    struct verb_path path;

    if (!verb_prefix(p, prefix, &path))
        return;
    str text = texts_get(&p->texts, path.text);
    if (framework == FW_JAXRS && str_ends(text, STR("/*")))
        path.text = texts_add(&p->texts, str_cut(text, 0, text.len - 2));
    uint32_t id = router_make(p, SPACE_EXPR, at, framework, 0);
    if (!id)
        return;
    p->routers[id].prefix = path.text;
    if (path.is_tail)
        p->routers[id].flags |= ROUTER_TAIL;
    add_said(p, &(struct marks_said){at, id, (uint8_t)framework, APP_PREFIX});
}

static bool
holds(str folder, str path)
{
    return folder.len == 0 ||
           (str_starts(path, folder) && path.ptr[folder.len] == '/');
}

bool
marks_app_holds(const struct parts *p, uint32_t app, uint32_t file)
{
    return holds(app_folder(p->files[app].path), p->files[file].path);
}

/* What is said in the innermost folder that holds |file|, or NULL. */
static const struct marks_said *
said_for(const struct parts *p, enum framework framework, uint32_t file,
         enum app_says what)
{
    const struct marks_said *best = NULL;
    size_t best_len = 0;

    for (uint32_t i = 0; i < p->app_len; i++) {
        const struct marks_said *app = &p->apps[i];
        str folder = app_folder(p->files[app->at.file].path);
        if (app->framework != framework || app->what != what ||
            !holds(folder, p->files[file].path) ||
            (best && folder.len < best_len))
            continue;
        best = app;
        best_len = folder.len;
    }
    return best;
}

uint32_t
marks_base_at(const struct parts *p, enum framework framework, uint32_t file)
{
    const struct marks_said *said = said_for(p, framework, file, APP_PREFIX);

    return said ? said->router : 0;
}

uint32_t
marks_base(struct parts *p, uint32_t router)
{
    const struct router *of = &p->routers[router];

    return marks_base_at(p, (enum framework)of->framework, of->at.file);
}

struct at
marks_app(struct parts *p, enum framework framework, uint32_t file,
          enum app_says what)
{
    const struct marks_said *said = said_for(p, framework, file, what);

    return said ? said->at : (struct at){file, 0};
}

/* configurer.addPathPrefix("/api", c -> ...) of a WebMvcConfigurer, by which
 * some controllers, as the predicate says, are elsewhere; setBasePath("/api")
 * of a RepositoryRestConfigurer */
static void
spring_app(struct parts *p, struct at call)
{
    str word = part_word(p, part_callee(p, call));

    if (str_eq(word, STR("setBasePath")) &&
        part_imports(p, call.file, "org.springframework.data.rest"))
        add_said(p, &(struct marks_said){call, 0, FW_SPRING, APP_DATA});
    if (str_eq(word, STR("addPathPrefix")) &&
        part_imports(p, call.file, "org.springframework"))
        add_said(p, &(struct marks_said){call, 0, FW_SPRING, APP_MOVED});
}

/* app.setGlobalPrefix('api'), app.enableVersioning({...}) */
static void
nestjs_app(struct parts *p, struct at call)
{
    str word = part_word(p, part_callee(p, call));
    bool is_prefix = str_eq(word, STR("setGlobalPrefix"));

    if (str_eq(word, STR("register")) &&
        part_is(p, part_receiver(p, call), "@nestjs/core.RouterModule"))
        add_said(p, &(struct marks_said){call, 0, FW_NESTJS, APP_MODULES});
    if ((!is_prefix && !str_eq(word, STR("enableVersioning"))) ||
        (!part_imports(p, call.file, "@nestjs/core") &&
         !part_imports(p, call.file, "@nestjs/common")))
        return;
    if (is_prefix)
        add_app(p, FW_NESTJS, call, part_arg(p, call, 0));
    else
        add_said(p, &(struct marks_said){call, 0, FW_NESTJS, APP_VERSIONS});
}

void
marks_apps(struct parts *p, uint32_t file)
{
    const struct facts *facts = part_facts(p, file);
    bool is_nest =
        facts->lang == LANG_TYPESCRIPT || facts->lang == LANG_JAVASCRIPT;

    for (uint32_t i = 1; is_nest && i < facts->expr_len; i++)
        if (facts->exprs[i].kind == EXPR_CALL) {
            nestjs_app(p, (struct at){file, i});
            marks_server(p, (struct at){file, i});
        }
    if (facts->lang != LANG_JAVA && facts->lang != LANG_KOTLIN)
        return;
    for (uint32_t i = 1; i < facts->expr_len; i++)
        if (facts->exprs[i].kind == EXPR_CALL)
            spring_app(p, (struct at){file, i});
    for (uint32_t d = 1; d < facts->def_len; d++) {
        struct at mark;
        for (uint32_t i = 0; (mark = mark_at(p, (struct at){file, d}, i)).id;
             i++) {
            const struct mark_rule *rule = mark_rule(p, mark);
            if (rule && rule->role == MARK_APP)
                add_app(p, FW_JAXRS, mark, mark_path(p, mark));
        }
    }
}

text_id
marks_named_path(struct parts *p, text_id path, struct at def)
{
    str name = part_str(p, def.file, part_def(p, def)->name);
    struct buf out = {0};

    if (texts_get(&p->texts, path).len > 0)
        return path;
    buf_add_char(&out, '/');
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool is_upper = c >= 'A' && c <= 'Z';
        bool was_upper =
            i > 0 && name.ptr[i - 1] >= 'A' && name.ptr[i - 1] <= 'Z';
        if (is_upper && i > 0 && !was_upper)
            buf_add_char(&out, '-');
        buf_add_char(&out, (char)(is_upper ? c - 'A' + 'a' : c));
    }
    return part_keep(p, &out, path);
}
