#include "index/resolve_scip.h"

#include "index/scip.h"
#include "tests/index/resolve_fixture.h"

LINK_LANG(python);

/* Two functions of one name in two files, called through what only a compiler
 * knows; behind characters of two, three and four bytes. */
static const char main_py[] =
    "def f(x):\n"
    "    '\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80'; x.go()\n";
static const char tool_py[] = "class T:\n    def go(self): pass\n";

static void
put_varint(struct buf *out, uint32_t value)
{
    while (value >= 0x80) {
        buf_add_char(out, (char)(signed char)(value | 0x80));
        value >>= 7;
    }
    buf_add_char(out, (char)value);
}

static void
put_bytes(struct buf *out, uint32_t field, str bytes)
{
    put_varint(out, field << 3 | 2);
    put_varint(out, (uint32_t)bytes.len);
    buf_add(out, bytes);
}

/* How an occurrence says where it is, by the number of its field. */
enum range_form {
    RANGE_NONE = 0,
    RANGE_LIST = 1, /* of integers, as all indexers wrote it until 2026 */
    RANGE_SINGLE_LINE = 8,
    RANGE_MULTI_LINE = 9,
};

/* Numbers of 0 are left out, as proto3 does. */
static void
put_number(struct buf *out, uint32_t field, uint32_t value)
{
    if (value == 0)
        return;
    put_varint(out, field << 3);
    put_varint(out, value);
}

static void
put_range(struct buf *out, enum range_form form, uint32_t line, uint32_t col)
{
    struct buf range = {0};

    if (form == RANGE_LIST) {
        put_varint(&range, line);
        put_varint(&range, col);
        put_varint(&range, col + 2);
    } else {
        put_number(&range, 1, line);
        put_number(&range, 2, col);
        if (form == RANGE_MULTI_LINE)
            put_number(&range, 3, line);
        put_number(&range, form == RANGE_MULTI_LINE ? 4 : 3, col + 2);
    }
    if (form != RANGE_NONE)
        put_bytes(out, form, buf_str(&range));
    buf_fini(&range);
}

static void
put_occurrence(struct buf *doc, enum range_form form, uint32_t line,
               uint32_t col, bool is_definition)
{
    struct buf out = {0};

    put_range(&out, form, line, col);
    put_bytes(&out, 2, STR("scip T#go()."));
    put_number(&out, 3, is_definition);
    put_bytes(doc, 2, buf_str(&out));
    buf_fini(&out);
}

static void
put_document_of(struct buf *index, const char *path, enum range_form form,
                uint32_t encoding, uint32_t line, uint32_t col,
                bool is_definition)
{
    struct buf doc = {0};

    put_bytes(&doc, 1, str_of(path));
    put_occurrence(&doc, form, line, col, is_definition);
    put_varint(&doc, 6 << 3);
    put_varint(&doc, encoding);
    put_bytes(index, 2, buf_str(&doc));
    buf_fini(&doc);
}

static void
put_document(struct buf *index, const char *path, uint32_t encoding,
             uint32_t line, uint32_t col, bool is_definition)
{
    put_document_of(index, path, RANGE_LIST, encoding, line, col,
                    is_definition);
}

static bool
give_source(void *ctx, str path, struct buf *out)
{
    (void)ctx;
    if (str_eq(path, STR("main.py")))
        buf_add(out, str_of(main_py));
    else if (str_eq(path, STR("tool.py")))
        buf_add(out, str_of(tool_py));
    else
        return false;
    return true;
}

static void
join_by(enum range_form form, uint32_t encoding, uint32_t col, bool is_found)
{
    struct world w = {0};
    struct buf index = {0};
    struct resolve_scip_taken taken;

    world_add(&w, "main.py", main_py);
    world_add(&w, "tool.py", tool_py);
    put_document_of(&index, "main.py", form, encoding, 1, col, false);
    put_document_of(&index, "tool.py", form, encoding, 1, 8, true);
    put_document_of(&index, "gone.py", form, encoding, 1, 8, true);
    assert_int_equal(resolver_new(&w.r, w.files, w.len, NULL), OK);
    assert_int_equal(
        resolver_scip(w.r, buf_str(&index), give_source, NULL, &taken), OK);
    assert_int_equal(taken.documents, 2);
    assert_int_equal(taken.unmatched, 1);
    assert_int_equal(taken.calls, is_found);
    assert_int_equal(code_build_init(&w.build), OK);
    for (uint32_t i = 0; i < w.len; i++)
        code_build_file(&w.build, &(struct build_file){0});
    assert_int_equal(resolve_graph(w.r, &w.build, 1), OK);
    assert_int_equal(
        find_edge(&w, "calls", "f", "T.go", "scip_resolved") != NULL, is_found);
    buf_fini(&index);
    world_fini(&w);
}

