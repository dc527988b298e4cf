/* Worked cases of the rules (tests/support/pair_examples.h), each in every
 * order of arrival: one span a request, and all in one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "runtime/pair.h"
#include "tests/support/pair_examples.h"
#include "tests/support/pair_sums.h"

enum { LINKS_MAX = 4, NAMES_MAX = 64, WORD_MAX = 32 };

#define START_NS (UINT64_C(1700000000) * NS_PER_S)

/* ---- reading ---- */

struct names {
    char name[NAMES_MAX][WORD_MAX];
    uint32_t len;
};

/* Node ids are the places of names, from 1; 0 is "0". */
static uint32_t
node(struct names *names, const char *name)
{
    if (strcmp(name, "0") == 0)
        return 0;
    for (uint32_t i = 0; i < names->len; i++) {
        if (strcmp(names->name[i], name) == 0)
            return i + 1;
    }
    assert_true(names->len < NAMES_MAX && strlen(name) < WORD_MAX);
    memcpy(names->name[names->len], name, strlen(name) + 1);
    return ++names->len;
}

/* `T1:a`: trace 1, span a; `0T1:a`: the same without the high half. */
static struct span_link
key_of(const char *word, const struct stub *in)
{
    const char *colon = strchr(word, ':');
    bool is_short = word[0] == '0';
    struct span_link key = {.trace_hi = 77, .trace_lo = 1};

    if (in)
        key = (struct span_link){in->trace_hi, in->trace_lo, 0};
    if (colon) {
        key.trace_lo = (uint64_t)(word[is_short + 1] - '0');
        key.trace_hi = is_short ? 0 : 77;
        word = colon + 1;
    }
    key.span_id = (uint64_t)word[0] * 1000 + (uint64_t)word[1];
    return key;
}

static bool
is_named(const char *word, const char *name, const char **value)
{
    size_t len = strlen(name);

    *value = word + len;
    return strncmp(word, name, len) == 0;
}

static void
read_peer(struct names *names, struct stub *stub, const char *word)
{
    const char *value;

    if (is_named(word, "peer=", &value)) {
        stub->peer = node(names, value);
    } else if (is_named(word, "db=", &value)) {
        stub->peer = node(names, value);
        stub->flags |= STUB_DB;
    } else if (is_named(word, "unplaced=", &value)) {
        stub->peer = node(names, value);
        stub->flags |= STUB_DB | STUB_UNPLACED;
    } else if (is_named(word, "above=", &value)) {
        stub->peer = node(names, value);
        stub->flags |= STUB_DB | STUB_ABOVE;
    } else if (is_named(word, "topic=", &value)) {
        stub->peer = node(names, value);
        stub->flags |= stub->flags & STUB_EGRESS ? STUB_PUBLISH : 0;
    } else if (is_named(word, "create=", &value)) {
        stub->peer = node(names, value);
        stub->flags |= STUB_CREATE;
    } else if (is_named(word, "receive=", &value)) {
        stub->peer = node(names, value);
        stub->flags |= STUB_RECEIVE;
        stub->flags &= ~STUB_EGRESS;
    } else {
        fail_msg("what is %s?", word);
    }
}

static void
read_word(struct names *names, struct stub *stub, struct span_link *links,
          const char *word)
{
    static const struct {
        const char *word;
        uint32_t flags;
    } flags[] = {
        {"!", STUB_FAILED},        {"remote", STUB_REMOTE_KNOWN | STUB_REMOTE},
        {"synth", STUB_SYNTHETIC}, {"local", STUB_REMOTE_KNOWN},
        {"denied", STUB_DENIED},   {"inproc", STUB_INPROC_DB},
        {"back", STUB_BACKWARDS},  {"publish", STUB_PUBLISH},
        {"above", STUB_ABOVE},
    };
    const char *value;

    for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
        if (strcmp(word, flags[i].word) == 0) {
            stub->flags |= flags[i].flags;
            return;
        }
    }
    if (word[0] == '<') {
        stub->parent_id = key_of(word + 1, stub).span_id;
    } else if (word[0] == '~') {
        assert_true(stub->link_len < LINKS_MAX);
        links[stub->link_len++] = key_of(word + 1, stub);
    } else if (is_named(word, "th=", &value)) {
        stub->weight = strtoull(value, NULL, 10) * WEIGHT_ONE;
        stub->flags |= STUB_WEIGHT_KNOWN;
    } else if (is_named(word, "at=", &value)) {
        stub->endpoint = node(names, value);
    } else if (is_named(word, "sym=", &value)) {
        stub->symbol = node(names, value);
    } else {
        read_peer(names, stub, word);
    }
}

