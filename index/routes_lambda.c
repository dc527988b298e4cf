/*
 * AWS Lambda: which function the API Gateway asks for which path stands beside
 * the code, in serverless.yml or in a template of SAM:
 *
 *     functions:                      Resources:
 *       list:                           List:
 *         handler: src/users.list         Type: AWS::Serverless::Function
 *         events:                         Properties:
 *           - http: GET users               CodeUri: src/
 *                                           Handler: users.list
 *                                           Events:
 *                                             Get:
 *                                               Type: Api
 *                                               Properties:
 *                                                 { Path: /users, Method: get }
 *
 * A route stands where its handler is; one whose file is not of the repository
 * (what is built elsewhere, as Go's `bootstrap`) is not told.
 */
#include <string.h>

#include <cjson/cJSON.h>

#include "index/context.h"
#include "index/routes_files.h"
#include "index/routes_place.h"
#include "index/routes_rules.h"

/* More than AWS lets a stack have of functions (500 resources), and an API of
 * routes (300). */
enum { FUNCTIONS_MAX = 2000, EVENTS_MAX = 1000 };

/* A function: where its code is, and what of it answers. */
struct lambda {
    struct parts *p;
    str folder; /* that paths are told from, with its slash */
    str code;   /* below it, and before the handler's path */
    str name;
    uint32_t file;
    uint32_t def; /* not of JavaScript; 0: not seen */
    unsigned events;
};

static const cJSON *
member(const cJSON *of, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(of, name);
}

static str
text_of(const cJSON *of, const char *name)
{
    const cJSON *item = member(of, name);

    return cJSON_IsString(item) ? str_of(item->valuestring) : (str){"", 0};
}

/* ---- the handler ---- */

static bool
is_javascript(const struct parts *p, uint32_t file)
{
    uint8_t lang = part_facts(p, file)->lang;

    return lang >= LANG_JAVASCRIPT && lang <= LANG_TSX;
}

/* Appends |path| to a folder, `./` and `../` worked out; false: it leads out of
 * the repository. */
static bool
walk_path(struct buf *out, str path)
{
    while (path.len > 0) {
        const char *slash = memchr(path.ptr, '/', path.len);
        size_t len = slash ? (size_t)(slash - path.ptr) : path.len;
        str segment = str_cut(path, 0, len);
        path = str_cut(path, len + (slash != NULL), path.len);
        if (str_eq(segment, STR("..")) && out->len == 0)
            return false;
        if (str_eq(segment, STR(".."))) {
            out->len--;
            while (out->len > 0 && out->ptr[out->len - 1] != '/')
                out->len--;
        } else if (segment.len > 0 && !str_eq(segment, STR("."))) {
            buf_add(out, segment);
            if (slash)
                buf_add_char(out, '/');
        }
    }
    return true;
}

/* The folder of the code, with its slash. */
static bool
code_folder(const struct lambda *l, struct buf *out)
{
    buf_add(out, l->folder);
    if (!walk_path(out, l->code))
        return false;
    if (out->len > 0 && out->ptr[out->len - 1] != '/')
        buf_add_char(out, '/');
    return true;
}

/* |stem| with whatever ending a language's files have. */
static bool
find_file(struct lambda *l, str stem)
{
    static const char *const endings[] = {".ts",  ".js",  ".mjs", ".cjs",
                                          ".mts", ".cts", ".tsx", ".jsx",
                                          ".py",  ".rb"};
    struct buf path = {0};
    bool is_found = false;

    if (!code_folder(l, &path) || !walk_path(&path, stem)) {
        l->p->failed |= path.failed;
        buf_fini(&path);
        return false;
    }
    size_t len = path.len;
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings) && !is_found;
         i++) {
        path.len = len;
        buf_add(&path, str_of(endings[i]));
        is_found = !path.failed && file_at(l->p, buf_str(&path), &l->file);
    }
    l->p->failed |= path.failed;
    buf_fini(&path);
    return is_found;
}

/* Appends a name's path in folders. */
static void
add_dotted(struct buf *out, str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] == '.')
            buf_add_char(out, '/');
        else
            buf_add_char(out, name.ptr[i]);
}

/* Python's modules may be told with dots: `src.users.list`. */
static bool
find_module(struct lambda *l, str stem)
{
    struct buf path = {0};
    bool is_found;

    if (find_file(l, stem))
        return true;
    add_dotted(&path, stem);
    l->p->failed |= path.failed;
    is_found = !path.failed && find_file(l, buf_str(&path)) &&
               !is_javascript(l->p, l->file);
    buf_fini(&path);
    return is_found;
}

