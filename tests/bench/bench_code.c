/*
 * The static graph: 100,000 vertices and 400,000 edges written to an empty
 * store, the same build again, one with one function changed, and loaded.
 *
 *     bench_code [vertices, in thousands]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "graph/code.h"
#include "graph/code_write.h"
#include "tests/support/builds.h"
#include "tests/support/dir.h"

static void
check(enum err err, const char *what, struct buf *why)
{
    if (!err)
        return;
    fprintf(stderr, "bench_code: %s: %s %s\n", what, err_str(err),
            buf_cstr(why));
    exit(1);
}

static double
seconds_since(uint64_t begin_ns)
{
    return (double)(clock_mono_ns() - begin_ns) / NS_PER_S;
}

static void
write_one(const char *what, struct code_store *cs, struct code_build *build)
{
    struct code_written written;
    struct buf why = {0};
    uint64_t begin = clock_mono_ns();

    check(code_write(cs, build, 1700000000, &written, &why), what, &why);
    printf("code: %-28s %.3f s; %u edges born, %u ended, %.1f MB\n", what,
           seconds_since(begin), written.changes[CODE_EDGES].added,
           written.changes[CODE_EDGES].ended,
           (double)code_store_size_bytes(cs) / 1e6);
    buf_fini(&why);
}

int
main(int argc, char **argv)
{
    uint32_t thousands = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100;
    struct code_store *cs = NULL;
    struct code_db *db = NULL;
    const struct code *code = NULL;
    struct code_build build;
    struct buf packed = {0};
    struct buf why = {0};
    char dir[64];

    dir_make(dir);
    build_large(&build, "https://github.com/org/large.git", thousands * 1000,
                thousands * 4000);
    uint64_t begin = clock_mono_ns();
    check(code_build_pack(&build, &packed), "pack", &why);
    double pack_s = seconds_since(begin);
    code_build_fini(&build);
    begin = clock_mono_ns();
    check(code_build_unpack(&build, buf_str(&packed)), "unpack", &why);
    printf("code: %uk vertices, %uk edges packed in %.3f s to %.1f MB, "
           "unpacked in %.3f s\n",
           thousands, 4 * thousands, pack_s, (double)packed.len / 1e6,
           seconds_since(begin));

    check(code_store_open(&cs, dir, clock_wall_ns(), &why), "open", &why);
    write_one("to an empty store", cs, &build);
    write_one("the same again", cs, &build);
    build.commit = texts_add(&build.texts, STR("another"));
    write_one("another commit, no change", cs, &build);
    build.commit = texts_add(&build.texts, STR("a third"));
    for (uint32_t i = 1; i <= 200; i++) /* ten files of twenty */
        build.nodes[i].line += 1;
    build.edges[17].dst = 5;
    write_one("ten files changed", cs, &build);
    code_store_close(cs);

    check(code_db_open(&db, dir), "open", &why);
    begin = clock_mono_ns();
    check(code_db_hold(db, &code, &why), "load", &why);
    printf("code: %-28s %.3f s; %.1f MB of memory\n", "loaded",
           seconds_since(begin), (double)code->bytes / 1e6);
    code_drop(code);
    begin = clock_mono_ns();
    for (int i = 0; i < 1000; i++) {
        check(code_db_hold(db, &code, &why), "hold", &why);
        code_drop(code);
    }
    printf("code: %-28s %.1f us\n", "held again", seconds_since(begin) * 1e3);
    code_db_close(db);
    code_build_fini(&build);
    buf_fini(&packed);
    buf_fini(&why);
    dir_remove(dir);
    return 0;
}
