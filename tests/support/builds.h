/*
 * builds - what an indexer could have found, made up, for tests of the store
 * of the static graph.
 *
 * A program is a list of functions in files, that call each other; it can be
 * edited at random, and turned into a build.  Equal programs give builds that
 * say the same, in an order that |shuffle| changes.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_BUILDS_H
#define TESTS_SUPPORT_BUILDS_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/code_build.h"

enum { PROGRAM_FILES = 12, PROGRAM_FUNCTIONS = 40, PROGRAM_CALLS = 6 };

struct program {
    struct {
        bool is_there;
        uint32_t lines_above; /* of the first function */
        uint32_t version;     /* of the file's content */
        uint32_t owner;
    } files[PROGRAM_FILES];
    struct {
        uint32_t file; /* 0: it is not there */
        uint32_t name; /* several may have one */
        uint32_t signature;
        uint32_t length;               /* lines */
        uint32_t calls[PROGRAM_CALLS]; /* function + 1; 0: none */
        uint32_t provenance;
        bool is_handler;
    } functions[PROGRAM_FUNCTIONS];
    char commit[41];
    uint64_t seed;
};

void program_init(struct program *p, uint64_t seed);
/* program_edit makes one random change, and another commit. */
void program_edit(struct program *p);
uint32_t program_random(struct program *p, uint32_t below);

/* program_build fills |out|, which code_build_fini frees. */
void program_build(const struct program *p, const char *url, uint32_t shuffle,
                   struct code_build *out);

/* build_large makes |nodes| functions in files of 20 with |edges| calls. */
void build_large(struct code_build *out, const char *url, uint32_t nodes,
                 uint32_t edges);

#endif
