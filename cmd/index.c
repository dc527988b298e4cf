/*
 * Indexes a repository: calls, routes, services.  The running service takes
 * over what it finds by itself; nothing needs to be stopped.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/ask.h"
#include "cmd/link.h"
#include "cmd/options.h"
#include "cmd/session.h"
#include "index/job.h"
#include "index/sandbox.h"

enum { WATCH_MS = 2000 };

struct index {
    const struct config *cfg;
    struct job_ask ask;
    bool json;
    bool watch;
    bool show_progress;
    bool line_is_open; /* of progress, on the terminal */
    uint64_t began_ns;
};

static volatile sig_atomic_t stop_asked;

static void
note_signal(int number)
{
    (void)number;
    stop_asked = 1;
}

static void
end_line(struct index *index)
{
    if (index->line_is_open)
        fprintf(stderr, "\r\033[K");
    index->line_is_open = false;
}

static enum err
note_progress(void *ctx, const struct worker_progress *progress)
{
    struct index *index = ctx;

    if (stop_asked)
        return ERR_CANCELLED;
    if (!index->show_progress)
        return OK;
    index->line_is_open = true;
    if (progress->total)
        fprintf(stderr, "\r\033[K%s %u/%u", worker_phase_str(progress->phase),
                progress->done, progress->total);
    else
        fprintf(stderr, "\r\033[K%s", worker_phase_str(progress->phase));
    return OK;
}

/* ---- the summary ---- */

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
        printf("  service %.*s is %.*s (%.*s)\n", (int)name.len, name.ptr,
               folder.len ? (int)folder.len : 20,
               folder.len ? folder.ptr : "the whole repository",
               (int)evidence.len, evidence.ptr);
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
    print_sandbox(s->result->sandbox);
    return EXIT_CLEAN;
}

static int
print_summary(const struct index *index, const struct job_result *result)
{
    struct summary s = {.result = result};
    enum err err = summarise(&s);
    int code = err           ? ask_fail(err)
               : index->json ? print_json(&s)
                             : print_text(&s);

    summary_fini(&s);
    (void)fflush(stdout);
    return code;
}

/* ---- the run ---- */

/* A service that runs looks by itself every few seconds. */
static void
link_routes(const struct index *index)
{
    struct buf why = {0};
    enum err err = link_now(index->cfg, &why);

    if (err && err != ERR_BUSY)
        fprintf(stderr,
                "spangraph index: the routes were not declared to the traces: "
                "%s\n",
                why.len ? buf_cstr(&why) : err_str(err));
    buf_fini(&why);
}

static int
run_once(struct index *index)
{
    struct job_result result;
    struct buf why = {0};
    int code = EXIT_CLEAN;

    index->began_ns = clock_mono_ns();
    enum err err = job_run(&index->ask, note_progress, index, &result, &why);
    end_line(index);
    if (err) {
        fprintf(stderr, "spangraph index: %s\n",
                err == ERR_CANCELLED ? "stopped; what was indexed before stays"
                                     : buf_cstr(&why));
        code = err == ERR_NOT_FOUND || err == ERR_INVALID ? EXIT_USAGE
                                                          : EXIT_CANNOT_RUN;
    } else {
        code = session_ensure(index->ask.data) ? EXIT_CANNOT_RUN
                                               : print_summary(index, &result);
        job_result_fini(&result);
        link_routes(index);
    }
    buf_fini(&why);
    return code;
}

static void
wait_a_little(void)
{
    const struct timespec step = {WATCH_MS / 1000, 0};

    (void)nanosleep(&step, NULL);
}

/* Looks every two seconds whether there is something new. */
static int
follow(struct index *index)
{
    struct buf before = {0};
    struct buf now = {0};
    int code = EXIT_CLEAN;

    while (!stop_asked) {
        buf_reset(&now);
        if (tree_stamp(&index->ask.tree, &now) == OK &&
            !str_eq(buf_str(&now), buf_str(&before))) {
            code = run_once(index);
            buf_reset(&before);
            buf_add(&before, buf_str(&now));
        }
        if (!stop_asked)
            wait_a_little();
    }
    buf_fini(&before);
    buf_fini(&now);
    return stop_asked ? EXIT_CLEAN : code;
}

static void
catch_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal};

    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

/* `index FOLDER`, and `import-scip FILE [FOLDER]`, which is the same with the
 * file before the folder. */
static int
index_command(const struct command *self, bool is_import, int argc, char **argv)
{
    struct index index = {.show_progress = isatty(STDERR_FILENO) != 0};
    struct option_list services = {.len = 0};
    const char *dir = NULL;
    const char *file = NULL;
    long long jobs = 0;
    long long keep = CODE_KEEP_DEFAULT;
    struct config cfg;
    const struct option_spec specs[] = {
        {"repo", OPTION_STR, &index.ask.repo_url, "URL",
         "where the repository comes from; else the url of its origin, or the "
         "folder's name"},
        {"commit", OPTION_STR, &index.ask.tree.commit, "SHA",
         "a commit, branch or tag; else HEAD"},
        {"worktree", OPTION_FLAG, &index.ask.tree.is_worktree, NULL,
         "what stands in the folder, committed or not"},
        {"service", OPTION_LIST, &services, "NAME[=FOLDER]",
         "service.name of the code in a folder; of all of it without one"},
        {"scip", OPTION_STR, &index.ask.scip, "FILE",
         "a SCIP index of the same commit, from a compiler's indexer"},
        {"watch", OPTION_FLAG, &index.watch, NULL,
         "index again when it changes, until Ctrl-C"},
        {"keep", OPTION_INT, &keep, "N", "snapshots to keep"},
        {"jobs", OPTION_INT, &jobs, "N", "parsers; 0: one a processor"},
        {"data", OPTION_STR, &dir, "DIR", "directory of the store"},
        {"config", OPTION_STR, &file, "FILE", "configuration, YAML"},
        {"json", OPTION_FLAG, &index.json, NULL, "print the summary as JSON"},
    };
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (is_import && argc > 1) {
        index.ask.scip = argv[1];
        argv++;
        argc--;
    }
    if (argc > 2 || (is_import && !index.ask.scip) || keep < 1 ||
        keep > 100000 || jobs < 0 || jobs > 64) {
        fprintf(stderr,
                "spangraph %s: name one %sfolder; --keep is 1 to 100000, "
                "--jobs 0 to 64\nusage: spangraph %s\n",
                self->name, is_import ? "SCIP index, and one " : "",
                self->usage);
        return EXIT_USAGE;
    }
    if (session_load_config(&cfg, self->name, file, dir))
        return EXIT_USAGE;
    index.ask.tree.path = argc == 2 ? argv[1] : ".";
    index.cfg = &cfg;
    index.ask.data = cfg.dir;
    index.ask.keep = (uint32_t)keep;
    index.ask.processes = (uint32_t)jobs;
    index.ask.services = services.item;
    index.ask.service_len = services.len;
    catch_signals();
    int code = index.watch ? follow(&index) : run_once(&index);
    config_fini(&cfg);
    return code;
}

int
cmd_index(const struct command *self, int argc, char **argv)
{
    return index_command(self, false, argc, argv);
}

int
cmd_import_scip(const struct command *self, int argc, char **argv)
{
    return index_command(self, true, argc, argv);
}

int
cmd_index_worker(const struct command *self, int argc, char **argv)
{
    (void)self;
    return job_worker_main(argc, argv);
}