/* A function of the file itself, or of its class |type|. */
static uint32_t
find_def(const struct parts *p, uint32_t file, str type, str name)
{
    const struct facts *facts = part_facts(p, file);

    for (uint32_t d = 1; d < facts->def_len; d++) {
        const struct fact_def *def = &facts->defs[d];
        str of = def->parent ? facts_text(facts, facts->defs[def->parent].name)
                             : STR("");
        if ((def->kind == CODE_FUNCTION || def->kind == CODE_METHOD) &&
            str_eq(of, type) && str_eq(facts_text(facts, def->name), name))
            return d;
    }
    return 0;
}

/* Of Java and Kotlin: `o.shop.Users::list`, the method of AWS' own interface
 * where none is told.  The class is below the folder of the code, or the only
 * one of its name. */
static bool
find_class(struct lambda *l, str handler)
{
    const char *colons =
        handler.len ? memmem(handler.ptr, handler.len, "::", 2) : NULL;
    size_t len = colons ? (size_t)(colons - handler.ptr) : handler.len;
    struct buf path = {0};
    struct buf code = {0};
    bool is_found = false;

    add_dotted(&path, str_cut(handler, 0, len));
    size_t stem = path.len;
    bool ok = code_folder(l, &code) && !code.failed;
    for (int kotlin = 0; kotlin < 2 && ok && !is_found; kotlin++) {
        path.len = stem;
        buf_add(&path, kotlin ? STR(".kt") : STR(".java"));
        ok = !path.failed;
        struct file_range range = ok ? files_ending(l->p, buf_str(&path))
                                     : (struct file_range){NULL, 0};
        for (uint32_t i = 0; i < range.len && !is_found; i++) {
            is_found = range.len == 1 ||
                       str_starts(range.rows[i].path, buf_str(&code));
            l->file = range.rows[i].file;
        }
    }
    if (is_found) {
        size_t type = len;
        while (type > 0 && handler.ptr[type - 1] != '.')
            type--;
        l->name = colons ? str_cut(handler, len + 2, handler.len)
                         : STR("handleRequest");
        l->def = find_def(l->p, l->file, str_cut(handler, type, len), l->name);
    }
    l->p->failed |= path.failed || code.failed;
    buf_fini(&path);
    buf_fini(&code);
    return is_found;
}

/* `src/users.list`: what is behind the last dot is the function. */
static bool
find_handler(struct lambda *l, str handler)
{
    size_t dot = handler.len;

    if (handler.len == 0)
        return false;
    while (dot > 0 && handler.ptr[dot - 1] != '.' &&
           handler.ptr[dot - 1] != '/')
        dot--;
    if (dot > 1 && handler.ptr[dot - 1] == '.' &&
        find_module(l, str_cut(handler, 0, dot - 1))) {
        l->name = str_cut(handler, dot, handler.len);
        if (!is_javascript(l->p, l->file))
            l->def = find_def(l->p, l->file, STR(""), l->name);
    } else if (!find_class(l, handler)) {
        return false;
    }
    return !(part_facts(l->p, l->file)->flags & FACTS_TEST);
}

/* ---- what it is asked for ---- */

/* What a variable before the path is (`${self:custom.base}/users`) is not
 * known; others may stand in it (`${opt:base, ${self:custom.base}}/users`). */
static str
known_end(str path, uint32_t *flags)
{
    size_t depth = 0;
    size_t known = 0;

    for (size_t i = 0; i < path.len; i++) {
        bool is_variable = depth > 0 || (i > 0 && path.ptr[i - 1] == '$');
        if (path.ptr[i] == '{' && is_variable)
            depth++;
        else if (path.ptr[i] == '}' && depth > 0 && --depth == 0)
            known = i + 1;
    }
    if (depth > 0)
        known = path.len;
    if (known > 0)
        *flags |= ENTRY_TAIL;
    return str_cut(path, known, path.len);
}

static text_id
path_of(struct parts *p, str path)
{
    struct buf out = {0};

    if (path.len == 0 || path.ptr[0] != '/')
        buf_add_char(&out, '/');
    buf_add(&out, path);
    return part_keep(p, &out, 0);
}

