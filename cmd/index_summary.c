/*
 * Counted from the graph as it was stored, so that it says what is there.
 */
#include "cmd/index_summary.h"

#include <stdio.h>

#include "base/clock.h"
#include "cmd/ask.h"
#include "graph/join.h"
#include "index/sandbox.h"
#include "index/tree.h"

/* How often each word comes, in the order of first sight. */
struct tally {
    struct texts words;
    uint32_t counts[256];
};

static void
tally_add(struct tally *tally, str word)
{
    text_id id = texts_add(&tally->words, word);

    if (id < sizeof(tally->counts) / sizeof(tally->counts[0]))
        tally->counts[id]++;
}

struct summary {
    const struct job_result *result;
    struct tally skipped;
    struct tally provenances;
    struct tally frameworks;
    struct tally edges;
    uint32_t symbols;
    uint32_t routes;
    uint32_t handled;
    uint32_t calls;
    uint32_t guesses;
};

static enum err
summary_init(struct summary *s)
{
    enum err err;

    if (!(err = texts_init(&s->skipped.words, 0)) &&
        !(err = texts_init(&s->provenances.words, 0)) &&
        !(err = texts_init(&s->edges.words, 0)))
        err = texts_init(&s->frameworks.words, 0);
    return err;
}

static void
summary_fini(struct summary *s)
{
    texts_fini(&s->skipped.words);
    texts_fini(&s->provenances.words);
    texts_fini(&s->frameworks.words);
    texts_fini(&s->edges.words);
}

static void
count_edges(struct summary *s)
{
    const struct code_build *build = &s->result->build;

    for (uint32_t i = 0; i < build->edge_len; i++) {
        const struct build_edge *edge = &build->edges[i];

        tally_add(&s->edges, str_of(code_edge_str(edge->type)));
        s->guesses += edge->type == CODE_MAY_CALL;
        if (edge->type != CODE_CALLS)
            continue;
        s->calls++;
        tally_add(&s->provenances,
                  str_of(code_provenance_str(edge->provenance)));
    }
}

static enum err
summarise(struct summary *s)
{
    const struct code_build *build = &s->result->build;
    enum err err = summary_init(s);

    if (err)
        return err;
    for (uint32_t i = 1; i < build->file_len; i++)
        if (build->files[i].skipped)
            tally_add(&s->skipped,
                      texts_get(&build->texts, build->files[i].skipped));
    for (uint32_t i = 1; i < build->node_len; i++) {
        uint8_t kind = build->nodes[i].kind;
        s->symbols += kind >= CODE_FUNCTION && kind <= CODE_FIELD;
    }
    count_edges(s);
    for (uint32_t i = 0; i < build->route_len; i++) {
        const struct build_route *route = &build->routes[i];
        if (route->flags & ROUTE_IS_CLIENT)
            continue;
        s->routes++;
        s->handled += route->handler != 0;
        tally_add(&s->frameworks, texts_get(&build->texts, route->framework));
    }
    return OK;
}

static void
add_tally(cJSON *object, const char *name, const struct tally *tally)
{
    cJSON *part = cJSON_AddObjectToObject(object, name);
    struct buf key = {0};

    for (text_id id = 1; id < tally->words.len && id < 256; id++) {
        buf_reset(&key);
        buf_add(&key, texts_get(&tally->words, id));
        cJSON_AddNumberToObject(part, buf_cstr(&key), tally->counts[id]);
    }
    buf_fini(&key);
}

static void
print_tally(const char *name, const struct tally *tally)
{
    for (text_id id = 1; id < tally->words.len && id < 256; id++) {
        str word = texts_get(&tally->words, id);
        printf("%s%u %.*s", id == 1 ? name : ", ", tally->counts[id],
               (int)word.len, word.ptr);
    }
    if (tally->words.len > 1)
        putchar('\n');
}

/* Of a folder that was mistyped, or told as of another place: none. */
static uint32_t
count_files(const struct code_build *build, str folder)
{
    uint32_t count = 0;

    for (uint32_t i = 1; i < build->file_len; i++)
        count += join_is_below(texts_get(&build->texts, build->files[i].path),
                               folder);
    return count;
}

static void
add_services(cJSON *object, const struct code_build *build)
{
    cJSON *rows = cJSON_AddArrayToObject(object, "services");

    for (uint32_t i = 0; i < build->service_len; i++) {
        const struct build_service *service = &build->services[i];
        cJSON *row = cJSON_CreateObject();
        ask_add_str(row, "name", texts_get(&build->texts, service->name));
        ask_add_str(row, "directory",
                    texts_get(&build->texts, service->directory));
        ask_add_str(row, "evidence",
                    texts_get(&build->texts, service->evidence));
        cJSON_AddNumberToObject(
            row, "files",
            count_files(build, texts_get(&build->texts, service->directory)));
        cJSON_AddItemToArray(rows, row);
    }
}

/* What confined the process that read the repository. */
static void
add_sandbox(cJSON *object, uint32_t parts)
{
    cJSON *names = cJSON_AddArrayToObject(object, "sandbox");

    for (uint32_t i = 0; i < SANDBOX_PARTS; i++)
        if (parts & 1U << i)
            cJSON_AddItemToArray(names,
                                 cJSON_CreateString(sandbox_part_str(i)));
}

static void
print_sandbox(uint32_t parts)
{
    for (uint32_t i = 0; i < SANDBOX_PARTS; i++)
        if (!(parts & 1U << i))
            printf("  this kernel does not offer %s: the indexer was confined "
                   "without\n",
                   sandbox_part_str(i));
}

