#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "model/stub.h"
#include "runtime/weight.h"

static struct attr_set none;

static void
check_state(const char *state, double want)
{
    bool is_known;
    uint64_t weight = weight_of(str_of(state), &none, ATTR_COUNT, &is_known);

    if (is_known != (want >= 0) ||
        fabs((double)weight / (double)WEIGHT_ONE - fabs(want)) > 1e-6)
        fail_msg("%s is %f, not %f", state, (double)weight / (double)WEIGHT_ONE,
                 want);
}

static void
thresholds_are_exact(void **state)
{
    (void)state;
    check_state("ot=th:0", 1);
    check_state("ot=th:4", 4.0 / 3);
    check_state("ot=th:8", 2);
    check_state("ot=th:c", 4);
    check_state("ot=th:C", 4);
    check_state("ot=th:e", 8);
    check_state("ot=th:f", 16);
    check_state("ot=th:fe", 128);
    check_state("ot=th:fd70a4", 16777216.0 / 167772);
    check_state("ot=th:fd70a3d70a3d70", 100);
    check_state("ot=th:ffffffffffffff", 4294967296); /* clamped: WEIGHT_MAX */
    check_state("ot=rv:0123456789abcd;th:8", 2);
    check_state("vendor=x, ot=th:8;rv:1 ,other=y", 2);
    check_state("ot=p:3;th:8", 2);
}

static void
older_forms_are_read(void **state)
{
    (void)state;
    check_state("ot=p:0", 1);
    check_state("ot=p:3", 8);
    check_state("ot=p:3;r:10", 8);
    check_state("ot=p:62", 4294967296);
    check_state("es=s:0.1", 10);
    check_state("es=s:0.25;x:1", 4);
    check_state("es=s:1", 1);
    check_state("es=s:1.0", 1);
    check_state("es=s:.5", 2);
    check_state("es=s:0.333333333333333333333", 3);
    check_state("ot=th:8,es=s:0.1", 2);
}

static void
never_is_the_least_weight_and_known(void **state)
{
    bool is_known;

    (void)state;
    assert_int_equal(weight_of(STR("ot=p:63"), &none, ATTR_COUNT, &is_known),
                     1);
    assert_true(is_known);
    assert_int_equal(weight_of(STR("es=s:0"), &none, ATTR_COUNT, &is_known), 1);
    assert_true(is_known);
}

static void
what_cannot_be_read_is_not_known(void **state)
{
    static const char *const states[] = {
        "",         "ot",       "ot=",      "ot=th",
        "ot=th:",   "ot=th:g",  "ot=th:-1", "ot=p:",
        "ot=p:64",  "ot=p:x",   "ot=p:100", "es=s:",
        "es=s:1.5", "es=s:a",   "es=s:.",   "es=s:1e-2",
        "xot=th:8", "ot2=th:8", "th:8",     "OT=th:8",
        "es=s:-1",  "ot=rv:8",  ",,,",      "ot=th:000000000000000",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
        check_state(states[i], -1);
}

static void
set(struct attr_set *attrs, enum attr id, struct attr_value value)
{
    attrs->mask[id / 64] |= UINT64_C(1) << (id % 64);
    attrs->value[id] = value;
}

static void
check_attr(enum attr id, struct attr_value value, enum attr rate_key,
           double want)
{
    struct attr_set attrs = {.mask = {0}};
    bool is_known;

    set(&attrs, ATTR_SAMPLER_TYPE,
        (struct attr_value){
            .type = ATTR_STR, .len = 13, .str = "probabilistic"});
    set(&attrs, id, value);
    uint64_t weight = weight_of((str){NULL, 0}, &attrs, rate_key, &is_known);
    assert_int_equal(is_known, want >= 0);
    assert_true(fabs((double)weight / (double)WEIGHT_ONE - fabs(want)) < 1e-6);
}

#define INT(n) ((struct attr_value){.type = ATTR_INT, .i = (n)})
#define DBL(n) ((struct attr_value){.type = ATTR_DOUBLE, .d = (n)})
#define TEXT(s) \
    ((struct attr_value){.type = ATTR_STR, .len = sizeof(s) - 1, .str = (s)})

static void
attributes_are_read_when_the_state_says_nothing(void **state)
{
    (void)state;
    check_attr(ATTR_SAMPLER_PARAM, DBL(0.01), ATTR_COUNT, 100);
    check_attr(ATTR_SAMPLER_PARAM, TEXT("0.01"), ATTR_COUNT, 100);
    check_attr(ATTR_SAMPLER_PARAM, INT(1), ATTR_COUNT, 1);
    check_attr(ATTR_SAMPLER_PARAM, DBL(0), ATTR_COUNT, 1.0 / 1048576);
    check_attr(ATTR_SAMPLER_PARAM, DBL(2), ATTR_COUNT, -1);
    check_attr(ATTR_SAMPLER_PARAM, DBL((double)NAN), ATTR_COUNT, -1);
    check_attr(ATTR_SAMPLER_PARAM, DBL(1e-300), ATTR_COUNT, 4294967296);
    check_attr(ATTR_SAMPLE_RATE, INT(20), ATTR_COUNT, 20);
    check_attr(ATTR_SAMPLE_RATE, TEXT("20"), ATTR_COUNT, 20);
    check_attr(ATTR_SAMPLE_RATE, DBL(2.5), ATTR_COUNT, 2.5);
    check_attr(ATTR_SAMPLE_RATE, DBL((double)INFINITY), ATTR_COUNT, 4294967296);
    check_attr(ATTR_SAMPLE_RATE, INT(INT64_MAX), ATTR_COUNT, 4294967296);
    check_attr(ATTR_SAMPLE_RATE, INT(0), ATTR_COUNT, -1);
    check_attr(ATTR_SAMPLE_RATE, INT(-5), ATTR_COUNT, -1);
    check_attr(ATTR_SAMPLE_RATE, TEXT("x"), ATTR_COUNT, -1);
    check_attr(ATTR_MSG_BATCH_COUNT, INT(7), ATTR_MSG_BATCH_COUNT, 7);
    check_attr(ATTR_MSG_BATCH_COUNT, INT(7), ATTR_COUNT, -1);
}

static void
the_state_goes_before_attributes(void **state)
{
    struct attr_set attrs = {.mask = {0}};
    bool is_known;

    (void)state;
    set(&attrs, ATTR_SAMPLE_RATE, INT(20));
    assert_int_equal(weight_of(STR("ot=th:8"), &attrs, ATTR_COUNT, &is_known),
                     2 * WEIGHT_ONE);
    assert_int_equal(weight_of(STR("ot=th:x"), &attrs, ATTR_COUNT, &is_known),
                     20 * WEIGHT_ONE);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thresholds_are_exact),
        cmocka_unit_test(older_forms_are_read),
        cmocka_unit_test(never_is_the_least_weight_and_known),
        cmocka_unit_test(what_cannot_be_read_is_not_known),
        cmocka_unit_test(attributes_are_read_when_the_state_says_nothing),
        cmocka_unit_test(the_state_goes_before_attributes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