static void
join(uint32_t encoding, uint32_t col, bool is_found)
{
    join_by(RANGE_LIST, encoding, col, is_found);
}

static void
columns_are_counted_in_the_units_of_the_document(void **state)
{
    (void)state;
    /* 4 spaces, a quote, 3 characters, a quote, `; x.` */
    join(SCIP_UNSPECIFIED, 4 + 1 + 4 + 1 + 4, true);
    join(SCIP_UTF16, 4 + 1 + 4 + 1 + 4, true);
    join(SCIP_UTF32, 4 + 1 + 3 + 1 + 4, true);
    join(SCIP_UTF8, 4 + 1 + 9 + 1 + 4, true);
    join(SCIP_UTF8, 4 + 1 + 4 + 1 + 4, false);
    join(SCIP_UTF16, 1000, false);
}

static void
places_are_read_in_each_form_of_range(void **state)
{
    (void)state;
    for (int form = RANGE_SINGLE_LINE; form <= RANGE_MULTI_LINE; form++) {
        join_by((enum range_form)form, SCIP_UTF8, 4 + 1 + 9 + 1 + 4, true);
        join_by((enum range_form)form, SCIP_UTF8, 4 + 1 + 9 + 1 + 3, false);
    }
    join_by(RANGE_NONE, SCIP_UTF8, 4 + 1 + 9 + 1 + 4, false);
}

static enum err
take_place(void *ctx, const struct scip_occurrence *occurrence)
{
    *(struct scip_occurrence *)ctx = *occurrence;
    return OK;
}

static void
numbers_of_zero_that_are_left_out_are_the_first_place(void **state)
{
    (void)state;
    for (int form = RANGE_SINGLE_LINE; form <= RANGE_MULTI_LINE; form++) {
        struct scip_occurrence at = {0};
        struct buf doc = {0};

        put_occurrence(&doc, (enum range_form)form, 0, 0, true);
        assert_int_equal(
            scip_occurrences(&(struct scip_document){.bytes = buf_str(&doc)},
                             take_place, &at),
            OK);
        assert_int_equal(at.line, 1);
        assert_int_equal(at.col, 0);
        assert_true(at.is_definition);
        buf_fini(&doc);
    }
}

static enum err
ignore_occurrence(void *ctx, const struct scip_occurrence *occurrence)
{
    (void)ctx;
    (void)occurrence;
    return OK;
}

static enum err
walk_document(void *ctx, const struct scip_document *doc)
{
    return scip_occurrences(doc, ignore_occurrence, ctx);
}

static void
an_index_cut_anywhere_is_corrupt_or_shorter(void **state)
{
    (void)state;
    struct buf index = {0};

    put_document(&index, "main.py", SCIP_UTF16, 1, 14, false);
    put_document(&index, "tool.py", SCIP_UTF16, 1, 8, true);
    assert_int_equal(scip_documents(buf_str(&index), walk_document, NULL), OK);
    for (size_t len = 0; len < index.len; len++) {
        char *copy = malloc(len ? len : 1); /* for the sanitizer to see */
        assert_non_null(copy);
        memcpy(copy, index.ptr, len);
        enum err err = scip_documents((str){copy, len}, walk_document, NULL);
        assert_true(err == OK || err == ERR_CORRUPT);
        free(copy);
    }
    assert_int_equal(scip_documents(STR("{\"a\": 1}"), walk_document, NULL),
                     ERR_CORRUPT);
    buf_fini(&index);
}

static void
every_changed_byte_is_survived(void **state)
{
    (void)state;
    struct buf index = {0};

    put_document(&index, "main.py", SCIP_UTF16, 1, 14, false);
    put_document_of(&index, "main.py", RANGE_SINGLE_LINE, SCIP_UTF16, 1, 14,
                    false);
    for (size_t at = 0; at < index.len; at++)
        for (int value = 0; value < 256; value += 5) {
            char was = index.ptr[at];
            index.ptr[at] = (char)(signed char)value;
            enum err err = scip_documents(buf_str(&index), walk_document, NULL);
            assert_true(err == OK || err == ERR_CORRUPT);
            index.ptr[at] = was;
        }
    buf_fini(&index);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_counted_in_the_units_of_the_document),
        cmocka_unit_test(places_are_read_in_each_form_of_range),
        cmocka_unit_test(numbers_of_zero_that_are_left_out_are_the_first_place),
        cmocka_unit_test(an_index_cut_anywhere_is_corrupt_or_shorter),
        cmocka_unit_test(every_changed_byte_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