static int
print_json(const struct summary *s)
{
    const struct code_build *build = &s->result->build;
    cJSON *object = cJSON_CreateObject();
    struct buf hex = {0};

    buf_add_hex(&hex, (str){(const char *)s->result->written.hash, SHA256_LEN});
    ask_add_str(object, "repo", texts_get(&build->texts, build->repo_url));
    ask_add_str(object, "commit", texts_get(&build->texts, build->commit));
    cJSON_AddStringToObject(object, "snapshot", buf_cstr(&hex));
    cJSON_AddBoolToObject(object, "new_snapshot", s->result->written.is_new);
    cJSON_AddNumberToObject(object, "files", build->file_len - 1);
    cJSON_AddNumberToObject(object, "parsed", build->parsed);
    cJSON_AddNumberToObject(object, "bytes", (double)build->bytes);
    cJSON_AddNumberToObject(object, "symbols", s->symbols);
    cJSON_AddNumberToObject(object, "calls", s->calls);
    cJSON_AddNumberToObject(object, "call_sites", build->calls);
    cJSON_AddNumberToObject(object, "calls_external", build->calls_external);
    cJSON_AddNumberToObject(object, "calls_unknown", build->calls_unknown);
    cJSON_AddNumberToObject(object, "guesses", s->guesses);
    cJSON_AddNumberToObject(object, "routes", s->routes);
    cJSON_AddNumberToObject(object, "routes_with_handler", s->handled);
    add_tally(object, "calls_by_provenance", &s->provenances);
    add_tally(object, "edges_by_type", &s->edges);
    add_tally(object, "routes_by_framework", &s->frameworks);
    add_tally(object, "skipped", &s->skipped);
    add_services(object, build);
    ask_add_str(object, "built_at", buf_str(&s->result->built_at));
    cJSON_AddNumberToObject(object, "built_folders", s->result->built);
    add_sandbox(object, s->result->sandbox);
    cJSON_AddNumberToObject(object, "parse_ms",
                            (double)s->result->parse_ns / (double)NS_PER_MS);
    cJSON_AddNumberToObject(object, "store_ms",
                            (double)s->result->store_ns / (double)NS_PER_MS);
    buf_fini(&hex);
    return ask_print_json(object);
}

static void
print_services(const struct code_build *build)
{
    for (uint32_t i = 0; i < build->service_len; i++) {
        const struct build_service *service = &build->services[i];
        str name = texts_get(&build->texts, service->name);
        str folder = texts_get(&build->texts, service->directory);
        str evidence = texts_get(&build->texts, service->evidence);
        printf("  service %.*s is %.*s (%.*s)%s\n", (int)name.len, name.ptr,
               folder.len ? (int)folder.len : 20,
               folder.len ? folder.ptr : "the whole repository",
               (int)evidence.len, evidence.ptr,
               count_files(build, folder) ? "" : ": no file was read there");
    }
    if (build->service_len == 0 && build->route_len > 0)
        printf("  no service is known for it: say --service NAME, or "
               "--service NAME=FOLDER\n");
}

/* One line a file that was left out, the first few. */
static void
print_skipped(const struct code_build *build)
{
    enum { SHOWN = 20 };
    uint32_t shown = 0;

    for (uint32_t i = 1; i < build->file_len && shown < SHOWN; i++) {
        str path = texts_get(&build->texts, build->files[i].path);
        str why = texts_get(&build->texts, build->files[i].skipped);
        if (why.len == 0)
            continue;
        printf("  skipped %.*s: %.*s\n", (int)path.len, path.ptr, (int)why.len,
               why.ptr);
        shown++;
    }
}

/* Of a package as it was published that may be all of the code. */
static void
print_built(const struct job_result *result)
{
    str at = buf_str(&result->built_at);

    if (result->built == 0)
        return;
    printf(
        "  folders left out, for what is built stands in them: %.*s%s; index "
        "one by itself to read it\n",
        (int)at.len, at.ptr, result->built > TREE_BUILT_MAX ? " and more" : "");
}

static int
print_text(const struct summary *s)
{
    const struct code_build *build = &s->result->build;
    str repo = texts_get(&build->texts, build->repo_url);
    str commit = texts_get(&build->texts, build->commit);
    double seconds =
        (double)(s->result->parse_ns + s->result->store_ns) / (double)NS_PER_S;

    printf("%.*s", (int)repo.len, repo.ptr);
    if (commit.len)
        printf(" at %.*s", commit.len < 12 ? (int)commit.len : 12, commit.ptr);
    printf(": %u files (%u parsed), %u symbols, %u calls, %u routes (%u with "
           "a handler), %.1f s%s\n",
           build->file_len - 1, build->parsed, s->symbols, s->calls, s->routes,
           s->handled, seconds,
           s->result->written.is_new ? "" : "; nothing has changed");
    print_tally("  calls: ", &s->provenances);
    if (s->guesses)
        printf("  kept apart: %u guesses by name\n", s->guesses);
    print_tally("  routes: ", &s->frameworks);
    print_services(build);
    print_tally("  files skipped: ", &s->skipped);
    print_skipped(build);
    print_built(s->result);
    print_sandbox(s->result->sandbox);
    return EXIT_CLEAN;
}

int
index_summary(const struct job_result *result, bool is_json)
{
    struct summary s = {.result = result};
    enum err err = summarise(&s);
    int code = err ? ask_fail(err) : is_json ? print_json(&s) : print_text(&s);

    summary_fini(&s);
    (void)fflush(stdout);
    return code;
}
