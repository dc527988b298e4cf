/*
 * A process that takes in requests is killed at any moment, over and over on
 * the same data.  It tells through a pipe what it sent and what was
 * acknowledged; after each death the store must hold every acknowledged request
 * once, and every other one that was sent once or not at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "tests/support/size.h"
#include "tests/support/traffic.h"

enum {
    KILLS_OF_ONE = 100, /* then it begins with an empty store */
    NUMBERS_MAX = 1 << 18,
    RESENT = 12, /* of those sent last before a death, by the next process */
    LIFE_MIN_MS = 5,
    LIFE_MAX_MS = 60,
    LIFE_BOUND_MS = 20000,
};

enum { NOT_SENT, SENT, ACKED };

/* Races show as well in a few lives. */
#ifdef __SANITIZE_THREAD__
enum { COMMIT_KILLS = 100 };
#else
enum { COMMIT_KILLS = 1000 };
#endif

static unsigned char fate[NUMBERS_MAX];
static uint32_t next_number;

static int
setup(void **state)
{
    stored_setup(state);
    traffic = (struct traffic){.cfg = engine_cfg_default};
    traffic.cfg.group_ms = 2;
    traffic.cfg.flush_ms = 15;
    traffic.cfg.part_edges = 2; /* so that some die between two steps */
    traffic.cfg.pair.max_spans = 200000;
    traffic.cfg.pair.max_producers = 1000;
    return 0;
}

static uint32_t
pairs_of(uint32_t number)
{
    return 1 + number % 5;
}

/* ---- the process that dies ---- */

struct note {
    uint32_t number;
    uint32_t fate;
};

static int notes_fd;

static void
tell(uint32_t number, uint32_t what)
{
    struct note note = {number, what};

    if (write(notes_fd, &note, sizeof(note)) != sizeof(note))
        _exit(4);
}

static void
answered(void *ctx, enum err err)
{
    if (!err)
        tell((uint32_t)(uintptr_t)ctx, ACKED);
}

static void
submit(uint32_t number)
{
    struct stub_batch *batch = traffic_batch(&traffic, number, pairs_of(number),
                                             TRAFFIC_BOTH, clock_wall_ns());

    tell(number, SENT);
    /* clang-format off */
    engine_submit(traffic.engine, batch, traffic_digest(number, TRAFFIC_BOTH),
                  answered, (void *)(uintptr_t)number);
    /* clang-format on */
}

static void
live(uint32_t number)
{
    unsigned seed = number;

    traffic_open(&traffic, clock_wall_ns());
    if (engine_start(traffic.engine))
        _exit(5);
    uint32_t resend = number > RESENT ? number - RESENT : 0;
    for (uint32_t n = resend; n < number; n++)
        submit(n);
    for (int i = 0; i < 4 * LIFE_BOUND_MS; i++) {
        submit(number++);
        if (rand_r(&seed) % 8 == 0)
            submit(number - 1 - (uint32_t)rand_r(&seed) % 4);
        if (rand_r(&seed) % 3)
            usleep((unsigned)rand_r(&seed) % 1500);
    }
    _exit(6); /* nobody killed us */
}

/* ---- the one who watches ---- */

/* Reads notes until |until_ms| have passed or the writer is gone. */
static void
read_notes(int fd, int until_ms)
{
    uint64_t end = clock_mono_ns() + (uint64_t)until_ms * NS_PER_MS;
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    struct note note;

    for (;;) {
        uint64_t now = clock_mono_ns();
        int left = now < end ? (int)((end - now) / NS_PER_MS) : 0;
        if (poll(&poll_fd, 1, left) <= 0)
            return;
        if (read(fd, &note, sizeof(note)) != sizeof(note))
            return;
        assert_true(note.number < NUMBERS_MAX);
        if (fate[note.number] < note.fate)
            fate[note.number] = (unsigned char)note.fate;
        if (next_number <= note.number)
            next_number = note.number + 1;
    }
}

