#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "tests/support/builds.h"

static void
pack(const struct code_build *build, struct buf *out)
{
    buf_reset(out);
    assert_int_equal(code_build_pack(build, out), OK);
}

static void
what_is_packed_comes_back(void **state)
{
    struct program p;
    struct code_build a, b;
    struct buf first = {0}, again = {0};

    (void)state;
    program_init(&p, 1);
    program_build(&p, "example.com/x", 0, &a);
    a.bytes = 1234567890123;
    a.calls_unknown = 7;
    pack(&a, &first);
    assert_int_equal(code_build_unpack(&b, buf_str(&first)), OK);
    assert_int_equal(b.node_len, a.node_len);
    assert_int_equal(b.author_len, a.author_len);
    assert_int_equal(b.bytes, a.bytes);
    assert_int_equal(b.calls_unknown, 7);
    pack(&b, &again);
    assert_int_equal(first.len, again.len);
    assert_memory_equal(first.ptr, again.ptr, first.len);
    code_build_fini(&a);
    code_build_fini(&b);
    buf_fini(&first);
    buf_fini(&again);
}

static void
no_part_of_it_is_taken_for_the_whole(void **state)
{
    struct program p;
    struct code_build a, b;
    struct buf packed = {0};

    (void)state;
    program_init(&p, 2);
    program_build(&p, "example.com/x", 0, &a);
    pack(&a, &packed);
    for (size_t len = 0; len < packed.len; len++) {
        /* A copy of its own, so that a step past the end is seen. */
        char *part = malloc(len ? len : 1);
        memcpy(part, packed.ptr, len);
        assert_int_equal(code_build_unpack(&b, (str){part, len}), ERR_CORRUPT);
        free(part);
    }
    buf_add_char(&packed, 0);
    assert_int_equal(code_build_unpack(&b, buf_str(&packed)), ERR_CORRUPT);
    code_build_fini(&a);
    buf_fini(&packed);
}

static void
check_text(const struct code_build *b, text_id id)
{
    assert_true(id < b->texts.len);
    str text = texts_get(&b->texts, id);
    assert_true(utf8_valid(text));
    assert_null(text.len ? memchr(text.ptr, 0, text.len) : NULL);
}

static void
check_build(const struct code_build *b)
{
    for (uint32_t i = 1; i < b->node_len; i++) {
        assert_true(b->nodes[i].file < b->file_len);
        assert_in_range(b->nodes[i].kind, 1, CODE_KIND_END - 1);
        check_text(b, b->nodes[i].package);
        check_text(b, b->nodes[i].name);
        check_text(b, b->nodes[i].signature);
    }
    for (uint32_t i = 0; i < b->edge_len; i++) {
        const struct build_edge *edge = &b->edges[i];
        assert_in_range(edge->src, 1, b->node_len - 1);
        assert_in_range(edge->dst, 1, b->node_len - 1);
        assert_in_range(edge->type, 1, CODE_EDGE_END - 1);
        assert_in_range(edge->provenance, 1, CODE_PROVENANCE_END - 1);
        assert_true(edge->permille <= 1000);
        assert_true((uint64_t)edge->site_at + edge->site_len <= b->site_len);
    }
    for (uint32_t i = 0; i < b->route_len; i++) {
        assert_in_range(b->routes[i].node, 1, b->node_len - 1);
        assert_true(b->routes[i].handler < b->node_len);
        assert_true(b->routes[i].file < b->file_len);
        check_text(b, b->routes[i].raw);
    }
    for (uint32_t i = 0; i < b->author_len; i++)
        assert_in_range(b->authors[i].file, 1, b->file_len - 1);
}

static void
whatever_it_was_made_into_it_is_refused_or_sound(void **state)
{
    struct program p;
    struct code_build a, b;
    struct buf packed = {0};
    unsigned seed = 5;
    int taken = 0;

    (void)state;
    program_init(&p, 3);
    program_build(&p, "example.com/x", 0, &a);
    pack(&a, &packed);
    char *bad = malloc(packed.len);
    for (int round = 0; round < 4000; round++) {
        memcpy(bad, packed.ptr, packed.len);
        for (int n = 0; n <= round % 4; n++)
            bad[(size_t)rand_r(&seed) % packed.len] = (char)rand_r(&seed);
        enum err err = code_build_unpack(&b, (str){bad, packed.len});
        assert_true(!err || err == ERR_CORRUPT);
        if (err)
            continue;
        check_build(&b);
        code_build_fini(&b);
        taken++;
    }
    assert_true(taken > 0);
    free(bad);
    code_build_fini(&a);
    buf_fini(&packed);
}

static void
names_are_cleaned_and_cut(void **state)
{
    struct code_build a, b;
    struct buf packed = {0};
    char text[5000];

    (void)state;
    memset(text, 'x', sizeof(text));
    assert_int_equal(code_build_init(&a), OK);
    a.repo_url = texts_add(&a.texts, (str){"a\0b\n\xff", 5});
    a.commit = texts_add(&a.texts, (str){text, sizeof(text)});
    pack(&a, &packed);
    assert_int_equal(code_build_unpack(&b, buf_str(&packed)), OK);
    check_text(&b, b.repo_url);
    assert_true(str_starts(texts_get(&b.texts, b.repo_url), STR("a")));
    assert_int_equal(texts_get(&b.texts, b.commit).len, 4096);
    code_build_fini(&a);
    code_build_fini(&b);
    buf_fini(&packed);
}

static void
what_is_incomplete_is_not_packed(void **state)
{
    struct code_build a;
    struct buf packed = {0};

    (void)state;
    assert_int_equal(code_build_init(&a), OK);
    a.failed = true;
    assert_int_equal(code_build_pack(&a, &packed), ERR_NOMEM);
    code_build_fini(&a);
    buf_fini(&packed);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_comes_back),
        cmocka_unit_test(no_part_of_it_is_taken_for_the_whole),
        cmocka_unit_test(whatever_it_was_made_into_it_is_refused_or_sound),
        cmocka_unit_test(names_are_cleaned_and_cut),
        cmocka_unit_test(what_is_incomplete_is_not_packed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
