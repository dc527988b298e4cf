/*
 * What the tools of context say, read back from each format they say it in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graph/joined.h"
#include "mcp/context_format.h"
#include "tests/support/ask_tools.h"
#include "tests/support/context_ask.h"
#include "tests/support/context_shop.h"

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
    cJSON *out = context_ask_files("checkout/buy.go", "gcf", 300);
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
    cJSON *out = context_ask_files("checkout/buy.go", "gcb", 50000);
    cJSON *json = context_ask_content(
        context_ask_files("checkout/buy.go", "json", 50000));
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        CONTEXT_SHOP(gcf_is_read_back),
        CONTEXT_SHOP(gcb_is_read_back_and_says_the_same_as_json),
        cmocka_unit_test(base64_is_that_of_the_standard),
        cmocka_unit_test(hostile_names_break_no_format),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
