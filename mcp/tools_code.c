/*
 * Which symbol is meant.  What is exact comes before what only fits: a hash or
 * a whole name is one place; then routes and observed nodes, then ends of
 * names, then ids as the tools tell them that know of other things, too.  A
 * route stands for the function that handles it, so one that is both in the
 * code and observed is one place, not two.
 */
#include "mcp/tools_code.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "graph/code_build.h"
#include "knowledge/resolve.h"
#include "mcp/tools_args.h"
#include "mcp/tools_code_snapshot.h"

enum { NEAREST = 4, LISTED = 8 };

struct finding {
    struct tool_run *run;
    const struct joined *joined;
    str word;
    struct ids places;
};

static void
add_place(struct finding *f, uint32_t place)
{
    if (place == 0 || f->run->err)
        return;
    for (size_t i = 0; i < f->places.len; i++)
        if (f->places.ids[i] == place)
            return;
    f->run->err = ids_add(&f->places, place);
}

static void
add_observed(struct finding *f)
{
    struct ids nodes = {0};

    tool_find_node(f->run, f->word, &nodes);
    for (size_t i = 0; i < nodes.len; i++)
        add_place(f, joined_place(f->joined, nodes.ids[i]));
    ids_fini(&nodes);
}

static struct moment
moment_of(const struct finding *f)
{
    return (struct moment){.view = f->run->view, .joined = f->joined};
}

/* What search and explore call it: `func:pkg.Name`, `service:pay@prod`. */
static void
add_object(struct finding *f)
{
    struct moment moment = moment_of(f);
    struct object object = {0};
    struct object_list several = {0};
    enum err err = object_find(&moment, f->word,
                               IN_WORLD(WORLD_RUNTIME) | IN_WORLD(WORLD_CODE),
                               &object, &several);

    if (!err)
        add_place(f, object_place(&moment, &object));
    else if (err != ERR_NOT_FOUND && err != ERR_AMBIGUOUS)
        f->run->err = err;
    for (size_t i = 0; i < several.len; i++)
        add_place(f, object_place(&moment, &several.items[i]));
    object_fini(&object);
    object_list_fini(&several);
}

/* `METHOD path`, or the path alone. */
static bool
is_route(const struct code_route *route, str word)
{
    str method = route->method;

    if (method.len && str_starts(word, method) && word.len > method.len &&
        word.ptr[method.len] == ' ')
        word = str_cut(word, method.len + 1, word.len);
    return word.len > 0 &&
           (str_eq(word, route->raw) || str_eq(word, route->canonical));
}

/* The services of the code's folders that are called |name|. */
static bool
is_in_service(struct finding *f, str name, uint32_t file)
{
    const struct join *join = f->joined->join;

    for (uint32_t i = 0; i < join->folder_len; i++)
        if (str_eq(query_node(f->run->view, join->folders[i].service)->name,
                   name) &&
            join_holds(join, join->folders[i].service, file))
            return true;
    return false;
}

static void
add_routes(struct finding *f)
{
    const struct code *code = f->joined->code;
    const char *space =
        f->word.len ? memchr(f->word.ptr, ' ', f->word.len) : NULL;
    size_t at = space ? (size_t)(space - f->word.ptr) : 0;
    str service = str_cut(f->word, 0, at);
    str rest = space ? str_cut(f->word, at + 1, f->word.len) : (str){"", 0};

    for (uint32_t i = 0; i < code->route_len; i++) {
        const struct code_route *route = &code->routes[i];

        if (route->flags & ROUTE_IS_CLIENT)
            continue;
        if (is_route(route, f->word) ||
            (is_route(route, rest) && is_in_service(f, service, route->file)))
            add_place(f, route->handler ? route->handler : route->node);
    }
}

static void
add_symbols(struct finding *f)
{
    struct ids ids = {0};
    enum err err = code_resolve(f->joined->code, f->word, 0, &ids);

    if (err && err != ERR_NOT_FOUND)
        f->run->err = err;
    for (size_t i = 0; i < ids.len; i++)
        add_place(f, ids.ids[i]);
    ids_fini(&ids);
}

static bool
is_function(const struct joined *joined, uint32_t place)
{
    uint8_t kind = code_node(joined->code, joined_vertex(joined, place))->kind;

    return kind == CODE_FUNCTION || kind == CODE_METHOD;
}

/* Of a function and things of other kinds with its name, the function. */
static void
prefer_functions(struct finding *f)
{
    uint32_t found = 0;

    for (size_t i = 0; i < f->places.len; i++) {
        if (!is_function(f->joined, f->places.ids[i]))
            continue;
        if (found)
            return;
        found = f->places.ids[i];
    }
    if (found) {
        f->places.ids[0] = found;
        f->places.len = 1;
    }
}

