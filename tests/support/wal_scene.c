#include "tests/support/wal_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/impl.h"
#include "store/moved.h"
#include "tests/support/size.h"

#define INDEX    STORE_FILE "-shm"
#define NOTE     STORE_FILE ".moved"
#define OPEN_LOG "SELECT count(*) FROM sqlite_schema"

enum {
    EDGES = 5000, /* to begin with */
    STEP_EDGES = 12,
};

static uint64_t random_now;

static uint64_t
below(uint64_t n)
{
    return size_roll(&random_now) % n;
}

/* ---- what is shown ---- */

static uint64_t
add_row(uint64_t sum, sqlite3_stmt *row)
{
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        const unsigned char *text = sqlite3_column_text(row, i);
        for (size_t at = 0; text && text[at]; at++)
            sum = (sum ^ text[at]) * UINT64_C(0x100000001b3);
        sum = (sum ^ 0xff) * UINT64_C(0x100000001b3);
    }
    return sum;
}

uint64_t
wal_scene_show(void)
{
    static const char *const tables[] = {"SELECT * FROM edge ORDER BY id",
                                         "SELECT * FROM counter ORDER BY name",
                                         "SELECT * FROM loss ORDER BY day"};
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    sqlite3 *db = NULL;

    assert_int_equal(
        sqlite3_open_v2(stored.path, &db, SQLITE_OPEN_READONLY, NULL),
        SQLITE_OK);
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        sqlite3_stmt *row = NULL;
        assert_int_equal(sqlite3_prepare_v2(db, tables[i], -1, &row, NULL),
                         SQLITE_OK);
        while (sqlite3_step(row) == SQLITE_ROW)
            sum = add_row(sum, row);
        assert_int_equal(sqlite3_finalize(row), SQLITE_OK);
    }
    sqlite3_close(db);
    return sum;
}

/* ---- what is written ---- */

static void
add_edge(struct store *st, uint32_t id, bool is_new)
{
    struct edge_delta delta = stored_edge(id, 1 + id % 5, 5, 5);

    delta.is_new = is_new;
    assert_int_equal(store_add_edge(st, &delta), OK);
}

static void
fill(struct store *st)
{
    assert_int_equal(store_begin(st), OK);
    for (uint32_t id = 1; id <= EDGES; id++)
        add_edge(st, id, true);
    assert_int_equal(store_commit(st), OK);
}

/* A step of one page, or one as all the others. */
static void
step(struct store *st, uint32_t number, bool is_one)
{
    static uint32_t edges;

    if (number == 1)
        edges = EDGES;
    assert_int_equal(store_begin(st), OK);
    for (int i = 0; i < STEP_EDGES && !is_one; i++)
        add_edge(st, 1 + (uint32_t)below(edges), false);
    for (uint32_t i = 0; i < number % 9 && !is_one; i++)
        add_edge(st, ++edges, true);
    assert_int_equal(store_add_counter(st, STR("step"), 1), OK);
    if (number % 3 == 0 && !is_one)
        assert_int_equal(store_add_loss(st, number, STR("reason"), 1), OK);
    assert_int_equal(store_commit(st), OK);
}

/* What does not fit into its cache, pages as they were among it, comes into the
 * log while it is written. */
