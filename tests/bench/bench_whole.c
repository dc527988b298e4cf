/*
 * bench_whole - what questions about the whole graph cost.
 *
 *     bench_whole               a graph of 1,000 services, 100,000 edges
 *     bench_whole DIR           the store in DIR, as `bench_growth fill DIR
 * 10000` leaves it
 *
 * Each is asked by turns with a plain walk over the same edges, which reads
 * them and adds their calls up: nothing that looks at all of them can cost
 * less. Shown is the least CPU time of some rounds, and how many walks that is.
 * The first round, which reads names and fills caches, is not counted.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/links.h"
#include "base/clock.h"
#include "graph/query_view.h"
#include "graph/world.h"
#include "knowledge/knowledge.h"
#include "mcp/tools.h"
#include "tests/support/cpu.h"
#include "tests/support/dir.h"

enum { ROUNDS = 5 };
#define SERVICES "1000"

struct bench {
    struct query *query;
    struct world *world;
    struct knowledge *knowledge;
    struct tools *tools;
    uint32_t now_s;
    int64_t edges; /* of the last walk */
    int64_t calls;
};

/* Returns the bytes of the answer. */
typedef size_t ask_fn(struct bench *bench, const char *tool, const char *args);

static void
check(bool is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "bench_whole: %s failed\n", what);
    exit(1);
}

/* ---- questions ---- */

static struct query_view *
begin(struct bench *bench)
{
    struct query_view *view;

    check(query_begin(bench->query, bench->now_s, &view) == OK, "a view");
    return view;
}

static enum err
add_calls(void *ctx, const struct reader_edge *edge)
{
    struct bench *bench = ctx;

    bench->edges++;
    bench->calls += edge->count;
    return OK;
}

static size_t
walk(struct bench *bench, const char *tool, const char *args)
{
    const struct reader_edges all = {.side = READER_ALL,
                                     .from_kind = EDGE_CALL,
                                     .to_kind = EDGE_KIND_SHOWN_END - 1};
    struct query_view *view = begin(bench);

    (void)tool, (void)args;
    bench->edges = bench->calls = 0;
    check(reader_each_edge(view->reader, &all, add_calls, bench) == OK,
          "the walk");
    query_end(view);
    return 0;
}

static size_t
scrape(struct bench *bench, const char *tool, const char *args)
{
    struct query_view *view = begin(bench);
    struct buf out = {0};

    (void)tool, (void)args;
    check(links_metrics(view, LINKS_MAX, &out) == OK, "/metrics");
    size_t len = out.len;
    buf_fini(&out);
    query_end(view);
    return len;
}

static size_t
depend(struct bench *bench, const char *tool, const char *args)
{
    struct query_view *view = begin(bench);
    struct buf out = {0};

    (void)tool, (void)args;
    check(links_dependencies(view, bench->now_s - 7 * S_PER_DAY, LINKS_MAX,
                             &out) == OK,
          "/api/dependencies");
    size_t len = out.len;
    buf_fini(&out);
    query_end(view);
    return len;
}

static size_t
call(struct bench *bench, const char *tool, const char *args)
{
    cJSON *asked = cJSON_Parse(args);
    cJSON *answer = NULL;
    struct buf why = {0};

    if (tools_call(bench->tools, tool, asked, &answer, &why))
        fprintf(stderr, "%s\n", buf_cstr(&why));
    check(answer != NULL, tool);
    char *text = cJSON_PrintUnformatted(answer);
    size_t len = text ? strlen(text) : 0;
    cJSON_free(text);
    cJSON_Delete(answer);
    cJSON_Delete(asked);
    buf_fini(&why);
    return len;
}

