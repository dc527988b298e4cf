/*
 * pair_examples - the rules of pairing by example.
 *
 * A case is a text, one span after another:
 *
 *     [trace:]id KIND service [<parent] [~[trace:]id]... [word]...
 *
 * KIND is S server, C client, P producer, N consumer, I internal, U unknown.
 * Words: ! failed, remote, local, synth, denied, th=4 (weight), peer=x, db=x,
 * topic=x (publishes, if a C or P), publish (without one), create=x, receive=x,
 * at=x (endpoint), sym=x, inproc, back, above (as above=x, of a peer=x).  What
 * is expected once all waits have ended is a text:
 *
 *     src>dst kind count [errors [weight]], ...
 *
 * and nothing else may be told but `seen`, `seen_by` and `traffic`.  Without
 * `at`, the endpoint is the service.
 */
#ifndef TESTS_SUPPORT_PAIR_EXAMPLES_H
#define TESTS_SUPPORT_PAIR_EXAMPLES_H

#include <stddef.h>

enum { PAIR_EXAMPLE_SPANS = 6 };

struct pair_example {
    const char *title;
    const char *spans[PAIR_EXAMPLE_SPANS + 1];
    const char *expect;
};

extern const struct pair_example pair_examples[];
extern const size_t pair_examples_len;

#endif
