#include "tests/support/size.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static const char *const names[] = {"commit", "nightly", "release"};

static const char *size_asked; /* of the command line */
static const char *seed_asked;

static void
refuse(const char *what, const char *value)
{
    fprintf(stderr,
            "%s: \"%s\" is none; --size commit|nightly|release, --seed n\n",
            what, value);
    exit(2);
}

void
size_args(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && strcmp(argv[i], "--size") == 0)
            size_asked = argv[i + 1];
        else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
            seed_asked = argv[i + 1];
        else
            refuse("option", argv[i]);
    }
}

static const char *
asked(const char *argument, const char *name)
{
    return argument ? argument : getenv(name);
}

uint64_t
size_of(uint64_t commit, uint64_t nightly, uint64_t release)
{
    const uint64_t numbers[] = {commit, nightly, release};
    const char *size = asked(size_asked, "SIZE");

    if (!size || !*size)
        return commit;
    for (int i = 0; i < 3; i++) {
        if (strcmp(size, names[i]) == 0)
            return numbers[i];
    }
    refuse("size", size);
    return 0;
}

bool
size_is_one(void)
{
    const char *seed = asked(seed_asked, "SEED");

    return seed && *seed;
}

struct seeds
size_seeds(uint64_t commit, uint64_t nightly, uint64_t release)
{
    const char *seed = asked(seed_asked, "SEED");
    char *end = NULL;

    if (!size_is_one())
        return (struct seeds){1, size_of(commit, nightly, release)};
    errno = 0;
    uint64_t one = strtoull(seed, &end, 10);
    if (errno || *end)
        refuse("seed", seed);
    return (struct seeds){one, one};
}

uint64_t
size_roll(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return hash_mix(*state, UINT64_C(0x7ea5));
}

bool
size_one_in(uint64_t *state, uint64_t n)
{
    return size_roll(state) % n == 0;
}
