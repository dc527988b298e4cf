/*
 * top: what is read, which rates come of it, and what fits on a screen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "cmd/term.h"
#include "cmd/top_view.h"

#define COLUMN_NAMES                                                \
    "\"columns\":[\"source\",\"target\",\"kind\",\"count\","        \
    "\"weighted\",\"errors\",\"first_observed\",\"last_observed\"," \
    "\"p50_ms\",\"p95_ms\",\"p99_ms\",\"confidence\"]"

static const char first_json[] =
    "{" COLUMN_NAMES ",\"rows\":["
    "[\"a\",\"b\",\"call\",10,10,0,1000,1090,1,20,30,1],"
    "[\"b\",\"c\",\"db\",100,100,0,1000,1095,1,0.5,30,1]]}";
static const char later_json[] =
    "{" COLUMN_NAMES ",\"rows\":["
    "[\"b\",\"c\",\"db\",120,120,5,1000,1100,1,0.5,30,1],"
    "[\"a\",\"b\",\"call\",70,70,30,1000,1099,1,200,300,1],"
    "[\"x\",\"b\",\"call\",4,4,0,1000,1040,-1,-1,-1,1],"
    "[\"x\",\"b\",\"msg\",4,4,0,1000,1040,-1,-1,-1,1]]}";

/* Two samples two seconds apart, with rates. */
static void
make_sample(struct top_sample *out)
{
    struct top_sample before;

    assert_int_equal(top_read_rows(first_json, &before), OK);
    assert_int_equal(top_read_rows(later_json, out), OK);
    top_read_metrics("spangraph_spans_total{result=\"accepted\"} 100\n",
                     &before);
    top_read_metrics("# HELP spangraph_edges x\n"
                     "spangraph_spans_total{result=\"accepted\"} 300\n"
                     "spangraph_spans_total{result=\"rejected\"} 7\n"
                     "spangraph_refused_requests_total{reason=\"full\"} 2\n"
                     "spangraph_refused_requests_total{reason=\"store\"} 3\n"
                     "spangraph_edges_of_nobody 9\n"
                     "spangraph_store_bytes 1048576\n",
                     out);
    before.at_ns = 5 * NS_PER_S;
    out->at_ns = 7 * NS_PER_S;
    out->now_s = 1100;
    top_sample_rates(out, &before);
    top_sample_fini(&before);
}

static const struct top_row *
row_of(const struct top_sample *sample, const char *source, const char *kind)
{
    for (size_t i = 0; i < sample->len; i++) {
        if (strcmp(sample->rows[i].source, source) == 0 &&
            strcmp(sample->rows[i].kind, kind) == 0)
            return &sample->rows[i];
    }
    return NULL;
}

static void
rates_are_what_was_added_by_the_time_between(void **state)
{
    struct top_sample sample;

    (void)state;
    make_sample(&sample);
    assert_true(row_of(&sample, "a", "call")->rate == 30);
    assert_true(row_of(&sample, "a", "call")->error_rate == 15);
    assert_true(row_of(&sample, "b", "db")->rate == 10);
    assert_true(row_of(&sample, "x", "call")->rate == 2);
    assert_true(row_of(&sample, "x", "call")->p95_ms == TOP_UNKNOWN);
    assert_true(sample.total_rate[TOP_SPANS] == 100);
    assert_true(sample.total[TOP_REFUSED] == 5);
    assert_true(sample.total_rate[TOP_REFUSED] == TOP_UNKNOWN);
    assert_true(sample.total[TOP_EDGES] == TOP_UNKNOWN);
    top_sample_fini(&sample);
}

static void
what_counts_less_than_before_has_no_rate(void **state)
{
    struct top_sample now;
    struct top_sample before;

    (void)state;
    assert_int_equal(top_read_rows(later_json, &before), OK);
    assert_int_equal(top_read_rows(first_json, &now), OK);
    before.at_ns = 1;
    now.at_ns = 2 * NS_PER_S;
    top_sample_rates(&now, &before);
    assert_true(row_of(&now, "a", "call")->rate == TOP_UNKNOWN);
    now.at_ns = before.at_ns;
    top_sample_rates(&now, &now);
    assert_true(row_of(&now, "b", "db")->rate == TOP_UNKNOWN);
    top_sample_fini(&now);
    top_sample_fini(&before);
}

static void
what_is_no_answer_is_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "[]",
                                      "{}",
                                      "{\"rows\":[]}",
                                      "{\"columns\":[],\"rows\":[]}",
                                      "{" COLUMN_NAMES ",\"rows\":[[1,2,3]]}",
                                      "{" COLUMN_NAMES ",\"rows\":[7]}"};
    struct top_sample sample;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(top_read_rows(bad[i], &sample), ERR_IO);
    assert_int_equal(top_read_rows("{" COLUMN_NAMES ",\"rows\":[]}", &sample),
                     OK);
    assert_int_equal(sample.len, 0);
    top_sample_fini(&sample);
}

