/*
 * A database that was damaged in any way: bits flipped, pages zeroed, swapped
 * or filled with garbage, cut short, with a log or a journal that is damaged,
 * foreign or missing.  Opened, asked and written to as the service does it, it
 * never crashes or hangs: it works, or is set aside and an empty one works;
 * what is asked is answered or refused as damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/config.h"
#include "cmd/session.h"
#include "graph/query.h"
#include "mcp/tools.h"
#include "tests/support/dir.h"
#include "tests/support/size.h"
#include "tests/support/traffic.h"

enum { PAGE = 4096, ROUND_S = 30 };

struct file {
    unsigned char *bytes;
    size_t len;
};

static struct config cfg;
static struct file good_db, good_wal, good_journal;
static uint64_t seed_now;
static uint64_t random_now;
static struct {
    uint64_t set_aside;
    uint64_t worked;
    uint64_t refused; /* questions */
} totals;

static uint64_t
below(uint64_t n)
{
    return n ? size_roll(&random_now) % n : 0;
}

/* ---- files ---- */

static void
wal_path(char *out, size_t cap)
{
    snprintf(out, cap, "%s-wal", stored.path);
}

static void
journal_path(char *out, size_t cap)
{
    snprintf(out, cap, "%s-seg1", stored.path);
}

static struct file
read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    struct file file = {0};

    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    file.len = (size_t)ftell(in);
    rewind(in);
    file.bytes = malloc(file.len + 1);
    assert_int_equal(fread(file.bytes, 1, file.len, in), file.len);
    fclose(in);
    return file;
}

static void
write_file(const char *path, struct file file)
{
    FILE *out = fopen(path, "wb");

    assert_non_null(out);
    assert_int_equal(fwrite(file.bytes, 1, file.len, out), file.len);
    fclose(out);
}

/* A store with edges, some of them in the log only, and a journal that its
 * edges do not cover. */
static void
make_good(void)
{
    char wal[320];
    char journal[320];

    traffic = (struct traffic){.cfg = engine_cfg_default};
    traffic.cfg.pair.max_spans = 10000;
    traffic.cfg.pair.max_producers = 100;
    traffic_open(&traffic, STORED_NOW);
    for (uint32_t n = 0; n < 40; n++) {
        if (n == 30)
            traffic.cfg.flush_ms = 1 << 30;
        assert_int_equal(traffic_send(&traffic, n, 1 + n % 7, TRAFFIC_BOTH,
                                      STORED_NOW + n * NS_PER_S),
                         OK);
        if (n == 20)
            assert_int_equal(store_checkpoint(traffic.store), OK);
    }
    wal_path(wal, sizeof(wal));
    good_db = read_file(stored.path);
    good_wal = read_file(wal);
    journal_path(journal, sizeof(journal));
    good_journal = read_file(journal);
    traffic_close(&traffic);
}

static int
setup(void **state)
{
    stored_setup(state);
    assert_int_equal(config_init(&cfg), OK);
    assert_int_equal(config_set(&cfg, "store.dir", stored.dir, &stored.why),
                     OK);
    make_good();
    return 0;
}

static int
teardown(void **state)
{
    free(good_db.bytes);
    free(good_wal.bytes);
    free(good_journal.bytes);
    config_fini(&cfg);
    return stored_teardown(state);
}

/* ---- damage ---- */

static void
swap_pages(struct file *file)
{
    unsigned char page[PAGE];
    size_t pages = file->len / PAGE;

    if (pages < 2)
        return;
    unsigned char *a = file->bytes + below(pages) * PAGE;
    unsigned char *b = file->bytes + below(pages) * PAGE;
    memcpy(page, a, PAGE);
    memmove(a, b, PAGE);
    memcpy(b, page, PAGE);
}

/* Another byte, drawn here: of an assignment either side may be first. */
static void
write_byte(struct file *file, uint64_t at)
{
    file->bytes[at] = (unsigned char)below(256);
}

static void
damage(struct file *file)
{
    if (file->len == 0)
        return;
    size_t at = below(file->len);
    size_t page = at / PAGE * PAGE;
    size_t len = file->len - page < PAGE ? file->len - page : PAGE;

    switch (below(7)) {
    case 0:
        file->bytes[at] ^= (unsigned char)(1 << below(8));
        break;
    case 1: /* what is counted and pointed to is in the first bytes of a page */
        write_byte(file, page + below(len < 64 ? len : 64));
        break;
    case 2:
        memset(file->bytes + page, 0, len);
        break;
    case 3:
        swap_pages(file);
        break;
    case 4:
        for (size_t i = 0; i < len; i++)
            file->bytes[page + i] = (unsigned char)below(256);
        break;
    case 5:
        file->len = at;
        break;
    default:
        for (uint64_t n = 1 + below(40); n > 0; n--)
            write_byte(file, below(file->len));
        break;
    }
}

