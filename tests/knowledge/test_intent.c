/*
 * What questions in plain words are read as, and what looks like a name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "knowledge/intent.h"
#include "knowledge/search.h"

static const struct {
    const char *query;
    enum intent_kind kind;
    const char *first;
    const char *second;
} asked[] = {
    {"who calls GET /pay?", INTENT_CALLERS, "GET /pay", ""},
    {"  Who Calls `validateToken`", INTENT_CALLERS, "validateToken", ""},
    {"callers of the cart service", INTENT_CALLERS, "cart service", ""},
    {"Who is calling POST /buy", INTENT_CALLERS, "POST /buy", ""},
    {"clients of pay", INTENT_CALLERS, "pay", ""},
    {"what breaks if I delete POST /buy", INTENT_BLAST, "POST /buy", ""},
    {"Which services depend on pay?", INTENT_BLAST, "pay", ""},
    {"what is upstream of pay", INTENT_BLAST, "pay", ""},
    {"what does checkout call?", INTENT_CALLEES, "checkout", ""},
    {"What does POST /buy depend on?", INTENT_DEPENDS, "POST /buy", ""},
    {"path from web to \"pay\"", INTENT_PATH, "web", "pay"},
    {"how does web reach pay.Pay/Charge", INTENT_PATH, "web", "pay.Pay/Charge"},
    {"a -> b", INTENT_PATH, "a", "b"},
    {"what breaks if I change Cart.Add", INTENT_BLAST, "Cart.Add", ""},
    {"what breaks if Cart.Add changes?", INTENT_BLAST, "Cart.Add", ""},
    {"what depends on cart", INTENT_BLAST, "cart", ""},
    {"what is the blast radius of x", INTENT_BLAST, "x", ""},
    {"dead routes", INTENT_DEAD, "", ""},
    {"Which routes are dead in checkout?", INTENT_DEAD, "checkout", ""},
    {"overview of checkout", INTENT_OVERVIEW, "checkout", ""},
    {"what is cart", INTENT_WHAT_IS, "cart", ""},
    {"who calls", INTENT_SEARCH, "who calls", ""},
    {"checkout timeout", INTENT_SEARCH, "checkout timeout", ""},
    {"path from web", INTENT_SEARCH, "path from web", ""},
    {"", INTENT_SEARCH, "", ""},
    {"?", INTENT_SEARCH, "", ""},
};

static void
a_question_is_read_by_its_phrase_and_all_else_is_searched(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        struct intent intent = intent_of(str_of(asked[i].query));

        if (intent.kind != asked[i].kind ||
            !str_eq(intent.first, str_of(asked[i].first)) ||
            !str_eq(intent.second, str_of(asked[i].second)))
            fail_msg("'%s' is read as %s of '%.*s' and '%.*s'", asked[i].query,
                     intent_str(intent.kind), (int)intent.first.len,
                     intent.first.ptr, (int)intent.second.len,
                     intent.second.ptr);
    }
}

static void
a_name_is_told_from_the_word_for_its_kind(void **state)
{
    static const char *const cases[][2] = {
        {"cart service", "cart"},
        {"service cart", "cart"},
        {"Endpoint POST /buy", "POST /buy"},
        {"`Cart.Add` function", "Cart.Add"},
        {"service", "service"},
        {"service ", "service "},
        {"microservice", "microservice"},
        {"services", "services"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        str name = intent_without_kind(str_of(cases[i][0]));

        if (!str_eq(name, str_of(cases[i][1])))
            fail_msg("'%s': '%.*s'", cases[i][0], (int)name.len, name.ptr);
    }
}

static void
an_identifier_is_told_from_a_word(void **state)
{
    const char *const idents[] = {"parse_header", "getUser",      "a::b",
                                  "/pay",         "service:cart", "main.go",
                                  "ECONN-REFUSED"};
    const char *const words[] = {"checkout", "Checkout", "TIMEOUT", "a",
                                 "",         "end.",     "-"};

    (void)state;
    for (size_t i = 0; i < sizeof(idents) / sizeof(idents[0]); i++)
        if (!search_is_ident(str_of(idents[i])))
            fail_msg("'%s' is an identifier", idents[i]);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (search_is_ident(str_of(words[i])))
            fail_msg("'%s' is a word", words[i]);
}

static void
names_are_alike_by_their_runs_of_letters(void **state)
{
    (void)state;
    assert_true(search_like(STR("validate"), STR("VALIDATE")) > 0.99);
    assert_true(search_like(STR("validate"), STR("validateToken")) >
                search_like(STR("validate"), STR("vacation")));
    assert_true(search_like(STR("ab"), STR("ab")) == 0);
    assert_true(search_like(STR(""), STR("abc")) == 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_question_is_read_by_its_phrase_and_all_else_is_searched),
        cmocka_unit_test(a_name_is_told_from_the_word_for_its_kind),
        cmocka_unit_test(an_identifier_is_told_from_a_word),
        cmocka_unit_test(names_are_alike_by_their_runs_of_letters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