static struct question {
    const char *name; /* of the tool, too */
    const char *args;
    ask_fn *ask;
    size_t bytes;
    double least; /* seconds */
} questions[] = {
    {"a walk", "", walk, 0, 1e9},
    {"/metrics", "", scrape, 0, 1e9},
    {"/api/dependencies", "", depend, 0, 1e9},
    {"service_map", "{}", call, 0, 1e9},
    {"service_map", "{\"level\":\"endpoint\"}", call, 0, 1e9},
    {"runtime_traffic", "{\"service\":\"*\"}", call, 0, 1e9},
    {"compare", "{}", call, 0, 1e9},
    {"compare", "{\"by\":\"route\"}", call, 0, 1e9},
    {"dead_routes", "{\"service\":\"*\"}", call, 0, 1e9},
    {"trace_stats", "{}", call, 0, 1e9},
    {"communities", "{\"action\":\"list\"}", call, 0, 1e9},
    {"explore", "{}", call, 0, 1e9},
};
enum { QUESTIONS = sizeof(questions) / sizeof(questions[0]) };

/* ---- rounds ---- */

static void
run_round(struct bench *bench, bool is_counted)
{
    for (size_t i = 0; i < QUESTIONS; i++) {
        struct question *q = &questions[i];
        double begun = cpu_seconds();

        q->bytes = q->ask(bench, q->name, q->args);
        double took = cpu_seconds() - begun;
        if (is_counted && took < q->least)
            q->least = took;
    }
}

static void
print(const struct bench *bench)
{
    printf("%" PRId64 " edges, %" PRId64 " calls\n", bench->edges,
           bench->calls);
    printf("%-46s %10s %8s %10s\n", "", "CPU, ms", "walks", "bytes");
    for (size_t i = 0; i < QUESTIONS; i++) {
        const struct question *q = &questions[i];
        char name[64];

        (void)snprintf(name, sizeof(name), "%s %s", q->name, q->args);
        printf("%-46s %10.1f %8.2f %10zu\n", name, q->least * 1e3,
               q->least / questions[0].least, q->bytes);
    }
}

static void
open_all(struct bench *bench, const char *dir)
{
    struct buf why = {0};

    check(query_open(&bench->query, dir, &query_cfg_default, &why) == OK &&
              world_open(&bench->world, dir) == OK &&
              knowledge_open(&bench->knowledge, dir, &knowledge_cfg_default) ==
                  OK,
          "opening the store");
    const struct tools_cfg cfg = {.query = bench->query,
                                  .world = bench->world,
                                  .knowledge = bench->knowledge,
                                  .toolsets = "all",
                                  .version = "bench"};
    check(tools_new(&bench->tools, &cfg, &why) == OK, "the tools");
    bench->now_s = (uint32_t)(clock_wall_ns() / NS_PER_S);
    buf_fini(&why);
}

static void
close_all(struct bench *bench)
{
    tools_free(bench->tools);
    knowledge_close(bench->knowledge);
    world_close(bench->world);
    query_close(bench->query);
}

/* The program beside this one makes the store. */
static void
fill(const char *self, const char *dir)
{
    const char *slash = strrchr(self, '/');
    struct buf path = {0};
    int status = 1;

    buf_printf(&path, "%.*sbench_growth", slash ? (int)(slash - self) + 1 : 0,
               self);
    pid_t child = fork();
    if (child == 0) {
        (void)execl(buf_cstr(&path), "bench_growth", "fill", dir, SERVICES,
                    (char *)NULL);
        _exit(127);
    }
    check(child > 0 && waitpid(child, &status, 0) == child && status == 0,
          buf_cstr(&path));
    buf_fini(&path);
}

int
main(int argc, char **argv)
{
    struct bench bench = {0};
    char own[64] = "";

    if (argc < 2) {
        dir_make(own);
        fill(argv[0], own);
    }
    open_all(&bench, argc < 2 ? own : argv[1]);
    for (int round = 0; round <= ROUNDS; round++)
        run_round(&bench, round > 0);
    print(&bench);
    close_all(&bench);
    if (argc < 2)
        dir_remove(own);
    return 0;
}
