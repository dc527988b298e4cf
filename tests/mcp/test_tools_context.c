/*
 * The tools of context on a shop whose code and traces are joined: what they
 * say, in which format, within which budget.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/pack.h"
#include "mcp/context_format.h"
#include "tests/support/ask_tools.h"
#include "tests/support/context_shop.h"

static const char *const formats[] = {"xml", "json", "markdown", "gcf", "gcb"};

static cJSON *
for_files(const char *files, const char *format, int budget)
{
    char args[200];

    snprintf(args, sizeof(args),
             "{\"files\":\"%s\",\"format\":\"%s\",\"token_budget\":%d}", files,
             format, budget);
    return ask(context_shop.tools, "context_for_files", args);
}

static cJSON *
for_task(const char *task)
{
    char args[300];

    snprintf(args, sizeof(args),
             "{\"task_description\":\"%s\",\"format\":\"json\"}", task);
    return ask(context_shop.tools, "context_for_task", args);
}

/* The content of a reply in format json; deletes the reply. */
static cJSON *
content(cJSON *out)
{
    cJSON *json = cJSON_Parse(ask_text(out, "content"));

    assert_non_null(json);
    assert_int_equal(ask_len(json, "symbols"),
                     (int)ask_number(out, "symbols_included"));
    assert_int_equal(ask_len(json, "edges"),
                     (int)ask_number(out, "edges_included"));
    cJSON_Delete(out);
    return json;
}

/* The row of the symbol whose name ends so; NULL: it is not there. */
static const cJSON *
symbol(const cJSON *json, const char *end)
{
    const cJSON *row;

    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "symbols"))
    {
        const char *name = ask_text(row, "qualified_name");
        if (strlen(name) >= strlen(end) &&
            strcmp(name + strlen(name) - strlen(end), end) == 0)
            return row;
    }
    return NULL;
}

static double
score(const cJSON *json, const char *end)
{
    const cJSON *row = symbol(json, end);

    return row ? ask_number(row, "score") : 0;
}

/* ---- what is said ---- */

static void
files_give_their_symbols_and_what_reaches_them(void **state)
{
    cJSON *out = for_files("checkout/buy.go", "gcf", 50000);

    (void)state;
    assert_string_equal(
        ask_text(out, "content"),
        "GCF profile=graph tool=context_for_files budget=50000 tokens=338 "
        "symbols=14 edges=15\n"
        "## targets\n"
        "@0 fn github.com/acme/shop://checkout.Buy 1.00 both "
        "checkout/buy.go:3\n"
        "@1 fn github.com/acme/shop://checkout.OldBuy 0.74 static "
        "checkout/buy.go:33\n"
        "@2 route github.com/acme/shop://checkout.POST%20/old-buy 0.74 static "
        "checkout/buy.go:1\n"
        "@3 fn github.com/acme/shop://checkout.chargeCard 0.60 static "
        "checkout/buy.go:13\n"
        "@4 route github.com/acme/shop://checkout.POST%20/buy 0.57 static "
        "checkout/buy.go:1\n"
        "@5 type github.com/acme/shop://checkout.Order 0.57 static "
        "checkout/buy.go:23\n"
        "## related\n"
        "@6 fn github.com/acme/shop://web.ShowCart 0.72 both web/cart.go:3\n"
        "@7 fn github.com/acme/shop://pay.Charge 0.62 both pay/pay.go:3\n"
        "@8 fn github.com/acme/shop://util.Log 0.46 static util/log.go:3\n"
        "@9 topic kafka:orders 0.38 observed\n"
        "@10 fn github.com/acme/shop://checkout.TestBuy 0.13 static "
        "checkout/buy_test.go:3\n"
        "## extended\n"
        "@11 ext user 0.37 observed\n"
        "@12 route github.com/acme/shop://web.GET%20/cart/{} 0.30 static "
        "web/cart.go:1\n"
        "@13 rpc github.com/acme/shop://pay.pay.Pay/Charge 0.23 static "
        "pay/pay.go:1\n"
        "## edges [15]\n"
        "@5<@0 references\n"
        "@3<@0 calls\n"
        "@7<@0 runtime_rpc\n"
        "@8<@0 calls\n"
        "@9<@0 runtime_produces\n"
        "@1<@2 handles_route\n"
        "@0<@6 runtime_calls\n"
        "@8<@6 calls\n"
        "@8<@7 calls\n"
        "@8<@3 calls\n"
        "@0<@4 handles_route\n"
        "@6<@11 runtime_calls\n"
        "@6<@12 handles_route\n"
        "@7<@13 handles_route\n"
        "@0<@10 tests\n");
    assert_int_equal((int)ask_number(out, "token_count"), 338);
    assert_int_equal((int)ask_number(out, "symbols_included"), 14);
    assert_int_equal((int)ask_number(out, "symbols_available"), 14);
    assert_string_equal(ask_text(out, "summary"),
                        "14 of 14 symbols, 15 edges, 338 tokens (4 bytes "
                        "each) of 50000");
    cJSON_Delete(out);
}