static void
live_and_die(unsigned *seed)
{
    int ends[2];
    int life_ms = LIFE_MIN_MS + rand_r(seed) % (LIFE_MAX_MS - LIFE_MIN_MS);

    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        notes_fd = ends[1];
        live(next_number);
    }
    close(ends[1]);
    if (rand_r(seed) % 4) /* the others may die while they start */
        (void)poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1,
                   LIFE_BOUND_MS);
    read_notes(ends[0], life_ms);
    assert_int_equal(kill(child, SIGKILL), 0);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    read_notes(ends[0], 1000);
    close(ends[0]);
}

static int
note_count(void *ctx, int columns, char **values, char **names)
{
    int64_t *counts = ctx;
    unsigned long number = strtoul(values[0] + strlen("GET /"), NULL, 10);

    (void)columns;
    (void)names;
    assert_true(number < NUMBERS_MAX);
    counts[number] += strtoll(values[1], NULL, 10);
    return 0;
}

static void
count_stored(int kind, int64_t *counts)
{
    sqlite3 *db = NULL;
    char sql[160];

    snprintf(sql, sizeof(sql),
             "SELECT node.name, edge.count FROM edge JOIN node ON"
             " node.id = edge.dst WHERE edge.kind = %d AND"
             " node.name LIKE 'GET /%%'",
             kind);
    memset(counts, 0, NUMBERS_MAX * sizeof(*counts));
    assert_int_equal(
        sqlite3_open_v2(stored.path, &db, SQLITE_OPEN_READONLY, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, note_count, counts, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
}

static void
expect_each_once(int round, int kind)
{
    static int64_t counts[NUMBERS_MAX];

    count_stored(kind, counts);
    for (uint32_t n = 0; n < NUMBERS_MAX; n++) {
        int64_t whole = pairs_of(n);
        bool fits = fate[n] == ACKED  ? counts[n] == whole
                    : fate[n] == SENT ? counts[n] == whole || counts[n] == 0
                                      : counts[n] == 0;
        if (!fits)
            fail_msg("round %d, kind %d: request %u of %d calls, fate %d: %d"
                     " are stored",
                     round, kind, n, (int)whole, fate[n], (int)counts[n]);
    }
}

/* Adds up what became of the requests so far, and forgets them. */
static void
count_fates(uint32_t *sent, uint32_t *acked)
{
    *sent += next_number;
    for (uint32_t n = 0; n < next_number; n++)
        *acked += fate[n] == ACKED;
    memset(fate, 0, sizeof(fate));
    next_number = 0;
}

static void
nothing_acknowledged_is_lost_and_nothing_counts_twice(void **state)
{
    int kills = (int)size_of(COMMIT_KILLS, 5000, 10000);
    unsigned seed = (unsigned)clock_wall_ns();
    uint32_t sent = 0, acked = 0;

    (void)state;
    printf("seed %u\n", seed);
    for (int round = 0; round < kills; round++) {
        if (round % KILLS_OF_ONE == 0) {
            count_fates(&sent, &acked);
            stored_empty();
        }
        live_and_die(&seed);
        if (rand_r(&seed) % 3 == 0 && (round + 1) % KILLS_OF_ONE)
            continue; /* the next one finds it as it was left */
        traffic_open(&traffic, clock_wall_ns());
        assert_int_equal(engine_finish(traffic.engine), OK);
        traffic_close(&traffic);
        expect_each_once(round, EDGE_TRAFFIC);
        expect_each_once(round, EDGE_CALL);
        if (rand_r(&seed) % 16 == 0)
            assert_int_equal(
                stored_ask("SELECT count(*) FROM pragma_integrity_check"
                           " WHERE integrity_check <> 'ok'"),
                0);
    }
    count_fates(&sent, &acked);
    printf("%d kills, %u requests sent, %u acknowledged\n", kills, sent, acked);
    assert_true(acked > (uint32_t)kills);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            nothing_acknowledged_is_lost_and_nothing_counts_twice, setup,
            stored_teardown),
    };

    size_args(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