static void
spill(struct store *st)
{
    assert_int_equal(
        sqlite3_exec(st->file.db, "PRAGMA cache_size = 10", NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(store_begin(st), OK);
    assert_int_equal(
        sqlite3_exec(st->file.db,
                     "UPDATE edge SET kind = kind; UPDATE edge SET count = 0",
                     NULL, NULL, NULL),
        SQLITE_OK);
}

static uint32_t
move(struct store *st)
{
    st->file.wal_moved = -(1 << 20); /* it is due, however short it is */
    assert_int_equal(store_checkpoint_step(st), OK);
    return st->file.moved.from.frame;
}

static void
move_all(struct store *st)
{
    assert_int_equal(move(st), st->file.wal_pages);
}

/* Who reads keeps the log from being begun anew. */
sqlite3 *
wal_scene_read(void)
{
    sqlite3 *db = NULL;

    assert_int_equal(
        sqlite3_open_v2(stored.path, &db, SQLITE_OPEN_READONLY, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN; " OPEN_LOG, NULL, NULL, NULL),
                     SQLITE_OK);
    return db;
}

/* ---- scenes ---- */

static bool
is_ours(const struct wal_scene *scene, uint32_t frame)
{
    size_t at = WAL_SCENE_HEAD + (size_t)frame * WAL_SCENE_FRAME;

    return at + WAL_SCENE_FRAME <= scene->log.len &&
           memcmp(scene->log.ptr + at + 8, scene->log.ptr + 16, 8) == 0;
}

static bool
commits(const struct wal_scene *scene, uint32_t frame)
{
    static const char none[4];

    return memcmp(scene->log.ptr + WAL_SCENE_HEAD +
                      (size_t)frame * WAL_SCENE_FRAME + 4,
                  none, 4) != 0;
}

static void
take_file(struct stored_bytes *to, const char *name)
{
    char *path = stored_name(name);

    free(to->ptr);
    *to =
        access(path, F_OK) == 0 ? stored_read(name) : (struct stored_bytes){0};
    free(path);
}

static void
take_before(struct wal_scene *scene)
{
    take_file(&scene->before, STORE_FILE);
    take_file(&scene->index, INDEX);
    take_file(&scene->note, NOTE);
}

static void
take(struct wal_scene *scene)
{
    struct stat db;

    take_file(&scene->db, STORE_FILE);
    take_file(&scene->log, WAL_SCENE_LOG);
    if (scene->moved != WAL_MOVED_TORN) {
        take_file(&scene->index, INDEX);
        take_file(&scene->note, NOTE);
    }
    assert_int_equal(stat(stored.path, &db), 0);
    scene->time = db.st_mtim;
    while (is_ours(scene, scene->all))
        scene->all++;
    scene->frames = scene->all;
    while (scene->frames > 0 && !commits(scene, scene->frames - 1))
        scene->frames--;
    assert_true(scene->frames > 0);
    assert_int_equal(scene->frames < scene->all,
                     scene->moved == WAL_MOVED_SPILLED);
    uint32_t at = scene->frames - 1;
    for (int i = 0; i < 2; i++) {
        while (at > 0 && !commits(scene, at - 1))
            at--;
        scene->last[i] = at;
        at -= at > 0;
    }
}

void
wal_scene_make(struct wal_scene *scene, enum wal_moved moved)
{
    sqlite3 *reader = NULL;

    *scene = (struct wal_scene){.moved = moved};
    stored_empty();
    random_now = moved + 1;
    struct store *st = stored_open_as(STORE_SYNC_OS);
    fill(st);
    store_close(st);
    st = stored_open_as(STORE_SYNC_OS);
    scene->seen[0] = wal_scene_show();
    for (uint32_t n = 1; n <= WAL_SCENE_STEPS; n++) {
        step(st, n, n == WAL_SCENE_STEPS && moved == WAL_MOVED_ONE);
        scene->seen[n] = wal_scene_show();
        if (n == WAL_SCENE_STEPS - 1 && moved == WAL_MOVED_ONE)
            move_all(st);
        if (n == WAL_SCENE_STEPS * 3 / 4 && moved == WAL_MOVED_PART) {
            sqlite3 *later = wal_scene_read();
            sqlite3_close(reader);
            reader = later;
        }
        if (n != WAL_SCENE_STEPS / 2)
            continue;
        if (moved == WAL_MOVED_HALF || moved == WAL_MOVED_TORN ||
            moved == WAL_MOVED_PART)
            reader = wal_scene_read();
        if (moved == WAL_MOVED_HALF || moved == WAL_MOVED_TORN ||
            moved == WAL_MOVED_RESTART || moved == WAL_MOVED_PART)
            scene->half = move(st);
    }
    take_before(scene);
    if (moved == WAL_MOVED_TORN) {
        sqlite3_close(reader);
        reader = NULL;
        assert_int_equal(moved_begin(&st->file), SQLITE_OK);
        take_before(scene);
    }
    if (moved == WAL_MOVED_SPILLED)
        reader = wal_scene_read();
    if (moved == WAL_MOVED_ALL || moved == WAL_MOVED_TORN ||
        moved == WAL_MOVED_SPILLED)
        move_all(st);
    if (moved == WAL_MOVED_PART)
        assert_int_equal(move(st), scene->half);
    if (moved == WAL_MOVED_SPILLED)
        spill(st);
    take(scene);
    sqlite3_close(reader);
    store_close(st);
}

void
wal_scene_free(struct wal_scene *scene)
{
    free(scene->before.ptr);
    free(scene->db.ptr);
    free(scene->log.ptr);
    free(scene->index.ptr);
    free(scene->note.ptr);
    *scene = (struct wal_scene){0};
}

void
wal_scene_lay_out(const struct wal_scene *scene, const char *log, size_t pages,
                  bool with_index, bool with_time)
{
    const struct timespec times[2] = {scene->time, scene->time};

    stored_empty();
    if (with_index)
        stored_write(INDEX, scene->index.ptr, scene->index.len);
    if (scene->note.ptr)
        stored_write(NOTE, scene->note.ptr, scene->note.len);
    stored_write(STORE_FILE, scene->db.ptr, scene->db.len);
    if (with_time)
        assert_int_equal(utimensat(AT_FDCWD, stored.path, times, 0), 0);
    stored_write(WAL_SCENE_LOG, log, scene->log.len);
    if (scene->moved != WAL_MOVED_TORN)
        return;
    /* Pages are moved in their order. */
    char *mixed = malloc(scene->before.len);
    memcpy(mixed, scene->before.ptr, scene->before.len);
    memcpy(mixed, scene->db.ptr, pages * WAL_SCENE_PAGE);
    stored_write(STORE_FILE, mixed, scene->before.len);
    free(mixed);
}