static void
a_caller_that_only_traffic_knows_is_there(void **state)
{
    cJSON *json = content(for_files("checkout/buy.go", "json", 50000));
    const cJSON *row = symbol(json, "web.ShowCart");

    (void)state;
    assert_non_null(row);
    assert_string_equal(ask_text(row, "relation"), "caller");
    assert_string_equal(ask_text(row, "evidence"), "both");
    assert_int_equal((int)ask_number(row, "calls"), 50);
    assert_string_equal(ask_text(symbol(json, "pay.Charge"), "relation"),
                        "callee");
    assert_string_equal(ask_text(symbol(json, "checkout.Buy"), "relation"),
                        "target");
    cJSON_Delete(json);
}

static void
what_is_busy_comes_before_what_is_idle(void **state)
{
    cJSON *json = content(for_files("checkout/buy.go", "json", 50000));

    (void)state;
    assert_true(score(json, "pay.Charge") > score(json, "util.Log"));
    assert_true(score(json, "checkout.Buy") > score(json, "checkout.OldBuy"));
    /* Tests come last, unless one is what was changed. */
    assert_true(score(json, "checkout.TestBuy") < 0.2);
    cJSON_Delete(json);
    json = content(for_files("checkout/buy_test.go", "json", 50000));
    assert_true(score(json, "checkout.TestBuy") > 0.5);
    cJSON_Delete(json);
}

static void
a_review_and_a_blast_differ_in_callers_and_budget(void **state)
{
    cJSON *out = ask(context_shop.tools, "context_for_pr",
                     "{\"files\":\"checkout/buy.go\",\"format\":\"json\"}");

    (void)state;
    assert_non_null(strstr(ask_text(out, "summary"), "of 8000"));
    cJSON *review = content(out);
    cJSON *blast = content(for_files("checkout/buy.go", "json", 50000));
    assert_true(score(review, "web.ShowCart") < score(blast, "web.ShowCart"));
    assert_true(score(review, "pay.Charge") == score(blast, "pay.Charge"));
    cJSON_Delete(review);
    cJSON_Delete(blast);
    out = ask(context_shop.tools, "context_for_files",
              "{\"files\":\"web/cart.go\"}");
    assert_non_null(strstr(ask_text(out, "summary"), "of 50000"));
    assert_string_equal(ask_text(out, "format"), "xml");
    cJSON_Delete(out);
}

static void
several_files_and_their_ends_are_understood(void **state)
{
    cJSON *out =
        for_files(" checkout/buy.go , cart.go, nothing.go", "json", 50000);

    (void)state;
    assert_true(ask_hints(out, "no file \"nothing.go\""));
    cJSON *json = content(out);
    assert_string_equal(ask_text(symbol(json, "web.ShowCart"), "relation"),
                        "target");
    cJSON_Delete(json);
}

/* ---- for tasks ---- */

static void
words_of_a_task_find_their_symbols(void **state)
{
    cJSON *json = content(for_task("why is charging a card slow"));

    (void)state;
    assert_string_equal(ask_text(symbol(json, "chargeCard"), "relation"),
                        "target");
    assert_non_null(symbol(json, "checkout.Buy"));
    assert_true(score(json, "chargeCard") > score(json, "checkout.OldBuy"));
    cJSON_Delete(json);
}