static void
find_places(struct finding *f)
{
    unsigned char hash[32];
    uint32_t whole = code_by_qualified(f->joined->code, f->word);

    if (str_read_hex(f->word, hash, SHA256_LEN)) {
        add_place(f, code_by_hash(f->joined->code, hash));
        if (f->places.len == 0)
            add_observed(f);
        return;
    }
    if (whole) {
        add_place(f, whole);
        return;
    }
    add_observed(f);
    add_routes(f);
    if (f->places.len == 0 || !memchr(f->word.ptr, ' ', f->word.len))
        add_symbols(f);
    if (f->places.len > 1)
        prefer_functions(f);
    if (f->places.len == 0)
        add_object(f);
}

/* A name that finds |place| alone: of what is observed with its environment. */
static void
add_name(struct finding *f, uint32_t place, struct buf *out)
{
    uint32_t node = joined_node(f->joined, place);
    struct moment moment = moment_of(f);
    struct object object = {0};

    if (node == 0 || query_node(f->run->view, node)->env.len == 0) {
        place_name(f->run, f->joined, place, out);
        return;
    }
    enum err err = object_of_node(&moment, node, &object);
    if (err)
        f->run->err = err;
    buf_add(out, buf_str(&object.gid));
    object_fini(&object);
}

static void
fail_several(struct finding *f, const char *name)
{
    struct buf text = {0};

    for (size_t i = 0; i < f->places.len && i < LISTED; i++) {
        uint32_t vertex = joined_vertex(f->joined, f->places.ids[i]);
        const struct code_vertex *node = code_node(f->joined->code, vertex);
        str path = f->joined->code->files[node->file].path;

        buf_add(&text, i ? STR(", \"") : STR("\""));
        add_name(f, f->places.ids[i], &text);
        buf_add_char(&text, '"');
        if (vertex && node->file)
            buf_printf(&text, " (%s, %.*s:%u)", code_kind_str(node->kind),
                       (int)path.len, path.ptr, node->line);
    }
    tool_fail(f->run, ERR_AMBIGUOUS,
              "%s '%.200s' fits %zu; use one of: %s%s, or a hash", name,
              f->word.ptr, f->places.len, buf_cstr(&text),
              f->places.len > LISTED ? ", ..." : "");
    buf_fini(&text);
}

