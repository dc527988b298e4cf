#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "graph/code.h"
#include "graph/code_find.h"
#include "graph/code_write.h"
#include "tests/support/builds.h"
#include "tests/support/dir.h"

static struct {
    char dir[64];
    struct code_store *cs;
    struct code_db *db;
    const struct code *code;
    struct buf why;
} it;

static int
setup(void **state)
{
    (void)state;
    dir_make(it.dir);
    return code_db_open(&it.db, it.dir);
}

static int
teardown(void **state)
{
    (void)state;
    code_drop(it.code);
    it.code = NULL;
    code_db_close(it.db);
    code_store_close(it.cs);
    it.cs = NULL;
    dir_remove(it.dir);
    buf_fini(&it.why);
    return 0;
}

static void
write_build(struct code_build *build)
{
    struct code_written written;

    if (!it.cs)
        assert_int_equal(code_store_open(&it.cs, it.dir, 1, &it.why), OK);
    assert_int_equal(code_write(it.cs, build, 1700000000, &written, &it.why),
                     OK);
    code_build_fini(build);
    code_drop(it.code);
    assert_int_equal(code_db_hold(it.db, &it.code, &it.why), OK);
}

static void
write_program(uint64_t seed)
{
    struct code_build build;
    struct program p;

    program_init(&p, seed);
    program_build(&p, "example.com/org/x", 0, &build);
    write_build(&build);
}

static text_id
word(struct code_build *b, const char *text)
{
    return texts_add(&b->texts, str_of(text));
}

/* src/cart.go: Cart.Add 10-30 with Cart.Add.func1 12-20 in it;
 * src/deep/cart.go: Cart.Add; lib/x.py: Add and a type Add. */
static void
write_shop(void)
{
    static const struct {
        uint32_t file, kind, line, end;
        const char *package, *name;
    } rows[] = {
        {1, CODE_METHOD, 10, 30, "src", "Cart.Add"},
        {1, CODE_FUNCTION, 12, 20, "src", "Cart.Add.func1"},
        {1, CODE_TYPE, 1, 40, "src", "Cart"},
        {2, CODE_METHOD, 3, 5, "src/deep", "Cart.Add"},
        {3, CODE_FUNCTION, 1, 2, "lib", "Add"},
        {3, CODE_TYPE, 4, 6, "lib", "Add"},
        {3, CODE_FUNCTION, 8, 9, "lib", "Twice"},
        {3, CODE_FUNCTION, 11, 12, "lib", "Twice"},
    };
    static const char *const rules[][2] = {{"*", "@all"},
                                           {"/src/", "@cart"},
                                           {"/src/", "@shop"},
                                           {"/src/deep/cart.go", ""}};
    struct code_build b;

    assert_int_equal(code_build_init(&b), OK);
    b.repo_url = word(&b, "example.com/org/shop");
    code_build_file(&b, &(struct build_file){.path = word(&b, "src/cart.go")});
    code_build_file(&b,
                    &(struct build_file){.path = word(&b, "src/deep/cart.go")});
    code_build_file(&b, &(struct build_file){.path = word(&b, "lib/x.py")});
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        code_build_node(
            &b, &(struct build_node){.kind = (uint8_t)rows[i].kind,
                                     .file = rows[i].file,
                                     .line = rows[i].line,
                                     .end_line = rows[i].end,
                                     .package = word(&b, rows[i].package),
                                     .name = word(&b, rows[i].name)});
    for (uint32_t i = 0; i < 4; i++)
        code_build_owner(&b, &(struct build_owner){word(&b, rules[i][0]),
                                                   word(&b, rules[i][1]),
                                                   i < 2 ? i + 1 : i});
    code_build_author(&b, &(struct build_author){2, word(&b, "a@x"), 3, 9});
    code_build_author(&b, &(struct build_author){2, word(&b, "b@x"), 5, 9});
    write_build(&b);
}

/* Resolves |name| and says what was found, in order. */
static void
check_found(const char *name, uint32_t kinds, const char *expected)
{
    struct ids ids = {0};
    struct buf out = {0};
    enum err err = code_resolve(it.code, str_of(name), kinds, &ids);

    for (size_t i = 0; i < ids.len; i++) {
        str found = it.code->nodes[ids.ids[i]].qualified;
        found = str_cut(found, strlen("example.com/org/shop://"), found.len);
        buf_printf(&out, "%s%.*s", i ? " " : "", (int)found.len, found.ptr);
    }
    if (err == ERR_NOT_FOUND)
        buf_add(&out, STR("-"));
    if (strcmp(buf_cstr(&out), expected) != 0)
        fail_msg("%s: %s, not %s", name, buf_cstr(&out), expected);
    ids_fini(&ids);
    buf_fini(&out);
}