/* |path| `*`: all that no other function is asked for. */
static void
serve(struct lambda *l, str method, str path)
{
    struct parts *p = l->p;
    struct route_entry entry = {.framework = FW_LAMBDA};
    char upper[16];

    if (++l->events > EVENTS_MAX || method.len == 0 || method.ptr[0] == '$')
        return;
    if (str_eq(path, STR("*")))
        path = STR("/{proxy+}");
    path = known_end(path, &entry.flags);
    if (path.len == 0 && entry.flags)
        return;
    method = str_upper(method, upper, sizeof(upper));
    entry.method =
        texts_add(&p->texts, str_eq(method, STR("*")) ? STR("ANY") : method);
    entry.path = path_of(p, path);
    if (is_javascript(p, l->file)) {
        place_named(p, l->file, l->name, &entry);
        return;
    }
    entry.at = (struct at){l->file, l->def};
    entry.at_def = true;
    entry.handler = l->def ? resolve_node(p->r, l->file, l->def) : 0;
    entry_add(p, &entry);
}

/* `http: GET users/{id}`, `http: { method: get, path: users }`; of an HTTP API
 * `httpApi: '*'`, too. */
static void
serve_event(struct lambda *l, const cJSON *event)
{
    if (cJSON_IsObject(event)) {
        str method = text_of(event, "method");
        if (cJSON_IsString(member(event, "path"))) /* of the root: empty */
            serve(l, method.len ? method : STR("*"), text_of(event, "path"));
        return;
    }
    str text =
        cJSON_IsString(event) ? str_of(event->valuestring) : (str){"", 0};
    const char *space = text.len ? memchr(text.ptr, ' ', text.len) : NULL;
    size_t at = space ? (size_t)(space - text.ptr) : text.len;
    str method = str_cut(text, 0, at);
    while (at < text.len && text.ptr[at] == ' ')
        at++;
    if (str_eq(text, STR("*")))
        serve(l, text, text);
    else if (space)
        serve(l, method, str_cut(text, at, text.len));
}

static void
serve_sam(struct lambda *l, const cJSON *event)
{
    const cJSON *says = member(event, "Properties");
    str type = text_of(event, "Type");
    str path = text_of(says, "Path");
    str method = text_of(says, "Method");

    if (path.len == 0 && str_eq(type, STR("HttpApi")))
        path = STR("*");
    if ((str_eq(type, STR("Api")) || str_eq(type, STR("HttpApi"))) &&
        path.len > 0)
        serve(l, method.len ? method : STR("*"), path);
}

/* ---- the files ---- */

static void
walk_function(struct lambda l, const cJSON *function)
{
    const cJSON *event;

    if (!find_handler(&l, text_of(function, "handler")))
        return;
    part_open(l.p, l.file);
    cJSON_ArrayForEach(event, member(function, "events"))
    {
        serve_event(&l, member(event, "http"));
        serve_event(&l, member(event, "httpApi"));
    }
}

/* |globals| say what a function does not say itself. */
static void
walk_sam(struct lambda l, const cJSON *resource, const cJSON *globals)
{
    const cJSON *says = member(resource, "Properties");
    str handler = text_of(says, "Handler");
    const cJSON *event;

    if (!str_eq(text_of(resource, "Type"), STR("AWS::Serverless::Function")))
        return;
    l.code = text_of(member(says, "CodeUri") ? says : globals, "CodeUri");
    if (handler.len == 0)
        handler = text_of(globals, "Handler");
    if (!find_handler(&l, handler))
        return;
    part_open(l.p, l.file);
    cJSON_ArrayForEach(event, member(says, "Events")) serve_sam(&l, event);
}

/* Functions by their names, or a list of such. */
static void
walk_functions(struct lambda l, const cJSON *functions, unsigned *left)
{
    const cJSON *item;
    const cJSON *function;

    cJSON_ArrayForEach(item, functions)
    {
        if (cJSON_IsObject(functions) && *left > 0) {
            --*left;
            walk_function(l, item);
        }
        if (!cJSON_IsArray(functions))
            continue;
        cJSON_ArrayForEach(function, item) if (*left > 0)
        {
            --*left;
            walk_function(l, function);
        }
    }
}

void
routes_lambda(struct parts *p)
{
    for (size_t i = 0; i < p->contexts->lambda_len && !p->failed; i++) {
        const struct context_yaml *yaml = &p->contexts->lambda[i];
        const cJSON *globals =
            member(member(yaml->root, "Globals"), "Function");
        struct lambda l = {.p = p, .folder = str_of(yaml->path)};
        unsigned left = FUNCTIONS_MAX;
        const cJSON *resource;

        while (l.folder.len > 0 && l.folder.ptr[l.folder.len - 1] != '/')
            l.folder.len--;
        walk_functions(l, member(yaml->root, "functions"), &left);
        cJSON_ArrayForEach(resource, member(yaml->root, "Resources"))
        {
            if (left-- == 0)
                break;
            walk_sam(l, resource, globals);
        }
    }
}