static void
read_span(struct names *names, struct stub *stub, struct span_link *links,
          const char *text)
{
    static const char kinds[] = "UISCPN";
    char copy[128];
    char *rest = NULL;

    assert_true(strlen(text) < sizeof(copy));
    memcpy(copy, text, strlen(text) + 1);
    const char *id = strtok_r(copy, " ", &rest);
    const char *kind = strtok_r(NULL, " ", &rest);
    const char *service = strtok_r(NULL, " ", &rest);
    assert_true(id && kind && service && strchr(kinds, *kind));

    *stub = (struct stub){.weight = WEIGHT_ONE,
                          .start_ns = START_NS,
                          .duration_ns = 5 * NS_PER_MS,
                          .scope = node(names, "scope"),
                          .service = node(names, service)};
    struct span_link key = key_of(id, NULL);
    stub->trace_hi = key.trace_hi;
    stub->trace_lo = key.trace_lo;
    stub->span_id = key.span_id;
    stub->kind = (uint8_t)(strchr(kinds, *kind) - kinds);
    if (stub->kind == SPAN_SERVER || stub->kind == SPAN_CONSUMER)
        stub->flags = STUB_INGRESS;
    if (stub->kind == SPAN_CLIENT || stub->kind == SPAN_PRODUCER)
        stub->flags = STUB_EGRESS;
    for (const char *word; (word = strtok_r(NULL, " ", &rest));)
        read_word(names, stub, links, word);
}

static uint8_t
kind_of(const char *name)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } accounts[] = {
        {"traffic", EDGE_TRAFFIC},
        {"synthetic", EDGE_SYNTHETIC},
        {"denied", EDGE_DENIED},
        {"orphan", EDGE_ORPHAN},
        {"unresolved", EDGE_UNRESOLVED},
        {"inproc_db", EDGE_INPROC_DB},
        {"code_call", EDGE_CODE_CALL},
        {"handled", EDGE_HANDLED},
        {"duplicate", EDGE_DUPLICATE},
        {"unresolved_link", EDGE_UNRESOLVED_LINK},
    };

    for (size_t i = 0; i < sizeof(accounts) / sizeof(*accounts); i++) {
        if (strcmp(name, accounts[i].name) == 0)
            return accounts[i].kind;
    }
    return edge_kind_of(name);
}

/* ---- checking ---- */

static bool
is_always_there(uint8_t kind)
{
    return kind == EDGE_SEEN || kind == EDGE_SEEN_BY || kind == EDGE_TRAFFIC;
}

static void
check(struct names *names, const struct pair_example *example,
      const struct pair_sums *sums, const char *order)
{
    char copy[512];
    char *rest = NULL;
    uint32_t expected = 0;
    uint32_t told = 0;

    memcpy(copy, example->expect, strlen(example->expect) + 1);
    for (char *at = strtok_r(copy, ",", &rest); at;
         at = strtok_r(NULL, ",", &rest)) {
        char src[WORD_MAX];
        char dst[WORD_MAX];
        char kind[WORD_MAX];
        long count;
        long errors = 0;
        long weight = -1;

        /* NOLINTNEXTLINE(cert-err34-c): our own text */
        if (sscanf(at, " %31[^>]>%31s %31s %ld %ld %ld", src, dst, kind, &count,
                   &errors, &weight) < 4)
            fail_msg("%s: cannot read `%s`", example->title, at);
        struct pair_sum sum = pair_sums_get(
            sums, (struct edge_key){node(names, src), node(names, dst),
                                    kind_of(kind)});
        if (sum.count != count || sum.errors != errors)
            fail_msg("%s, order %s: `%s` is %ld, errors %ld", example->title,
                     order, at, sum.count, sum.errors);
        if (weight >= 0 &&
            (sum.weight != weight * (long)WEIGHT_ONE || sum.known != count))
            fail_msg("%s, order %s: `%s` weighs %ld", example->title, order, at,
                     sum.weight);
        expected++;
    }
    for (uint32_t i = 0; i < sums->len; i++) {
        const struct pair_sum *sum = &sums->sum[i];
        if (sum->count != 0 && !is_always_there(sum->key.kind))
            told++;
    }
    if (told != expected)
        fail_msg("%s, order %s: %u edges, not %u", example->title, order, told,
                 expected);
}