static void
what_a_task_names_exactly_comes_first(void **state)
{
    static const char *const tasks[][2] = {
        {"change checkout.OldBuy", "checkout.OldBuy"},
        {"what does `OldBuy` do", "checkout.OldBuy"},
        {"look at POST /old-buy please", "checkout.OldBuy"},
        {"rename things in web/cart.go", "web.ShowCart"},
        {"who reads kafka:orders", "kafka:orders"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
        cJSON *json = content(for_task(tasks[i][0]));
        const cJSON *first = ask_row(json, "symbols", 0);
        const char *name = ask_text(first, "qualified_name");
        if (!strstr(name, tasks[i][1]))
            fail_msg("'%s' begins with %s", tasks[i][0], name);
        cJSON_Delete(json);
    }
}

static void
a_task_that_fits_nothing_says_so(void **state)
{
    cJSON *out = for_task("zzzz qqqq");

    (void)state;
    assert_int_equal((int)ask_number(out, "symbols_included"), 0);
    assert_int_equal((int)ask_number(out, "symbols_available"), 0);
    assert_string_equal(ask_text(out, "content"),
                        "{\"symbols\":[],\"edges\":[]}");
    assert_non_null(strstr(ask_text(out, "summary"), "nothing in the graph"));
    cJSON_Delete(out);
}

/* ---- budgets ---- */

static void
no_budget_is_ever_exceeded(void **state)
{
    static const int budgets[] = {100, 101, 120, 200, 333, 1000, 5000};

    (void)state;
    context_shop_index(&context_shop, 0, 400);
    for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++)
        for (size_t b = 0; b < sizeof(budgets) / sizeof(budgets[0]); b++) {
            cJSON *out = for_files("bulk/bulk.go,checkout/buy.go", formats[f],
                                   budgets[b]);
            size_t bytes = strlen(ask_text(out, "content"));
            int tokens = (int)ask_number(out, "token_count");

            assert_true(tokens <= budgets[b]);
            assert_int_equal(tokens, pack_tokens(bytes));
            assert_true(ask_number(out, "symbols_included") <
                        ask_number(out, "symbols_available"));
            assert_true(ask_hints(out, "did not fit"));
            /* Nor is much of it left unused. */
            if (budgets[b] >= 1000)
                assert_true(tokens * 10 > budgets[b] * 8);
            cJSON_Delete(out);
        }
}

static void
rows_end_at_their_bound_and_the_rest_is_counted(void **state)
{
    (void)state;
    context_shop_index(&context_shop, 0, CONTEXT_ROWS_MAX + 50);
    cJSON *out = for_files("bulk/bulk.go", "gcf", 200000);
    assert_int_equal((int)ask_number(out, "symbols_included"),
                     CONTEXT_ROWS_MAX);
    assert_int_equal((int)ask_number(out, "symbols_available"),
                     CONTEXT_ROWS_MAX + 50);
    cJSON_Delete(out);
}

/* ---- formats ---- */

/* What a reader of the line format makes of it; ids must be known. */
static void
decode_gcf(const char *text, int *symbols, int *edges)
{
    char *copy = strdup(text);
    char *rest = copy;
    bool in_edges = false;

    *symbols = *edges = 0;
    assert_int_equal(strncmp(copy, "GCF profile=graph tool=", 23), 0);
    strsep(&rest, "\n");
    for (char *line; (line = strsep(&rest, "\n")) && *line;) {
        int id;
        int other;
        double value;
        char kind[32], name[200], evidence[16];

        if (strncmp(line, "## ", 3) == 0) {
            in_edges = strncmp(line, "## edges [", 10) == 0;
            continue;
        }
        if (in_edges) {
            assert_int_equal(sscanf(line, "@%d<@%d %31s", &id, &other, kind),
                             3);
            assert_true(id >= 0 && id < *symbols);
            assert_true(other >= 0 && other < *symbols);
            assert_int_not_equal(joined_type_of(str_of(kind)), 0);
            (*edges)++;
            continue;
        }
        assert_int_equal(sscanf(line, "@%d %31s %199s %lf %15s", &id, kind,
                                name, &value, evidence),
                         5);
        assert_int_equal(id, (*symbols)++);
    }
    free(copy);
}

static void
gcf_is_read_back(void **state)
{
    cJSON *out = for_files("checkout/buy.go", "gcf", 300);
    int symbols;
    int edges;

    (void)state;
    decode_gcf(ask_text(out, "content"), &symbols, &edges);
    assert_int_equal(symbols, (int)ask_number(out, "symbols_included"));
    assert_int_equal(edges, (int)ask_number(out, "edges_included"));
    assert_true(symbols > 3 && edges > 1);
    cJSON_Delete(out);
}

struct bytes {
    unsigned char *ptr;
    size_t len;
    size_t at;
};

static struct bytes
decode_base64(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = strlen(text);
    struct bytes out = {malloc(len + 1), 0, 0};

    assert_int_equal(len % 4, 0);
    for (size_t i = 0; i < len; i += 4) {
        uint32_t bits = 0;
        int fill = 0;
        for (size_t k = 0; k < 4; k++) {
            const char *at = strchr(letters, text[i + k]);
            assert_true(at || (text[i + k] == '=' && i + 4 == len));
            fill += !at;
            bits = bits << 6 | (at ? (uint32_t)(at - letters) : 0);
        }
        for (int k = 0; k < 3 - fill; k++)
            out.ptr[out.len++] = (unsigned char)(bits >> (16 - 8 * k));
    }
    return out;
}

