/*
 * size - how much of a long test is run, and which part of it again.
 *
 * A test that draws its cases from seeds has three sizes: what each commit can
 * afford, a night, and a release.  The environment chooses, or the command
 * line, which is stronger:
 *
 *     SIZE=commit|nightly|release   SEED=n        (that seed alone)
 *     test_sim --size nightly       test_sim --seed 4711
 *
 * Threads    One, before there are others.
 */
#ifndef TESTS_SUPPORT_SIZE_H
#define TESTS_SUPPORT_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* size_args reads the command line; ends the program if it cannot. */
void size_args(int argc, char **argv);

/* size_of chooses one of three numbers. */
uint64_t size_of(uint64_t commit, uint64_t nightly, uint64_t release);

/* The seeds from first to last. */
struct seeds {
    uint64_t first;
    uint64_t last;
};

/* size_seeds is 1 to size_of(...), or the one seed that was asked for. */
struct seeds size_seeds(uint64_t commit, uint64_t nightly, uint64_t release);

/* size_is_one: one seed was asked for. */
bool size_is_one(void);

/* size_roll is the next of a row of numbers that |state| determines. */
uint64_t size_roll(uint64_t *state);

/* size_one_in is true once in |n| times. */
bool size_one_in(uint64_t *state, uint64_t n);

#endif
