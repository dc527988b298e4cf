/*
 * Chunks: bounds, headings, fences; and circles of arcs, words of text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "knowledge/chunk.h"
#include "knowledge/text.h"

static void
add_words(struct buf *out, int words)
{
    for (int i = 0; i < words; i++)
        buf_printf(out, "word%d%s", i, i % 12 == 11 ? "\n" : " ");
    buf_add(out, STR("\n\n"));
}

static void
every_chunk_is_within_bounds(void **state)
{
    uint32_t random = 7;

    (void)state;
    for (int round = 0; round < 200; round++) {
        struct buf text = {0};
        struct chunk_list chunks = {0};

        for (int part = 0; part < 12; part++) {
            random = random * 1664525 + 1013904223;
            if (random >> 30 == 0)
                buf_printf(&text, "## Part %d\n\n", part);
            add_words(&text, (int)(random >> 16) % 1200);
        }
        assert_int_equal(chunk_split(buf_str(&text), &chunks), OK);
        size_t words = 0;
        for (size_t i = 0; i < chunks.len; i++) {
            words += chunks.items[i].words;
            assert_true(chunks.items[i].words <= CHUNK_WORDS_MAX);
            if (chunks.len > 1)
                assert_true(chunks.items[i].words >= CHUNK_WORDS_MIN);
        }
        assert_int_equal(words, text_words(buf_str(&text)));
        chunk_list_fini(&chunks);
        buf_fini(&text);
    }
}

static void
a_fence_is_never_cut_and_an_open_one_ends_with_the_text(void **state)
{
    struct buf text = {0};
    struct chunk_list chunks = {0};

    (void)state;
    add_words(&text, 100);
    buf_add(&text, STR("```sh\n# no heading\n"));
    add_words(&text, 900);
    buf_add(&text, STR("```\n\n## After\n\n"));
    add_words(&text, 60);
    buf_add(&text, STR("~~~\n## inside\n"));
    assert_int_equal(chunk_split(buf_str(&text), &chunks), OK);
    assert_int_equal(chunks.len, 3);
    assert_true(str_starts(chunks.items[1].body, STR("```sh")));
    assert_true(chunks.items[1].words > 900);
    assert_string_equal(buf_cstr(&chunks.items[2].heading), "After");
    chunk_list_fini(&chunks);
    buf_fini(&text);
}

static void
headings_say_where_a_chunk_stands(void **state)
{
    struct buf text = {0};
    struct chunk_list chunks = {0};

    (void)state;
    buf_add(&text, STR("# Guide\n\n## Setup\n\n"));
    add_words(&text, 60);
    buf_add(&text, STR("### Database\n\n"));
    add_words(&text, 60);
    buf_add(&text, STR("## Use\n\n"));
    add_words(&text, 60);
    assert_int_equal(chunk_split(buf_str(&text), &chunks), OK);
    assert_int_equal(chunks.len, 3);
    assert_string_equal(buf_cstr(&chunks.items[1].heading),
                        "Guide > Setup > Database");
    assert_string_equal(buf_cstr(&chunks.items[2].heading), "Guide > Use");
    assert_true(str_eq(chunk_title(buf_str(&text)), STR("Guide")));
    chunk_list_fini(&chunks);
    buf_fini(&text);
}

static void
an_empty_text_has_no_chunk(void **state)
{
    struct chunk_list chunks = {0};

    (void)state;
    assert_int_equal(chunk_split(STR(" \n\n"), &chunks), OK);
    assert_int_equal(chunks.len, 0);
    chunk_list_fini(&chunks);
}

static void
words_are_told_from_parts_of_words(void **state)
{
    (void)state;
    assert_true(text_has_word(STR("Fix the CI now"), STR("ci")));
    assert_false(text_has_word(STR("special"), STR("ci")));
    assert_int_equal(text_chars(STR("h\xc3\xa9!")), 3);
    assert_int_equal(text_cut(STR("h\xc3\xa9!"), 2).len, 3);
}

static void
slugs_and_routes_are_plain(void **state)
{
    struct buf out = {0};

    (void)state;
    text_slug(STR("  Pay: with Card!  "), 50, &out);
    assert_string_equal(buf_cstr(&out), "pay-with-card");
    buf_reset(&out);
    text_slug(STR("abc def"), 4, &out);
    assert_string_equal(buf_cstr(&out), "abc");
    buf_reset(&out);
    text_plain_route(STR("/users/{id}/items/:item"), &out);
    assert_string_equal(buf_cstr(&out), "/users/{}/items/{}");
    buf_reset(&out);
    text_plain_route(STR("/{id:[0-9]*}/files/{**}"), &out);
    assert_string_equal(buf_cstr(&out), "/{}/files/{**}");
    buf_fini(&out);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chunk_is_within_bounds),
        cmocka_unit_test(
            a_fence_is_never_cut_and_an_open_one_ends_with_the_text),
        cmocka_unit_test(headings_say_where_a_chunk_stands),
        cmocka_unit_test(an_empty_text_has_no_chunk),
        cmocka_unit_test(words_are_told_from_parts_of_words),
        cmocka_unit_test(slugs_and_routes_are_plain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