static void
rows_beyond_the_bound_are_left_out(void **state)
{
    struct buf json = {0};
    struct top_sample sample;

    (void)state;
    buf_add(&json, STR("{" COLUMN_NAMES ",\"rows\":["));
    for (int i = 0; i < TOP_ROWS_MAX + 1; i++)
        buf_printf(&json, "%s[\"s%d\",\"t\",\"call\",1,1,0,1,1,1,1,1,1]",
                   i ? "," : "", i);
    buf_add(&json, STR("]}"));
    assert_int_equal(top_read_rows(buf_cstr(&json), &sample), OK);
    assert_int_equal(sample.len, TOP_ROWS_MAX);
    top_sample_fini(&sample);
    buf_fini(&json);
}

static char *
print(struct top_view *view, const struct top_sample *sample,
      const struct top_page *page)
{
    struct buf out = {0};

    assert_int_equal(top_view_print(view, sample, page, &out), OK);
    char *text = strdup(buf_cstr(&out));
    buf_fini(&out);
    assert_non_null(text);
    return text;
}

/* The last column of each row, in order, with commas. */
static void
assert_order(struct top_view *view, const char *expected)
{
    const struct top_page page = {.eol = "\n"};
    struct top_sample sample;
    struct buf names = {0};

    make_sample(&sample);
    char *text = print(view, &sample, &page);
    char *save = NULL;
    size_t number = 0;
    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        if (number++ < 3)
            continue;
        buf_printf(&names, "%s%.*s", names.len ? "," : "",
                   (int)strcspn(line + 39, " "), line + 39);
        buf_printf(&names, " %s", line + 51);
    }
    assert_string_equal(buf_cstr(&names), expected);
    free(text);
    buf_fini(&names);
    top_sample_fini(&sample);
}

static void
rows_are_sorted_as_asked(void **state)
{
    struct top_view view = {.where = "here"};

    (void)state;
    assert_order(&view, "call a -> b,db b -> c,call x -> b,msg x -> b");
    view.sort = TOP_BY_LAST;
    assert_order(&view, "db b -> c,call a -> b,call x -> b,msg x -> b");
    view.sort = TOP_BY_P95;
    assert_order(&view, "call a -> b,db b -> c,call x -> b,msg x -> b");
    view.sort = TOP_BY_ERRORS;
    assert_order(&view, "call a -> b,db b -> c,call x -> b,msg x -> b");
    view.sort = TOP_BY_NAME;
    view.is_reversed = true;
    assert_order(&view, "msg x -> b,call x -> b,db b -> c,call a -> b");
}

static void
a_filter_keeps_what_holds_it_in_any_case(void **state)
{
    struct top_view view = {.where = "here", .filter = "X"};

    (void)state;
    assert_order(&view, "call x -> b,msg x -> b");
    strcpy(view.filter, "nothing");
    assert_order(&view, "");
}

static void
services_are_sums_of_who_calls_them(void **state)
{
    struct top_view view = {.where = "here", .by_service = true};
    const struct top_page page = {.eol = "\n"};
    struct top_sample sample;

    (void)state;
    assert_order(&view, "call b,db c");
    make_sample(&sample);
    char *text = print(&view, &sample, &page);
    /* 30 + 2 calls a second, 74 calls, 30 of them failed, the worst p95 */
    assert_non_null(strstr(
        text, "\n      32       74   40.5   200ms    1s call        b\n"));
    free(text);
    top_sample_fini(&sample);
}

/* Lines, and characters of the longest. */
static void
measure(const char *text, size_t *lines, size_t *widest)
{
    size_t width = 0;

    *lines = 1;
    *widest = 0;
    for (; *text; text++) {
        if (*text == '\n') {
            (*lines)++;
            width = 0;
        } else if (((unsigned char)*text & 0xc0) != 0x80) {
            width++;
        }
        *widest = width > *widest ? width : *widest;
    }
}

static void
a_page_is_never_left_however_small_it_is(void **state)
{
    struct top_view view = {.where = "http://\xc3\xa4.example:8080"};
    struct top_sample sample;

    (void)state;
    make_sample(&sample);
    for (size_t rows = 4; rows <= 24; rows++) {
        for (size_t columns = 1; columns <= 80; columns += 3) {
            const struct top_page page = {.rows = rows,
                                          .columns = columns,
                                          .has_keys = true,
                                          .eol = "\n"};
            char *text = print(&view, &sample, &page);
            size_t lines;
            size_t widest;

            measure(text, &lines, &widest);
            assert_int_equal(lines, rows);
            assert_true(widest <= columns);
            free(text);
        }
    }
    top_sample_fini(&sample);
}