struct trial {
    const struct pair_example *example;
    struct names names;
    struct stub stubs[PAIR_EXAMPLE_SPANS];
    struct span_link links[PAIR_EXAMPLE_SPANS][LINKS_MAX];
    uint32_t len;
};

/* All in |order|, one a request or all in one. */
static void
run_order(struct trial *trial, const uint32_t *order, bool at_once)
{
    const struct pair_cfg cfg = {
        .wait_ns = 60 * NS_PER_S,
        .horizon_ns = 900 * NS_PER_S,
        .link_horizon_ns = 86400 * NS_PER_S,
        .max_spans = 64,
        .max_producers = 16,
        .user = node(&trial->names, "user"),
    };
    static struct pair_sums sums;
    struct stub stubs[PAIR_EXAMPLE_SPANS];
    struct span_link links[PAIR_EXAMPLE_SPANS * LINKS_MAX];
    struct stub_batch batch = {
        .stubs = stubs, .links = links, .received_ns = START_NS};
    char text[PAIR_EXAMPLE_SPANS + 1] = {0};
    struct edge_key where;
    struct pair *pair;

    sums.len = 0;
    sums.went_below = false;
    assert_int_equal(pair_new(&pair, &cfg, pair_sums_add, &sums), OK);
    for (uint32_t i = 0; i < trial->len; i++) {
        struct stub *stub = &stubs[batch.stub_len++];
        *stub = trial->stubs[order[i]];
        stub->link_at = batch.link_len;
        memcpy(&links[batch.link_len], trial->links[order[i]],
               stub->link_len * sizeof(*links));
        batch.link_len += stub->link_len;
        text[i] = (char)('1' + order[i]);
        if (at_once && i + 1 < trial->len)
            continue;
        pair_add(pair, &batch);
        assert_false(pair_sums_negative(&sums, &where));
        batch.stub_len = 0;
        batch.link_len = 0;
    }
    pair_advance(pair, START_NS + 60 * NS_PER_S);
    assert_int_equal(pair_stats(pair).pending, 0);
    check(&trial->names, trial->example, &sums, text);
    pair_free(pair);
}

/* Heap's way through all orders. */
static void
run_orders(struct trial *trial)
{
    uint32_t order[PAIR_EXAMPLE_SPANS] = {0, 1, 2, 3, 4, 5};
    uint32_t count[PAIR_EXAMPLE_SPANS] = {0};

    run_order(trial, order, false);
    run_order(trial, order, true);
    for (uint32_t i = 0; i < trial->len;) {
        if (count[i] >= i) {
            count[i++] = 0;
            continue;
        }
        uint32_t other = i % 2 ? count[i] : 0;
        uint32_t swap = order[other];
        order[other] = order[i];
        order[i] = swap;
        run_order(trial, order, false);
        run_order(trial, order, true);
        count[i]++;
        i = 0;
    }
}

static void
every_example_holds_in_every_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < pair_examples_len; i++) {
        static struct trial trial;
        const struct pair_example *example = &pair_examples[i];
        memset(&trial, 0, sizeof(trial));
        trial.example = example;
        while (trial.len < PAIR_EXAMPLE_SPANS && example->spans[trial.len]) {
            read_span(&trial.names, &trial.stubs[trial.len],
                      trial.links[trial.len], example->spans[trial.len]);
            trial.len++;
        }
        run_orders(&trial);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_holds_in_every_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