static struct file
damaged(struct file good, bool is_hit)
{
    struct file bad = {malloc(good.len + 1), good.len};

    memcpy(bad.bytes, good.bytes, good.len);
    for (uint64_t n = is_hit ? 1 + below(4) : 0; n > 0; n--)
        damage(&bad);
    return bad;
}

static void
make_bad(void)
{
    uint64_t which = below(4);
    struct file db = damaged(good_db, which != 0);
    struct file wal = damaged(good_wal, which == 0 || which == 3);
    struct file journal = damaged(good_journal, below(2) == 0);
    char path[320];

    stored_empty();
    write_file(stored.path, db);
    wal_path(path, sizeof(path));
    if (below(5) == 0)
        wal.len = 0;
    write_file(path, wal);
    journal_path(path, sizeof(path));
    if (below(5) == 0)
        journal.len = 0;
    write_file(path, journal);
    free(db.bytes);
    free(wal.bytes);
    free(journal.bytes);
}

/* ---- use ---- */

static void
write_one(struct session *session, uint32_t number)
{
    struct traffic writer = {.nodes = session->nodes,
                             .engine = session->engine};
    enum err err = ERR_CANCELLED;

    engine_submit(session->engine,
                  traffic_batch(&writer, number, 2, TRAFFIC_BOTH,
                                STORED_NOW + 60 * NS_PER_S),
                  (struct digest128){1, number}, traffic_note, &err);
    if (err != OK && err != ERR_STORE)
        fail_msg("SEED=%lu: a write: %s", seed_now, err_str(err));
    err = engine_finish(session->engine);
    if (err != OK && err != ERR_STORE && err != ERR_CORRUPT)
        fail_msg("SEED=%lu: a flush: %s", seed_now, err_str(err));
}

static void
ask_all(void)
{
    static const char *const names[][2] = {
        {"service_map", NULL},
        {"who_calls", "service"},
        {"runtime_traffic", "service_name"},
        {"dead_routes", NULL},
        {"trace_stats", NULL},
    };
    struct query *query = NULL;
    struct tools *tools = NULL;
    struct buf why = {0};
    enum err err = query_open(&query, stored.dir, &query_cfg_default, &why);
    if (!err)
        assert_int_equal(
            tools_new(&tools,
                      &(const struct tools_cfg){.query = query, .version = "1"},
                      &why),
            OK);
    for (size_t i = 0; !err && i < sizeof(names) / sizeof(names[0]); i++) {
        cJSON *reply = NULL;
        cJSON *args = cJSON_CreateObject();
        if (names[i][1])
            cJSON_AddStringToObject(args, names[i][1], "*");
        enum err asked = tools_call(tools, names[i][0], args, &reply, &why);
        totals.refused += asked != OK;
        assert_true(asked != OK || reply);
        cJSON_Delete(reply);
        cJSON_Delete(args);
    }
    totals.refused += err != OK;
    tools_free(tools);
    query_close(query);
    buf_fini(&why);
}

static void
use_what_is_there(void)
{
    struct session session;

    buf_reset(&stored.why);
    enum err err =
        session_open(&session, &cfg, STORED_NOW + 50 * NS_PER_S, &stored.why);
    if (err)
        fail_msg("SEED=%lu: opening: %s: %s", seed_now, err_str(err),
                 buf_cstr(&stored.why));
    ask_all();
    write_one(&session, 1000);
    session_close(&session);
}

static void
round_of(uint64_t seed)
{
    struct session session;

    seed_now = seed;
    random_now = seed;
    make_bad();
    alarm(ROUND_S); /* whoever hangs, ends */
    use_what_is_there();
    bool was_found = dir_count(stored.dir, STORE_FILE ".corrupt-") > 0;
    /* Damage that was met later is found at the next start at the latest. */
    use_what_is_there();
    assert_int_equal(
        session_open(&session, &cfg, STORED_NOW + 70 * NS_PER_S, &stored.why),
        OK);
    session_close(&session);
    alarm(0);
    if (was_found)
        totals.set_aside++;
    else
        totals.worked++;
}

static void
a_damaged_database_works_or_is_set_aside(void **state)
{
    struct seeds seeds = size_seeds(1000, 20000, 100000);

    (void)state;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        round_of(seed);
    printf("%lu set aside, %lu worked, %lu questions refused\n",
           totals.set_aside, totals.worked, totals.refused);
    assert_true(size_is_one() || (totals.set_aside > 20 && totals.worked > 20));
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_damaged_database_works_or_is_set_aside, setup, teardown),
    };

    size_args(argc, argv);
    log_configure((struct log_cfg){.level = LOG_ERROR + 1});
    return cmocka_run_group_tests(tests, NULL, NULL);
}
