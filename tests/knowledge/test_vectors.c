/*
 * What is said to an endpoint of embeddings and what of its answers is taken;
 * and what is nearest among many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <math.h>

#include "knowledge/embed_wire.h"
#include "knowledge/vector_matrix.h"
#include "knowledge/vector_table.h"

/* ---- what is asked ---- */

static void
a_request_is_as_openai_has_it(void **state)
{
    const str texts[] = {STR("plain"),
                         STR("a \"quote\"\\\n\tand\x01 more"),
                         STR("caf\xc3\xa9"),
                         {"bad \xff\xc3", 6}};
    static const char *const back[] = {"plain", "a \"quote\"\\\n and  more",
                                       "caf\xc3\xa9", "bad ??"};
    struct buf out = {0};

    (void)state;
    embed_wire_ask("a \"model\"", 256, texts, 4, &out);
    cJSON *json = cJSON_Parse(buf_cstr(&out));
    assert_non_null(json);
    assert_string_equal(cJSON_GetObjectItem(json, "model")->valuestring,
                        "a \"model\"");
    assert_int_equal(cJSON_GetObjectItem(json, "dimensions")->valueint, 256);
    assert_string_equal(
        cJSON_GetObjectItem(json, "encoding_format")->valuestring, "float");
    const cJSON *input = cJSON_GetObjectItem(json, "input");
    assert_int_equal(cJSON_GetArraySize(input), 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(cJSON_GetArrayItem(input, i)->valuestring, back[i]);
    cJSON_Delete(json);
    buf_reset(&out);
    embed_wire_ask("m", 0, texts, 1, &out);
    assert_string_equal(buf_cstr(&out),
                        "{\"model\":\"m\",\"encoding_format\":\"float\","
                        "\"input\":[\"plain\"]}");
    buf_fini(&out);
}

static void
a_text_is_cut_between_characters(void **state)
{
    (void)state;
    assert_int_equal(embed_wire_cut(STR("caf\xc3\xa9s"), 6).len, 6);
    assert_int_equal(embed_wire_cut(STR("caf\xc3\xa9s"), 5).len, 5);
    assert_int_equal(embed_wire_cut(STR("caf\xc3\xa9s"), 4).len, 3);
    assert_int_equal(embed_wire_cut(STR("\xc3\xa9"), 1).len, 0);
    assert_int_equal(embed_wire_cut(STR(""), 4).len, 0);
}

/* ---- what is answered ---- */

static enum err
read_body(const char *body, size_t len, uint32_t dim, struct embed_vectors *out,
          struct buf *why)
{
    return embed_wire_read(str_of(body), len, dim, out, why);
}

static void
vectors_come_in_the_order_asked_and_of_length_one(void **state)
{
    struct embed_vectors vectors;
    struct buf why = {0};

    (void)state;
    assert_int_equal(
        read_body(" {\"object\": \"list\", \"usage\": {\"a\": [1, {\"b\": "
                  "null}]}, \"data\" : [\n{\"index\":1, \"embedding\":[0, "
                  "-2e0]}, {\"embedding\":[3,4],\"index\":0, \"object\": "
                  "\"embed\\\"ding\"} ], \"ok\": true } ",
                  2, 0, &vectors, &why),
        OK);
    assert_int_equal(vectors.len, 2);
    assert_int_equal(vectors.dim, 2);
    assert_float_equal(vectors.values[0], 0.6, 1e-6);
    assert_float_equal(vectors.values[1], 0.8, 1e-6);
    assert_float_equal(vectors.values[3], -1, 1e-6);
    embed_vectors_fini(&vectors);
    /* Without an index the place counts. */
    assert_int_equal(read_body("{\"data\":[{\"embedding\":[2]},"
                               "{\"embedding\":[-2]}]}",
                               2, 1, &vectors, &why),
                     OK);
    assert_float_equal(vectors.values[0], 1, 1e-6);
    assert_float_equal(vectors.values[1], -1, 1e-6);
    embed_vectors_fini(&vectors);
    buf_fini(&why);
}

static void
what_is_no_answer_is_refused_and_said(void **state)
{
#define ITEM(numbers) "{\"data\":[{\"index\":0,\"embedding\":" numbers "}]}"
    static const struct {
        const char *body;
        const char *why;
        uint32_t dim;
    } rows[] = {
        {"", "not JSON", 0},
        {"<html>It works!</html>", "not JSON", 0},
        {"[1]", "not JSON", 0},
        {"{\"data\":[", "not JSON", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[1", "not JSON", 0},
        {"{\"data\":[{\"index\":0,\"embedding\":[1,", "is none", 0},
        {ITEM("[1]") "x", "not JSON", 0},
        {"{\"data\":\"x\"}", "not JSON", 0},
        {"{}", "no \"data\"", 0},
        {"{\"error\":{\"message\":\"no\"}}", "no \"data\"", 0},
        {"{\"data\":[]}", "0 embeddings came, not 1", 0},
        {"{\"data\":[{\"index\":0}]}", "has no embedding", 0},
        {"{\"data\":[{\"index\":1,\"embedding\":[1]}]}", "not asked for", 0},
        {"{\"data\":[{\"index\":-1,\"embedding\":[1]}]}", "not asked for", 0},
        {"{\"data\":[{\"index\":1e300,\"embedding\":[1]}]}", "not asked", 0},
        {"{\"data\":[{\"embedding\":[1]},{\"index\":0,\"embedding\":[1]}]}",
         "one twice", 0},
        {ITEM("[]"), "0 numbers", 0},
        {ITEM("[1,2]"), "2 numbers, not 3", 3},
        {ITEM("[0,0]"), "all zeros", 0},
        {ITEM("[NaN]"), "is none", 0},
        {ITEM("[null]"), "is none", 0},
        {ITEM("[\"1\"]"), "is none", 0},
        {ITEM("[1e999]"), "without bounds", 0},
        {ITEM("[1e39]"), "without bounds", 0},
        {ITEM("\"AAAA\""), "no array of numbers", 0},
        {ITEM("null"), "no array of numbers", 0},
        {ITEM("[[1]]"), "is none", 0},
        {ITEM("[1 2]"), "not JSON", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct embed_vectors vectors;
        struct buf why = {0};

        if (read_body(rows[i].body, 1, rows[i].dim, &vectors, &why) !=
                ERR_CORRUPT ||
            !strstr(buf_cstr(&why), rows[i].why))
            fail_msg("%s: %s", rows[i].body, buf_cstr(&why));
        assert_null(vectors.values);
        buf_fini(&why);
    }
}

static void
an_answer_is_read_up_to_its_bounds(void **state)
{
    struct embed_vectors vectors;
    struct buf body = {0};
    struct buf why = {0};

    (void)state;
    for (int more = 0; more < 2; more++) {
        buf_reset(&body);
        buf_add(&body, STR("{\"data\":[{\"embedding\":[1"));
        for (int i = 1; i < EMBED_DIM_MAX + more; i++)
            buf_add(&body, STR(",0"));
        buf_add(&body, STR("]}]}"));
        assert_int_equal(read_body(buf_cstr(&body), 1, 0, &vectors, &why),
                         more ? ERR_CORRUPT : OK);
        embed_vectors_fini(&vectors);
    }
    assert_non_null(strstr(buf_cstr(&why), "more than 8192"));
    for (int depth = 29; depth < 34; depth++) {
        buf_reset(&body);
        buf_add(&body, STR("{\"deep\":"));
        for (int i = 0; i < depth; i++)
            buf_add_char(&body, '[');
        for (int i = 0; i < depth; i++)
            buf_add_char(&body, ']');
        buf_add(&body, STR(",\"data\":[{\"embedding\":[1]}]}"));
        assert_int_equal(read_body(buf_cstr(&body), 1, 0, &vectors, &why),
                         depth > 31 ? ERR_CORRUPT : OK);
        embed_vectors_fini(&vectors);
    }
    buf_fini(&body);
    buf_fini(&why);
}

static void
no_part_of_an_answer_is_an_answer(void **state)
{
    static const char whole[] =
        "{\"data\":[{\"index\":0,\"embedding\":[1.5,-2e-1],\"x\":\"\\\"\"}],"
        "\"usage\":{\"n\":[true,null]}}";
    struct embed_vectors vectors;
    struct buf why = {0};

    (void)state;
    for (size_t len = 0; len < sizeof(whole); len++) {
        /* In a block of its own, for the sanitizer. */
        char *part = calloc(1, len + 1);

        assert_non_null(part);
        memcpy(part, whole, len);
        assert_int_equal(
            embed_wire_read((str){part, len}, 1, 0, &vectors, &why),
            len == sizeof(whole) - 1 ? OK : ERR_CORRUPT);
        embed_vectors_fini(&vectors);
        free(part);
    }
    buf_fini(&why);
}

static void
a_refusal_is_quoted_clean_and_short(void **state)
{
    static const char *const rows[][2] = {
        {"{\"error\":{\"code\":1,\"message\":\"no such model\"}}",
         "no such model"},
        {"{\"error\":\"no\"}", "no"},
        {"{\"detail\":[{\"msg\":\"x\"}],\"message\":\"m\"}", "m"},
        {"{\"error\":{}}", ""},
        {"<html>", ""},
        {"", ""},
        {"{\"error\":{\"message\":\"a\x1b[31mb\"}}", "a\xef\xbf\xbd[31mb"},
    };
    struct buf out = {0};
    struct buf body = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        buf_reset(&out);
        embed_wire_said(str_of(rows[i][0]), &out);
        assert_string_equal(buf_cstr(&out), rows[i][1]);
    }
    buf_add(&body, STR("{\"error\":\""));
    for (int i = 0; i < 1000; i++)
        buf_add_char(&body, 'x');
    buf_add(&body, STR("\"}"));
    buf_reset(&out);
    embed_wire_said(buf_str(&body), &out);
    assert_int_equal(out.len, EMBED_SAID_MAX);
    buf_fini(&out);
    buf_fini(&body);
}

/* ---- the matrix ---- */

static uint64_t
next(uint64_t *seed)
{
    *seed =
        *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static void
make_unit(uint64_t *seed, uint32_t dim, const float *near, float *out)
{
    double sum = 0;

    for (uint32_t i = 0; i < dim; i++) {
        out[i] = (float)next(seed) / (float)(UINT64_C(1) << 31) - 0.5F;
        if (near)
            out[i] = 0.5F * out[i] / sqrtf((float)dim / 12) + near[i];
        sum += (double)out[i] * (double)out[i];
    }
    for (uint32_t i = 0; i < dim; i++)
        out[i] = (float)((double)out[i] / sqrt(sum));
}

static int
by_likeness(const void *a, const void *b)
{
    const struct vector_near *x = a;
    const struct vector_near *y = b;

    if (x->likeness < y->likeness || x->likeness > y->likeness)
        return x->likeness > y->likeness ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* As search does it: bytes give 200, whole numbers put them in order. */
static void
the_ten_nearest_are_those_of_whole_numbers(void **state)
{
    enum { DIM = 100, ROWS = 4000, MOST = 200, ASKED = 60, TOP = 10 };
    uint64_t seed = 7;
    struct vector_matrix matrix;
    float *all = calloc(ROWS, DIM * sizeof(*all));
    float asked[DIM];
    struct vector_near *naive = calloc(ROWS, sizeof(*naive));
    struct vector_near near[MOST];
    int found = 0;

    (void)state;
    assert_non_null(all);
    assert_non_null(naive);
    vector_matrix_init(&matrix, DIM);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t row;

        /* Forty to a topic, as texts are. */
        make_unit(&seed, DIM, i % 40 ? all + (size_t)(i - i % 40) * DIM : NULL,
                  all + (size_t)i * DIM);
        assert_int_equal(
            vector_matrix_add(&matrix, all + (size_t)i * DIM, &row), OK);
        assert_int_equal(row, i);
    }
    for (int q = 0; q < ASKED; q++) {
        float usual;

        make_unit(&seed, DIM, all + (size_t)(next(&seed) % ROWS) * DIM, asked);
        for (uint32_t i = 0; i < ROWS; i++)
            naive[i] = (struct vector_near){
                i, vector_likeness(asked, all + (size_t)i * DIM, DIM)};
        qsort(naive, ROWS, sizeof(*naive), by_likeness);
        size_t len = vector_matrix_scan(&matrix, asked, MOST, near, &usual);
        assert_int_equal(len, MOST);
        assert_true(usual > -0.1F && usual < 0.2F);
        for (size_t i = 0; i < len; i++) {
            float whole =
                vector_likeness(asked, all + (size_t)near[i].row * DIM, DIM);
            assert_float_equal(near[i].likeness, whole, 0.01);
            near[i].likeness = whole;
        }
        qsort(near, len, sizeof(*near), by_likeness);
        for (int i = 0; i < TOP; i++)
            found += near[i].row == naive[i].row;
    }
    assert_int_equal(found, ASKED * TOP);
    vector_matrix_fini(&matrix);
    free(all);
    free(naive);
}

static void
rows_that_were_cleared_are_not_found_and_used_again(void **state)
{
    enum { DIM = 5, ROWS = VECTOR_BLOCK + 10 };
    static const uint32_t gone[] = {0, 7, VECTOR_BLOCK, ROWS - 1};
    uint64_t seed = 3;
    struct vector_matrix matrix;
    struct vector_near near[2 * ROWS];
    float unit[DIM];
    float usual;
    uint32_t row;

    (void)state;
    vector_matrix_init(&matrix, DIM);
    make_unit(&seed, DIM, NULL, unit);
    assert_int_equal(vector_matrix_scan(&matrix, unit, 5, near, &usual), 0);
    for (uint32_t i = 0; i < ROWS; i++) {
        make_unit(&seed, DIM, NULL, unit);
        assert_int_equal(vector_matrix_add(&matrix, unit, &row), OK);
    }
    assert_int_equal(vector_matrix_scan(&matrix, unit, 0, near, &usual), 0);
    assert_int_equal(vector_matrix_scan(&matrix, unit, ROWS - 1, near, &usual),
                     ROWS - 1);
    assert_int_equal(near[0].row, ROWS - 1);
    for (size_t i = 0; i < 4; i++)
        vector_matrix_clear(&matrix, gone[i]);
    vector_matrix_clear(&matrix, 7); /* twice, and one that is none */
    vector_matrix_clear(&matrix, ROWS);
    size_t len = vector_matrix_scan(&matrix, unit, 2 * ROWS, near, &usual);
    assert_int_equal(len, ROWS - 4);
    for (size_t i = 0; i < len; i++)
        for (size_t k = 0; k < 4; k++)
            assert_int_not_equal(near[i].row, gone[k]);
    for (size_t i = 4; i-- > 0;) {
        assert_int_equal(vector_matrix_add(&matrix, unit, &row), OK);
        assert_int_equal(row, gone[i]);
    }
    assert_int_equal(vector_matrix_add(&matrix, unit, &row), OK);
    assert_int_equal(row, ROWS);
    vector_matrix_fini(&matrix);
}

static void
a_table_gives_what_was_set_last(void **state)
{
    struct vector_table table = {0};

    (void)state;
    assert_int_equal(vector_table_get(&table, (struct digest128){1, 2}), 0);
    for (uint32_t round = 1; round <= 3; round++)
        for (uint32_t i = 1; i <= 1000; i++)
            /* Low words that collide. */
            assert_int_equal(vector_table_set(&table,
                                              (struct digest128){i, i % 16},
                                              i % 3 == 0 ? 0 : i * round),
                             OK);
    for (uint32_t i = 1; i <= 1000; i++)
        assert_int_equal(
            vector_table_get(&table, (struct digest128){i, i % 16}),
            i % 3 == 0 ? 0 : i * 3);
    assert_int_equal(vector_table_get(&table, (struct digest128){1001, 1}), 0);
    vector_table_fini(&table);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_as_openai_has_it),
        cmocka_unit_test(a_text_is_cut_between_characters),
        cmocka_unit_test(vectors_come_in_the_order_asked_and_of_length_one),
        cmocka_unit_test(what_is_no_answer_is_refused_and_said),
        cmocka_unit_test(an_answer_is_read_up_to_its_bounds),
        cmocka_unit_test(no_part_of_an_answer_is_an_answer),
        cmocka_unit_test(a_refusal_is_quoted_clean_and_short),
        cmocka_unit_test(the_ten_nearest_are_those_of_whole_numbers),
        cmocka_unit_test(rows_that_were_cleared_are_not_found_and_used_again),
        cmocka_unit_test(a_table_gives_what_was_set_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
