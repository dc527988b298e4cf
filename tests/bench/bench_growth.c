/*
 * bench_growth - does a span cost more in a larger graph?
 *
 *     bench_growth                    10 to 10,000 services, 1,000 to 1,000,000
 *                                     edges; each graph is opened again, too
 *     bench_growth SERVICES [far]     one of these graphs
 *     bench_growth fill DIR SERVICES  leaves a store with 100 edges a service
 *     bench_growth open DIR           opens such a store
 *
 * The spans are those of bench/traffic.h, a hundred edges a service.  How far
 * apart halves come goes with how much is sent and how late, not with the
 * graph; so it is the same in all of them: up to 640 spans, and beside that,
 * for the smallest and the largest graph, up to some 640,000.  (A round ends
 * with a flush that waits for nobody: a third of such far calls meet late.)
 *
 * Measured is CPU time from the attributes of a span to its edges in memory,
 * after nearly every name and edge was met, and without what it takes to
 * make the spans up; the flush of each second is measured apart, since its cost
 * goes with the edges that were touched.  The least of some rounds is shown,
 * since all other work on a machine only adds.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "runtime/engine.h"
#include "runtime/intake.h"
#include "tests/bench/traffic.h"
#include "tests/support/dir.h"

enum {
    AT_ONCE = 16, /* batches that are made before the clock starts */
    REACH = 9,    /* of calls, in services */
    LATE = 10000, /* turns, where halves come far apart */
    SERVICES_MIN = 10,
    SERVICES_MAX = 10000,
    CALLS_PER_EDGE = 4, /* before the clock starts: one of 50 is not met */
    FILL_PER_EDGE = 2,  /* in a store that is left */
    SPANS_PER_CALL = 3,
    MEASURED = 1000000, /* spans; fewer than make the engine flush by itself */
    ROUNDS = 5,         /* the least of them counts */
    HELD = 1000000,
    LIMIT_PERCENT = 20,
    START_LIMIT_S = 2,
};

struct world {
    struct traffic *traffic;
    struct traffic_batch *batches; /* AT_ONCE */
    struct store *store;
    struct nodes *nodes;
    struct routes *routes;
    struct engine *engine;
    struct intake_cfg intake;
    struct intake_lane *lane;
    uint64_t now_ns;
    uint64_t spans;
    double intake_s; /* CPU time */
    double engine_s;
};

static void
check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench_growth: %s failed\n", what);
    exit(1);
}

