/* Facts packed and read back are the same; what is damaged is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/facts.h"

static uint32_t
name(struct facts *facts, const char *text)
{
    return facts_expr(facts, &(struct fact_expr){
                                 .kind = EXPR_NAME,
                                 .text = facts_str(facts, str_of(text)),
                                 .line = 3,
                             });
}

static void
fill(struct facts *facts)
{
    assert_int_equal(facts_init(facts, LANG_GO), OK);
    facts->package = facts_str(facts, STR("shop"));
    facts->flags = FACTS_TEST;
    uint32_t base = name(facts, "Base");
    uint32_t bases = facts_list(facts, &base, 1);
    uint32_t type = facts_def(facts, &(struct fact_def){
                                         .kind = CODE_TYPE,
                                         .name = facts_str(facts, STR("Cart")),
                                         .bases_at = bases,
                                         .bases_len = 1,
                                         .line = 9,
                                         .col = 5,
                                         .start_line = 7,
                                         .end_line = 20,
                                     });
    uint32_t add = facts_def(facts, &(struct fact_def){
                                        .kind = CODE_METHOD,
                                        .parent = type,
                                        .name = facts_str(facts, STR("Add")),
                                        .line = 4, /* before the last one */
                                        .start_line = 4,
                                        .end_line = 4,
                                    });
    uint32_t callee = name(facts, "log");
    uint32_t arg = facts_expr(facts, &(struct fact_expr){
                                         .kind = EXPR_STRING,
                                         .text = facts_str(facts, STR("a\nb")),
                                     });
    facts_expr(facts, &(struct fact_expr){
                          .kind = EXPR_CALL,
                          .scope = add,
                          .a = callee,
                          .list_at = facts_list(facts, &arg, 1),
                          .list_len = 1,
                          .line = 11,
                          .col = 70000,
                      });
    facts_expr(facts, &(struct fact_expr){.kind = EXPR_LAMBDA, .a = add});
    facts_expr(facts, &(struct fact_expr){.kind = EXPR_STRING,
                                          .is_symbol = true,
                                          .text = facts_str(facts, STR("n"))});
    facts_bind(facts, &(struct fact_bind){.kind = BIND_PARAM,
                                          .scope = add,
                                          .name = facts_str(facts, STR("n")),
                                          .type = base,
                                          .index = 2,
                                          .line = 11});
    facts_import(facts, &(struct fact_import){
                            .kind = IMPORT_NAME,
                            .module = facts_str(facts, STR("./x")),
                            .alias = facts_str(facts, STR("y")),
                            .is_type_only = true,
                            .line = 1,
                        });
    assert_false(facts->failed);
}

static void
packed_facts_read_back_the_same(void **state)
{
    struct facts facts;
    struct facts back;
    struct buf packed = {0};
    struct buf before = {0};
    struct buf after = {0};

    (void)state;
    fill(&facts);
    assert_int_equal(facts_encode(&facts, &packed), OK);
    assert_int_equal(facts_decode(&back, buf_str(&packed)), OK);
    facts_dump(&facts, &before);
    facts_dump(&back, &after);
    assert_string_equal(buf_cstr(&before), buf_cstr(&after));
    assert_true(before.len > 100);
    assert_int_equal(back.lang, LANG_GO);
    assert_int_equal(back.flags, FACTS_TEST);
    assert_int_equal(back.expr_len, facts.expr_len);
    for (uint32_t i = 1; i < back.expr_len; i++) {
        assert_int_equal(back.exprs[i].kind, facts.exprs[i].kind);
        assert_int_equal(back.exprs[i].is_symbol, i == back.expr_len - 1);
    }
    facts_fini(&facts);
    facts_fini(&back);
    buf_fini(&packed);
    buf_fini(&before);
    buf_fini(&after);
}

/* Any byte changed, any end cut off: facts that can be walked, or none. */
static void
damaged_facts_are_refused_or_harmless(void **state)
{
    struct facts facts;
    struct buf packed = {0};
    size_t refused = 0;

    (void)state;
    fill(&facts);
    assert_int_equal(facts_encode(&facts, &packed), OK);
    for (size_t i = 0; i < packed.len; i++) {
        struct facts back;
        assert_int_not_equal(
            facts_decode(&back, str_cut(buf_str(&packed), 0, i)), OK);
        for (unsigned bit = 0; bit < 8; bit++) {
            struct buf dump = {0};
            packed.ptr[i] = (char)(packed.ptr[i] ^ (1 << bit));
            if (facts_decode(&back, buf_str(&packed)) == OK) {
                facts_dump(&back, &dump);
                facts_fini(&back);
            } else {
                refused++;
            }
            buf_fini(&dump);
            packed.ptr[i] = (char)(packed.ptr[i] ^ (1 << bit));
        }
    }
    assert_true(refused > 100);
    facts_fini(&facts);
    buf_fini(&packed);
}

static void
more_interfaces_than_bases_are_refused(void **state)
{
    struct facts facts;
    struct facts back;
    struct buf packed = {0};

    (void)state;
    fill(&facts);
    facts.defs[1].interfaces = facts.defs[1].bases_len;
    assert_int_equal(facts_encode(&facts, &packed), OK);
    assert_int_equal(facts_decode(&back, buf_str(&packed)), OK);
    facts_fini(&back);
    buf_fini(&packed);
    facts.defs[1].interfaces++;
    assert_int_equal(facts_encode(&facts, &packed), OK);
    assert_int_not_equal(facts_decode(&back, buf_str(&packed)), OK);
    facts_fini(&facts);
    buf_fini(&packed);
}

static void
rows_past_the_limit_are_left_out_and_told(void **state)
{
    struct facts facts;

    (void)state;
    assert_int_equal(facts_init(&facts, LANG_GO), OK);
    while (facts.import_len < FACTS_ROWS_MAX)
        facts_import(&facts, &(struct fact_import){.kind = IMPORT_STAR});
    assert_false(facts.flags & FACTS_PARTIAL);
    assert_int_equal(
        facts_import(&facts, &(struct fact_import){.kind = IMPORT_STAR}), 0);
    assert_true(facts.flags & FACTS_PARTIAL);
    assert_false(facts.failed);
    facts_fini(&facts);
}

static void
a_long_string_is_cut_at_a_character(void **state)
{
    struct facts facts;
    char text[FACT_STR_MAX + 2];

    (void)state;
    assert_int_equal(facts_init(&facts, LANG_GO), OK);
    memset(text, 'a', sizeof(text));
    text[FACT_STR_MAX - 1] = (char)0xC3;
    text[FACT_STR_MAX] = (char)0xA9;
    str_id id = facts_str(&facts, (str){text, sizeof(text)});
    assert_int_equal(facts_text(&facts, id).len, FACT_STR_MAX - 1);
    id = facts_str(&facts, (str){text, FACT_STR_MAX - 1});
    assert_int_equal(facts_text(&facts, id).len, FACT_STR_MAX - 1);
    facts_fini(&facts);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_facts_read_back_the_same),
        cmocka_unit_test(damaged_facts_are_refused_or_harmless),
        cmocka_unit_test(more_interfaces_than_bases_are_refused),
        cmocka_unit_test(rows_past_the_limit_are_left_out_and_told),
        cmocka_unit_test(a_long_string_is_cut_at_a_character),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