static void
names_are_found_by_their_end_their_place_or_their_hash(void **state)
{
    struct buf hex = {0};

    (void)state;
    write_shop();
    check_found("Cart.Add", 0, "src.Cart.Add src/deep.Cart.Add");
    check_found("Cart::Add", 0, "src.Cart.Add src/deep.Cart.Add");
    check_found("Cart#Add", 0, "src.Cart.Add src/deep.Cart.Add");
    check_found("deep.Cart.Add", 0, "src/deep.Cart.Add");
    check_found("src.Cart.Add", 0, "src.Cart.Add");
    check_found("rt.Add", 0, "-");
    check_found("Add", 1 << CODE_TYPE, "lib.Add");
    check_found("Add", 0, "lib.Add lib.Add src.Cart.Add src/deep.Cart.Add");
    check_found("Twice", 0, "lib.Twice lib.Twice#2");
    check_found("Twice#2", 0, "lib.Twice#2");
    check_found("example.com/org/shop://lib.Add", 0, "lib.Add lib.Add");
    check_found("src/cart.go:11", 0, "src.Cart.Add");
    check_found("src/cart.go:15", 0, "src.Cart.Add.func1");
    check_found("/build/src/cart.go:15:7", 0, "src.Cart.Add.func1");
    check_found("src/cart.go:35", 0, "-");
    check_found("deep/cart.go:4", 0, "src/deep.Cart.Add");
    check_found("", 0, "-");
    check_found(":", 0, "-");
    check_found("nowhere", 0, "-");
    uint32_t id =
        code_by_qualified(it.code, STR("example.com/org/shop://src.Cart"));
    buf_add_hex(&hex, (str){(const char *)it.code->nodes[id].hash, 32});
    check_found(buf_cstr(&hex), 0, "src.Cart");
    hex.ptr[0] = hex.ptr[0] == '0' ? '1' : '0';
    check_found(buf_cstr(&hex), 0, "-");
    buf_fini(&hex);

    uint32_t first, end;
    code_prefix_range(it.code, STR("example.com/org/shop://src.Cart"), &first,
                      &end);
    assert_int_equal(end - first, 3);
    code_prefix_range(it.code, STR(""), &first, &end);
    assert_int_equal(first, 1);
    assert_int_equal(end, it.code->node_len);
    code_prefix_range(it.code, STR("x"), &first, &end);
    assert_int_equal(first, end);
    struct ids near = {0};
    assert_int_equal(code_nearest(it.code, 0, STR("Cart.Twize"), 1, &near), OK);
    assert_int_equal(near.len, 1);
    assert_true(str_eq(it.code->nodes[near.ids[0]].name, STR("Twice")));
    ids_fini(&near);
}

static void
owners_are_those_of_the_last_rule_that_fits(void **state)
{
    uint32_t first, end;

    (void)state;
    write_shop();
    assert_true(code_owners_of(it.code, 1, STR("lib/x.py"), &first, &end));
    assert_int_equal(end - first, 1);
    assert_true(str_eq(it.code->owners[first].owner, STR("@all")));
    assert_true(code_owners_of(it.code, 1, STR("src/cart.go"), &first, &end));
    assert_int_equal(end - first, 2);
    assert_true(str_eq(it.code->owners[first].owner, STR("@cart")));
    assert_false(
        code_owners_of(it.code, 1, STR("src/deep/cart.go"), &first, &end));
    assert_false(code_owners_of(it.code, 2, STR("lib/x.py"), &first, &end));
    struct ids files = {0};
    assert_int_equal(code_file_by_path(it.code, 0, STR("deep/cart.go"), &files),
                     OK);
    assert_int_equal(files.len, 1);
    code_authors_of(it.code, files.ids[0], &first, &end);
    assert_int_equal(end - first, 2);
    assert_true(str_eq(it.code->authors[first].author, STR("b@x")));
    ids_fini(&files);
    assert_int_equal(code_repo_by(it.code, STR("shop")), 1);
    assert_int_equal(code_repo_by(it.code, STR("org/shop")), 1);
    assert_int_equal(code_repo_by(it.code, STR("hop")), 0);
    assert_int_equal(code_repo_by(it.code, (str){"", 0}), 0);
    write_program(1);
    assert_int_equal(code_repo_by(it.code, STR("example.com/org/x")), 2);
}

static void
a_repository_is_found_by_what_one_clones(void **state)
{
    static const char *const urls[] = {
        "https://example.com/org/shop",
        "https://example.com/org/shop.git",
        "https://me:pw@example.com/org/shop/",
        "git@example.com:org/shop.git",
        "ssh://git@Example.COM:22/org/shop",
    };

    (void)state;
    write_shop();
    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++)
        if (code_repo_by(it.code, str_of(urls[i])) != 1)
            fail_msg("%s is not found", urls[i]);
    assert_int_equal(
        code_repo_by(it.code, STR("https://example.com/org/hop.git")), 0);
    assert_int_equal(code_repo_by(it.code, STR("https://elsewhere.example/"
                                               "org/shop")),
                     0);
}