static double
cpu_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double
resident_mib(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (file && fscanf(file, "%*u %lu", &pages) != 1)
        pages = 0;
    if (file)
        (void)fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* ---- opening ---- */

static struct engine_cfg
engine_cfg(void)
{
    struct engine_cfg cfg = engine_cfg_default;

    cfg.durability = DURABILITY_MEMORY;
    cfg.max_edges = 4000000;
    cfg.pair.max_spans = HELD;
    return cfg;
}

static void
open_all(struct world *world, const char *dir)
{
    const struct nodes_cfg nodes = {
        .max_nodes = 2000000, .max_routes = 3000, .max_symbols = 3000};
    const struct engine_cfg cfg = engine_cfg();
    struct buf why = {0};

    world->now_ns = clock_wall_ns();
    check(!nodes_new(&world->nodes, nodes) &&
              !routes_new(&world->routes, world->nodes) &&
              !store_open(&world->store, dir, STORE_SYNC_OS, world->now_ns,
                          &why) &&
              !engine_open(&world->engine, &cfg, world->store, world->nodes,
                           world->routes, world->now_ns),
          "open");
    buf_fini(&why);
}

static void
close_all(struct world *world)
{
    intake_lane_free(world->lane);
    engine_close(world->engine);
    routes_free(world->routes);
    nodes_free(world->nodes);
    store_close(world->store);
    traffic_free(world->traffic);
    free(world->batches);
}

static void
begin(struct world *world, const char *dir, struct traffic_cfg traffic)
{
    *world = (struct world){
        .intake = {.past_ns = 3600 * NS_PER_S, .future_ns = 3600 * NS_PER_S},
    };
    open_all(world, dir);
    world->traffic = traffic_new(traffic, world->now_ns);
    world->batches = calloc(AT_ONCE, sizeof(*world->batches));
    check(world->traffic && world->batches &&
              !intake_lane_new(&world->lane, &world->intake, world->nodes,
                               world->routes),
          "memory");
}

/* ---- spans ---- */

static void
on_done(void *ctx, enum err err)
{
    (void)ctx;
    check(!err, "submit");
}

static void
take(struct world *world, const struct traffic_batch *made,
     struct stub_batch **out)
{
    struct attr_set resource = {{0}, {{0}}};
    struct span_visitor to;
    char name[32];

    traffic_set_attr(
        &resource, ATTR_SERVICE_NAME, name,
        snprintf(name, sizeof(name), "svc%" PRIu32, made->service));
    intake_begin(world->lane, world->now_ns, &to);
    to.resource(to.ctx, &resource);
    to.scope(to.ctx, STR("bench"), STR("1"));
    for (uint32_t i = 0; i < made->len; i++)
        to.span(to.ctx, &made->spans[i].span);
    check(!intake_take(world->lane, out), "intake");
}

static void
send_spans(struct world *world, uint64_t count)
{
    struct stub_batch *taken[AT_ONCE];

    for (uint64_t until = world->spans + count; world->spans < until;) {
        for (size_t i = 0; i < AT_ONCE; i++)
            traffic_next(world->traffic, &world->batches[i]);
        double start = cpu_s();
        for (size_t i = 0; i < AT_ONCE; i++)
            take(world, &world->batches[i], &taken[i]);
        double middle = cpu_s();
        for (size_t i = 0; i < AT_ONCE; i++) {
            world->spans += taken[i]->stub_len;
            engine_submit(world->engine, taken[i], (struct digest128){0, 0},
                          on_done, NULL);
        }
        world->intake_s += middle - start;
        world->engine_s += cpu_s() - middle;
    }
}

static double
flush(struct world *world)
{
    double start = cpu_s();

    check(!engine_finish(world->engine), "flush");
    return cpu_s() - start;
}

/* ---- the runs ---- */

struct result {
    double intake_ns; /* CPU time of a span */
    double engine_ns;
    double flush_s;
};

static double
least(double a, double b)
{
    return b < a ? b : a;
}

static void
run_round(struct world *world, struct result *best)
{
    uint64_t before = world->spans;

    world->intake_s = world->engine_s = 0;
    send_spans(world, MEASURED);
    double ns = 1e9 / (double)(world->spans - before);
    best->intake_ns = least(best->intake_ns, world->intake_s * ns);
    best->engine_ns = least(best->engine_ns, world->engine_s * ns);
    best->flush_s = least(best->flush_s, flush(world));
}

static uint64_t
edges_of(uint32_t services)
{
    return (uint64_t)services * TRAFFIC_ROUTES * TRAFFIC_CALLS;
}

static struct result
run(struct world *world, const char *dir, struct traffic_cfg traffic)
{
    uint64_t edges = edges_of(traffic.services);
    struct result best = {1e9, 1e9, 1e9};

    begin(world, dir, traffic);
    send_spans(world, HELD + edges * CALLS_PER_EDGE * SPANS_PER_CALL);
    (void)flush(world);
    for (int i = 0; i < ROUNDS; i++)
        run_round(world, &best);
    printf("%8" PRIu32 " %9" PRIu64 " %5s   %6.0f %6.0f %6.0f",
           traffic.services, edges, traffic.late ? "far" : "near",
           best.intake_ns, best.engine_ns, best.intake_ns + best.engine_ns);
    return best;
}

enum { COLUMNS = 3, CHUNK = 1 << 18 };

/* Runs |fn| in a process of its own, so that what it holds is known, and has it
 * say three numbers. */
static void
apart(void (*fn)(const char *dir, double *said), const char *dir, double *said)
{
    const size_t len = COLUMNS * sizeof(*said);
    int pipes[2];

    check(pipe(pipes) == 0, "pipe");
    pid_t child = fork();
    if (child == 0) {
        fn(dir, said);
        _exit(write(pipes[1], said, len) != (ssize_t)len);
    }
    check(child > 0 && read(pipes[0], said, len) == (ssize_t)len, "child");
    (void)waitpid(child, NULL, 0);
    (void)close(pipes[0]);
    (void)close(pipes[1]);
}

static void
open_again(const char *dir, double *said)
{
    struct world world = {0};
    double before = resident_mib();
    double begin_s = cpu_s();
    uint64_t begin_ns = clock_mono_ns();

    open_all(&world, dir);
    said[0] = (double)(clock_mono_ns() - begin_ns) / 1e9;
    said[1] = cpu_s() - begin_s;
    said[2] = resident_mib() - before;
}

/* The limit of a start: the bytes of the file once. */
static void
read_once(const char *dir, double *said)
{
    char path[128];
    char *chunk = malloc(CHUNK);
    double begin_s = cpu_s();
    uint64_t begin_ns = clock_mono_ns();

    snprintf(path, sizeof(path), "%s/" STORE_FILE, dir);
    FILE *file = fopen(path, "rb");
    check(chunk && file, "read");
    (void)setvbuf(file, NULL, _IONBF, 0);
    size_t len = 0;
    for (size_t got; (got = fread(chunk, 1, CHUNK, file)) > 0; len += got) {
    }
    said[0] = (double)(clock_mono_ns() - begin_ns) / 1e9;
    said[1] = cpu_s() - begin_s;
    said[2] = (double)len / (1 << 20);
    (void)fclose(file);
    free(chunk);
}

/* The store opened again as it was closed, and as after a crash: without what
 * the close has left.  Returns the larger CPU time: other work on the machine
 * is no fault of ours. */
static double
open_both(const char *dir)
{
    char seal[128];
    double clean[COLUMNS] = {0}, crashed[COLUMNS] = {0}, limit[COLUMNS] = {0};

    apart(open_again, dir, clean);
    snprintf(seal, sizeof(seal), "%s/" STORE_FILE ".seal", dir);
    (void)unlink(seal); /* a larger file has none, and is not looked through */
    apart(open_again, dir, crashed);
    apart(read_once, dir, limit);
    printf("   %6.2f %6.2f   %6.2f %6.2f   %6.2f %5.0f %6.0f\n", clean[0],
           clean[1], crashed[0], crashed[1], limit[1], limit[2], clean[2]);
    return crashed[1] > clean[1] ? crashed[1] : clean[1];
}

/* One graph: a row of the table, and what a span cost. */
static double
grow_one(uint32_t services, bool is_far, int *failed)
{
    const struct traffic_cfg traffic = {
        .services = services,
        .reach = is_far ? services - 1 : REACH,
        .late = is_far ? LATE : 0,
    };
    struct world world;
    char dir[64];

    dir_make(dir);
    struct result result = run(&world, dir, traffic);
    close_all(&world);
    printf("   %9.2f", result.flush_s);
    *failed |= open_both(dir) > START_LIMIT_S;
    dir_remove(dir);
    return result.intake_ns + result.engine_ns;
}

static void
tell_head(void)
{
    printf("services     edges  half   intake engine  both ns   flush s   "
           "open s  CPU s   crash  CPU s   read s   MiB held MiB\n");
}

static int
grow(void)
{
    int failed = 0;
    double most = 0;

    tell_head();
    double first = grow_one(SERVICES_MIN, false, &failed);
    for (uint32_t n = SERVICES_MIN * 10; n <= SERVICES_MAX; n *= 10) {
        double ns = grow_one(n, false, &failed);
        most = ns > most ? ns : most;
    }
    double far = grow_one(SERVICES_MIN, true, &failed);
    double far_last = grow_one(SERVICES_MAX, true, &failed);
    printf("a span costs %.2f times as much at the most, and %.2f times if its "
           "half is far (limit %.2f)\n",
           most / first, far_last / far, 1 + LIMIT_PERCENT / 100.0);
    return failed;
}

static int
grow_to(uint32_t services, bool is_far)
{
    int failed = 0;

    check(services > REACH && services <= SERVICES_MAX &&
              (!is_far || LATE % services == 0),
          "services");
    tell_head();
    (void)grow_one(services, is_far, &failed);
    return failed;
}

static int
fill(const char *dir, uint32_t services)
{
    struct world world;

    check(services > 0 && services <= SERVICES_MAX, "services");
    begin(&world, dir, (struct traffic_cfg){.services = services});
    send_spans(&world, edges_of(services) * FILL_PER_EDGE * SPANS_PER_CALL);
    (void)flush(&world);
    close_all(&world);
    return 0;
}

int
main(int argc, char **argv)
{
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 4 && strcmp(argv[1], "fill") == 0)
        return fill(argv[2], (uint32_t)strtoul(argv[3], NULL, 10));
    if (argc == 3 && strcmp(argv[1], "open") == 0) {
        printf("open s  CPU s   crash  CPU s   read s   MiB held MiB\n");
        return open_both(argv[2]) > START_LIMIT_S;
    }
    check(argc < 3 || (argc == 3 && strcmp(argv[2], "far") == 0), "arguments");
    if (argc > 1)
        return grow_to((uint32_t)strtoul(argv[1], NULL, 10), argc == 3);
    return grow();
}