static uint64_t
take_number(struct bytes *b)
{
    uint64_t value = 0;

    for (unsigned shift = 0;; shift += 7) {
        assert_true(b->at < b->len && shift < 64);
        unsigned char c = b->ptr[b->at++];
        value |= (uint64_t)(c & 0x7f) << shift;
        if (!(c & 0x80))
            return value;
    }
}

static const unsigned char *
take(struct bytes *b, size_t len)
{
    assert_true(b->len - b->at >= len);
    b->at += len;
    return b->ptr + b->at - len;
}

static float
take_float(struct bytes *b)
{
    const unsigned char *at = take(b, 4);
    uint32_t bits = (uint32_t)at[0] | (uint32_t)at[1] << 8 |
                    (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static void
gcb_is_read_back_and_says_the_same_as_json(void **state)
{
    cJSON *out = for_files("checkout/buy.go", "gcb", 50000);
    cJSON *json = content(for_files("checkout/buy.go", "json", 50000));
    struct bytes b = decode_base64(ask_text(out, "content"));

    (void)state;
    assert_memory_equal(take(&b, 5), "GCB1\x01", 5);
    uint64_t len = take_number(&b);
    assert_memory_equal(take(&b, len), "context_for_files", len);
    assert_int_equal(take_number(&b), 50000);
    uint64_t symbols = take_number(&b);
    assert_int_equal(symbols, ask_len(json, "symbols"));
    for (uint64_t i = 0; i < symbols; i++) {
        const cJSON *row = ask_row(json, "symbols", (int)i);
        const char *name = ask_text(row, "qualified_name");
        len = take_number(&b);
        assert_int_equal(len, strlen(name));
        assert_memory_equal(take(&b, len), name, len);
        uint8_t kind = *take(&b, 1);
        assert_true(kind > 0 && (kind < CODE_KIND_END ||
                                 (kind > CONTEXT_OBSERVED &&
                                  kind <= CONTEXT_OBSERVED + NODE_SYMBOL)));
        double value = (double)take_float(&b);
        assert_true(value - ask_number(row, "score") < 0.0051 &&
                    ask_number(row, "score") - value < 0.0051);
        uint8_t evidence = *take(&b, 1);
        assert_true(evidence >= BY_STATIC && evidence <= BY_BOTH);
        assert_int_equal(*take(&b, 1), (int)ask_number(row, "distance"));
        take(&b, take_number(&b));
        for (int k = 0; k < CONTEXT_PARTS; k++) {
            float part = take_float(&b);
            assert_true(part >= 0 && part <= 1.0001f);
        }
    }
    uint64_t edges = take_number(&b);
    assert_int_equal(edges, ask_len(json, "edges"));
    for (uint64_t i = 0; i < edges; i++) {
        const cJSON *row = ask_row(json, "edges", (int)i);
        assert_int_equal(take_number(&b), (int)ask_number(row, "from"));
        assert_int_equal(take_number(&b), (int)ask_number(row, "to"));
        assert_string_equal(joined_type_str(*take(&b, 1)),
                            ask_text(row, "type"));
        assert_int_equal(*take(&b, 1), 0);
    }
    assert_int_equal(b.at, b.len);
    free(b.ptr);
    cJSON_Delete(json);
    cJSON_Delete(out);
}

static void
base64_is_that_of_the_standard(void **state)
{
    static const char *const vectors[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xff\xfe\xfd", "//79"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        struct buf out = {0};
        context_add_base64(&out, str_of(vectors[i][0]));
        assert_string_equal(buf_cstr(&out), vectors[i][1]);
        buf_fini(&out);
    }
}

static void
hostile_names_break_no_format(void **state)
{
    struct context_symbol rows[2] = {
        {.qualified = STR_INIT("a\"<b>&`c\n## edges [9]\n@0<@0 %x \x7f"),
         .signature = STR_INIT("f(\"]]>\x01\t`\")"),
         .path = STR_INIT("p q/<r>\n.go"),
         .kind = "function",
         .kind_code = CODE_FUNCTION,
         .line = 1,
         .score = 1,
         .evidence = BY_STATIC},
        {.qualified = STR_INIT(""),
         .kind = "topic",
         .kind_code = CONTEXT_OBSERVED + NODE_TOPIC,
         .score = 0.5,
         .distance = 1,
         .evidence = BY_OBSERVED},
    };
    struct context_arc arcs[1] = {{0, 1, CODE_CALLS, BY_STATIC, 0}};
    const struct context context = {
        .rows = rows, .len = 2, .arcs = arcs, .arc_len = 1, .available = 2};
    struct context_text text;
    int symbols;
    int edges;

    (void)state;
    assert_int_equal(context_write(&context, "t", CONTEXT_GCF, 1000, &text),
                     OK);
    decode_gcf(buf_cstr(&text.content), &symbols, &edges);
    assert_int_equal(symbols, 2);
    assert_int_equal(edges, 1);
    context_text_fini(&text);
    assert_int_equal(context_write(&context, "t", CONTEXT_JSON, 1000, &text),
                     OK);
    cJSON *json = cJSON_Parse(buf_cstr(&text.content));
    assert_string_equal(ask_text(ask_row(json, "symbols", 0), "qualified_name"),
                        rows[0].qualified.ptr);
    cJSON_Delete(json);
    context_text_fini(&text);
    assert_int_equal(context_write(&context, "t", CONTEXT_XML, 1000, &text),
                     OK);
    assert_non_null(strstr(buf_cstr(&text.content),
                           "name=\"a&quot;&lt;b&gt;&amp;`c ## edges"));
    assert_null(strstr(buf_cstr(&text.content), "]]>"));
    context_text_fini(&text);
    assert_int_equal(
        context_write(&context, "t", CONTEXT_MARKDOWN, 1000, &text), OK);
    assert_null(strstr(buf_cstr(&text.content), "\n## edges"));
    context_text_fini(&text);
}

/* ---- what is refused ---- */

static void
wrong_arguments_are_told_what_is_right(void **state)
{
    const char *name = "context_for_files";

    (void)state;
    ask_refused(context_shop.tools, name, "{}", "files");
    ask_refused(context_shop.tools, name, "{\"files\":\"no/such.go\"}",
                "indexed");
    ask_refused(context_shop.tools, name,
                "{\"files\":\"web/cart.go\",\"format\":\"yaml\"}",
                "xml, json, markdown, gcf, gcb");
    ask_refused(context_shop.tools, name,
                "{\"files\":\"web/cart.go\",\"token_budget\":99}", "100");
    ask_refused(context_shop.tools, name,
                "{\"files\":\"web/cart.go\",\"token_budget\":200001}",
                "200000");
    ask_refused(context_shop.tools, name,
                "{\"files\":\"web/cart.go\",\"repo_url\":\"no/where\"}",
                "acme/shop");
    ask_refused(context_shop.tools, name, "{\"file\":\"web/cart.go\"}",
                "did you mean 'files'");
    ask_refused(context_shop.tools, "context_for_task", "{}",
                "task_description is required");
    ask_refused(context_shop.tools, "context_for_task",
                "{\"task_description\":7}", "must be a string");
    ask_refused(context_shop.tools, "context_for_pr", "{}", "files");
}

static void
an_empty_graph_says_what_to_do(void **state)
{
    (void)state;
    cJSON *out = for_task("anything at all");
    assert_int_equal((int)ask_number(out, "symbols_included"), 0);
    assert_true(ask_hints(out, "spangraph index"));
    cJSON_Delete(out);
    ask_refused(context_shop.tools, "context_for_files", "{\"files\":\"a.go\"}",
                "spangraph index");
    ask_refused(context_shop.tools, "context_for_pr", "{\"files\":\"a.go\"}",
                "spangraph index");
}

#define SHOP(test)                                            \
    cmocka_unit_test_setup_teardown(test, context_shop_setup, \
                                    context_shop_teardown)
#define EMPTY(test)                                                 \
    cmocka_unit_test_setup_teardown(test, context_shop_setup_empty, \
                                    context_shop_teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SHOP(files_give_their_symbols_and_what_reaches_them),
        SHOP(a_caller_that_only_traffic_knows_is_there),
        SHOP(what_is_busy_comes_before_what_is_idle),
        SHOP(a_review_and_a_blast_differ_in_callers_and_budget),
        SHOP(several_files_and_their_ends_are_understood),
        SHOP(words_of_a_task_find_their_symbols),
        SHOP(what_a_task_names_exactly_comes_first),
        SHOP(a_task_that_fits_nothing_says_so),
        SHOP(no_budget_is_ever_exceeded),
        SHOP(rows_end_at_their_bound_and_the_rest_is_counted),
        SHOP(gcf_is_read_back),
        SHOP(gcb_is_read_back_and_says_the_same_as_json),
        cmocka_unit_test(base64_is_that_of_the_standard),
        cmocka_unit_test(hostile_names_break_no_format),
        SHOP(wrong_arguments_are_told_what_is_right),
        EMPTY(an_empty_graph_says_what_to_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