static void
without_an_index_the_graph_is_empty_until_there_is_one(void **state)
{
    struct ids ids = {0};

    (void)state;
    assert_int_equal(code_db_hold(it.db, &it.code, &it.why), OK);
    assert_int_equal(it.code->node_len, 1);
    assert_int_equal(it.code->repo_len, 1);
    assert_int_equal(code_resolve(it.code, STR("x"), 0, &ids), ERR_NOT_FOUND);
    assert_int_equal(code_node(it.code, 77)->kind, CODE_NONE);
    assert_int_equal(code_by_line(it.code, 3, 4), 0);
    const struct code *empty = code_hold(it.code);
    write_shop();
    assert_true(it.code->node_len > 5);
    assert_int_equal(empty->node_len, 1); /* a held graph stays */
    code_drop(empty);
    code_drop(NULL);
}

static void
it_is_loaded_again_only_when_it_has_changed(void **state)
{
    static const unsigned char blob[FACT_BLOB_LEN] = {1};
    const struct code *again = NULL;

    (void)state;
    write_shop();
    assert_int_equal(
        code_store_put_fact(it.cs, (struct fact_key){blob, 1, 1}, STR("fact")),
        OK);
    assert_int_equal(code_db_hold(it.db, &again, &it.why), OK);
    assert_ptr_equal(again, it.code);
    code_drop(again);
    const struct code *before = code_hold(it.code);
    write_program(2);
    assert_ptr_not_equal(before, it.code);
    assert_int_equal(it.code->repo_len, 3);
    code_drop(before);
    /* Another file in its place. */
    code_store_set_aside(it.cs, NS_PER_S, &it.why);
    it.cs = NULL;
    assert_int_equal(code_db_hold(it.db, &again, &it.why), OK);
    assert_int_equal(again->repo_len, 1);
    code_drop(again);
    write_shop();
    assert_int_equal(it.code->repo_len, 2);
}

struct asking {
    struct code_db *db;
    atomic_bool stop;
    atomic_uint asked;
    atomic_uint failed;
};

static void *
ask(void *ctx)
{
    struct asking *asking = ctx;
    struct buf why = {0};

    while (!atomic_load(&asking->stop)) {
        const struct code *code = NULL;
        if (code_db_hold(asking->db, &code, &why)) {
            atomic_fetch_add(&asking->failed, 1);
            break;
        }
        /* All that is held fits together. */
        for (uint32_t i = 1; i < code->node_len; i++)
            if (code_by_hash(code, code->nodes[i].hash) != i)
                atomic_fetch_add(&asking->failed, 1);
        code_drop(code);
        atomic_fetch_add(&asking->asked, 1);
    }
    buf_fini(&why);
    return NULL;
}

static void
many_may_ask_while_one_writes(void **state)
{
    struct asking asking = {.db = it.db};
    pthread_t threads[3];
    struct program p;

    (void)state;
    write_shop();
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &asking), 0);
    program_init(&p, 9);
    for (int i = 0; i < 12; i++) {
        struct code_build build;
        program_edit(&p);
        program_build(&p, "example.com/org/x", 0, &build);
        write_build(&build);
    }
    for (int i = 0; i < 5000 && atomic_load(&asking.asked) < 10; i++)
        usleep(1000);
    atomic_store(&asking.stop, true);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    code_drop(it.code); /* perhaps an older one: another thread was loading */
    assert_int_equal(code_db_hold(it.db, &it.code, &it.why), OK);
    assert_int_equal(atomic_load(&asking.failed), 0);
    assert_true(atomic_load(&asking.asked) >= 10);
    assert_int_equal(it.code->repo_len, 3);
    assert_int_equal(it.code->repos[2].generation, 12);
}

static void
what_is_no_store_is_told(void **state)
{
    (void)state;
    FILE *file;
    char path[128];

    snprintf(path, sizeof(path), "%s/" CODE_STORE_FILE, it.dir);
    file = fopen(path, "w");
    fputs("what is this", file);
    fclose(file);
    assert_int_equal(code_db_hold(it.db, &it.code, &it.why), ERR_CORRUPT);
    assert_null(it.code);
    assert_true(it.why.len > 0);
    assert_int_equal(unlink(path), 0);
    buf_reset(&it.why);
    write_shop();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_are_found_by_their_end_their_place_or_their_hash),
        TEST(owners_are_those_of_the_last_rule_that_fits),
        TEST(a_repository_is_found_by_what_one_clones),
        TEST(without_an_index_the_graph_is_empty_until_there_is_one),
        TEST(it_is_loaded_again_only_when_it_has_changed),
        TEST(many_may_ask_while_one_writes),
        TEST(what_is_no_store_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