static bool
is_but_case(str a, str b)
{
    return a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

/* Part of a hash, as its digits say; one without any may be a name. */
static bool
is_cut_hash(str word)
{
    bool has_digit = false;

    for (size_t i = 0; i < word.len; i++) {
        if (!isxdigit((unsigned char)word.ptr[i]))
            return false;
        has_digit |= isdigit((unsigned char)word.ptr[i]) != 0;
    }
    return has_digit && word.len != (size_t)2 * SHA256_LEN;
}

static void
fail_none(struct finding *f, const char *name)
{
    const struct code *code = f->joined->code;
    struct ids near = {0};
    struct ids seen = {0};
    struct buf text = {0};
    enum err err = code_nearest(code, 0, f->word, NEAREST, &near);

    if (!err)
        err = query_nearest(f->run->view, 0, f->word, NEAREST, &seen);
    size_t len = err ? 0 : near.len + seen.len;
    str other = query_node(f->run->view, seen.len ? seen.ids[0] : 0)->name;
    size_t first = len && is_but_case(other, f->word) ? near.len : 0;
    for (size_t k = 0; k < len; k++) {
        size_t i = (first + k) % len;
        uint32_t place = i < near.len ? near.ids[i]
                                      : code->node_len + seen.ids[i - near.len];
        if (place >= f->joined->place_len)
            continue; /* seen since the graph was made: not to be found */
        buf_add(&text, text.len ? STR(", \"") : STR("\""));
        add_name(f, place, &text);
        buf_add_char(&text, '"');
    }
    if (is_cut_hash(f->word))
        tool_fail(
            f->run, ERR_INVALID,
            "%s: invalid hash \"%.200s\": expected %d bytes, got %zu; nor is "
            "it a name",
            name, f->word.ptr, SHA256_LEN, f->word.len / 2);
    else
        tool_fail(f->run, ERR_INVALID, "%s '%.200s' unknown", name,
                  f->word.ptr);
    if (text.len)
        buf_printf(f->run->why, "; closest: %s", buf_cstr(&text));
    buf_add(f->run->why,
            code->node_len > 1
                ? STR("; graph_query lists names by their beginning")
                : STR("; no code was indexed yet: run `spangraph index FOLDER` "
                      "on the same data directory"));
    buf_fini(&text);
    ids_fini(&near);
    ids_fini(&seen);
}

void
tool_fail_missing(struct tool_run *run, const char *name)
{
    tool_fail(run, ERR_INVALID, "missing required argument: %s; try %s%s", name,
              run->tool->name, run->tool->example);
}

uint32_t
tool_place(struct tool_run *run, const struct joined *joined, const char *name)
{
    struct finding f = {
        .run = run, .joined = joined, .word = tool_str(run, name)};
    uint32_t found = 0;

    if (run->err)
        return 0;
    if (f.word.len == 0) {
        tool_fail_missing(run, name);
        return 0;
    }
    find_places(&f);
    if (!run->err && f.places.len == 0)
        fail_none(&f, name);
    else if (!run->err && f.places.len > 1)
        fail_several(&f, name);
    else if (!run->err)
        found = f.places.ids[0];
    ids_fini(&f.places);
    return found;
}

uint8_t
tool_evidence(struct tool_run *run)
{
    str word = tool_str(run, "evidence");

    if (word.len == 0 || str_eq(word, STR("both")))
        return BY_BOTH;
    if (str_eq(word, STR("static")))
        return BY_STATIC;
    if (str_eq(word, STR("observed")))
        return BY_OBSERVED;
    tool_fail(run, ERR_INVALID,
              "evidence \"%.40s\" is none of static, observed, both", word.ptr);
    return BY_BOTH;
}

void
tool_files(struct tool_run *run, const struct code *code, struct ids *out)
{
    str rest = tool_str(run, "files");
    uint32_t repo = 0;

    if (!run->err && rest.len == 0)
        tool_fail_missing(run, "files");
    if (tool_str(run, "repo_url").len)
        repo = tool_repo(run, code, "repo_url");
    while (!run->err && rest.len) {
        const char *comma = memchr(rest.ptr, ',', rest.len);
        size_t len = comma ? (size_t)(comma - rest.ptr) : rest.len;
        str path = str_strip(str_cut(rest, 0, len), ' ');
        size_t before = out->len;

        rest = str_cut(rest, len + 1, rest.len);
        if (path.len == 0)
            continue;
        run->err = code_file_by_path(code, repo, path, out);
        if (out->len == before)
            tool_hint(run, "no file \"%.*s\" was indexed", (int)path.len,
                      path.ptr);
    }
    if (!run->err && out->len == 0)
        tool_fail(run, ERR_INVALID, "none of the files '%.200s' was indexed%s",
                  tool_str(run, "files").ptr,
                  code->file_len > 1
                      ? "; paths are from the top of the repository: "
                        "repo_graph lists them"
                      : ": run `spangraph index FOLDER` on the same data "
                        "directory");
}

/* ---- walking ---- */

/* What stands in a type, a file, a package, at any depth. */
static void
add_members(struct tool_run *run, const struct code *code, struct ids *starts)
{
    for (size_t k = 0; k < starts->len && !run->err; k++) {
        uint32_t v = starts->ids[k];

        for (uint32_t i = code->out_at[v]; i < code->out_at[v + 1]; i++)
            if (code->out[i].type == CODE_CONTAINS && !run->err &&
                starts->len < code->node_len)
                run->err = ids_add(starts, code->out[i].node);
    }
}

/* What a service serves, where its functions are not known or are. */
static void
add_served(struct tool_run *run, const struct joined *joined, uint32_t place,
           struct ids *starts)
{
    const struct query_node *node =
        query_node(run->view, joined_node(joined, place));
    const struct query_find find = {.owner = node->id};
    struct ids owned = {0};

    if (run->err || node->kind != NODE_SERVICE)
        return;
    run->err = query_find(run->view, &find, &owned);
    for (size_t i = 0; i < owned.len && !run->err; i++)
        run->err = ids_add(starts, joined_place(joined, owned.ids[i]));
    ids_fini(&owned);
}

static bool
holds_others(uint8_t kind)
{
    return kind == CODE_TYPE || kind == CODE_INTERFACE || kind == CODE_FILE ||
           kind == CODE_PACKAGE;
}

void
tool_starts(struct tool_run *run, const struct joined *joined, uint32_t place,
            struct ids *out)
{
    uint8_t kind = code_node(joined->code, joined_vertex(joined, place))->kind;

    if (!run->err)
        run->err = ids_add(out, place);
    if (!run->err && holds_others(kind))
        add_members(run, joined->code, out);
    add_served(run, joined, place, out);
}

void
tool_walk(struct tool_run *run, const struct joined *joined,
          const struct tool_walk *ask, struct joined_walk *out, size_t *starts)
{
    struct ids from = {0};

    *out = (struct joined_walk){0};
    *starts = 0;
    tool_starts(run, joined, ask->place, &from);
    const struct joined_ask walk = {
        .from = from.ids,
        .from_len = from.len,
        .is_backward = ask->is_backward,
        .evidence = ask->evidence,
        .max_depth = ask->max_depth,
        .view = run->view,
    };
    if (!run->err)
        run->err = joined_reach(joined, &walk, out);
    while (*starts < out->len && out->steps[*starts].depth == 0)
        (*starts)++;
    if (*starts > 1)
        tool_hint(run, "%zu symbols that stand in it count as it", *starts - 1);
    ids_fini(&from);
}