static void
a_name_cannot_move_the_cursor(void **state)
{
    struct top_view view = {.where = "here"};
    const struct top_page page = {.eol = "\n"};
    struct top_sample sample;

    (void)state;
    assert_int_equal(
        top_read_rows("{" COLUMN_NAMES ",\"rows\":[[\"\\u001b[2J\\u0007\","
                      "\"b\\n\\u009b1m\\u202e\",\"call\",1,1,0,1,1,1,1,1,1]]}",
                      &sample),
        OK);
    char *text = print(&view, &sample, &page);
    assert_null(strchr(text, '\033'));
    assert_null(strchr(text, '\007'));
    assert_null(strstr(text, "\xc2\x9b"));
    assert_null(strstr(text, "\xe2\x80\xae"));
    size_t lines;
    size_t widest;
    measure(text, &lines, &widest);
    assert_int_equal(lines, 5); /* three of head, one row, and the end */
    free(text);
    top_sample_fini(&sample);
}

static void
colour_is_where_it_is_wanted_alone(void **state)
{
    struct top_view view = {.where = "here"};
    struct top_page page = {.eol = "\n", .has_colour = true};
    struct top_sample sample;

    (void)state;
    make_sample(&sample);
    char *text = print(&view, &sample, &page);
    assert_non_null(strstr(text, "\033[1m"));
    free(text);
    page.has_colour = false;
    text = print(&view, &sample, &page);
    assert_null(strchr(text, '\033'));
    free(text);
    top_sample_fini(&sample);
}

static enum top_wish
press(struct top_view *view, const char *keys)
{
    enum top_wish wish = TOP_STAY;

    for (size_t len = strlen(keys); len && wish == TOP_STAY;) {
        size_t key = term_key_len(keys, len);

        wish = top_view_key(view, keys, key, 10);
        keys += key;
        len -= key;
    }
    return wish;
}

static void
keys_do_what_the_last_line_says(void **state)
{
    struct top_view view = {.where = "here"};

    (void)state;
    assert_int_equal(press(&view, "e"), TOP_STAY);
    assert_int_equal(view.sort, TOP_BY_ERRORS);
    (void)press(&view, "R");
    assert_true(view.is_reversed);
    (void)press(&view, "l");
    assert_int_equal(view.sort, TOP_BY_LAST);
    assert_false(view.is_reversed);
    (void)press(&view, "v");
    assert_true(view.by_service);
    (void)press(&view, "jjj\033[B\033[6~k\033[A");
    assert_int_equal(view.first, 12);
    (void)press(&view, "\033[5~\033[5~");
    assert_int_equal(view.first, 0);
    (void)press(&view, "/q\xc3\xa4z\177");
    assert_string_equal(view.filter, "q\xc3\xa4");
    assert_true(view.is_typing);
    (void)press(&view, "\177\r");
    assert_string_equal(view.filter, "q");
    assert_false(view.is_typing);
    (void)press(&view, "/\033");
    assert_string_equal(view.filter, "");
    (void)press(&view, "h");
    assert_true(view.is_helping);
    assert_int_equal(press(&view, " "), TOP_REFRESH);
    assert_int_equal(press(&view, "q"), TOP_QUIT);
}

static void
a_filter_stops_where_its_room_ends(void **state)
{
    struct top_view view = {.where = "here", .is_typing = true};

    (void)state;
    for (int i = 0; i < 2 * TOP_FILTER_CAP; i++)
        (void)press(&view, "\xc3\xa4");
    assert_true(strlen(view.filter) < TOP_FILTER_CAP);
    assert_int_equal(strlen(view.filter) % 2, 0);
    for (int i = 0; i < TOP_FILTER_CAP; i++)
        (void)press(&view, "\b");
    assert_string_equal(view.filter, "");
}

static void
bytes_of_a_terminal_are_cut_into_keys(void **state)
{
    (void)state;
    assert_int_equal(term_key_len("q", 1), 1);
    assert_int_equal(term_key_len("\033", 1), 1);
    assert_int_equal(term_key_len("\033[A", 3), 3);
    assert_int_equal(term_key_len("\033OAx", 4), 3);
    assert_int_equal(term_key_len("\033[6~j", 5), 4);
    assert_int_equal(term_key_len("\033[66666", 7), 7);
    assert_int_equal(term_key_len("\xc3\xa4q", 3), 2);
    assert_int_equal(term_key_len("\xa4", 1), 1);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_what_was_added_by_the_time_between),
        cmocka_unit_test(what_counts_less_than_before_has_no_rate),
        cmocka_unit_test(what_is_no_answer_is_refused),
        cmocka_unit_test(rows_beyond_the_bound_are_left_out),
        cmocka_unit_test(rows_are_sorted_as_asked),
        cmocka_unit_test(a_filter_keeps_what_holds_it_in_any_case),
        cmocka_unit_test(services_are_sums_of_who_calls_them),
        cmocka_unit_test(a_page_is_never_left_however_small_it_is),
        cmocka_unit_test(a_name_cannot_move_the_cursor),
        cmocka_unit_test(colour_is_where_it_is_wanted_alone),
        cmocka_unit_test(keys_do_what_the_last_line_says),
        cmocka_unit_test(a_filter_stops_where_its_room_ends),
        cmocka_unit_test(bytes_of_a_terminal_are_cut_into_keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
