/*
 * demo_home - where a demo keeps its data, and that it is gone afterwards.
 *
 * Told no directory, a demo has one of its own among the temporary ones.  The
 * service may not remove it: it gives up all rights outside of its data before
 * it listens.  So it runs in a child process, and what waits for it cleans up,
 * whatever became of the child.
 *
 *     switch (demo_home_open(&home, dir, force, &rc)) ...
 *
 * Threads    The main thread, while it is the only one.
 */
#ifndef CMD_DEMO_HOME_H
#define CMD_DEMO_HOME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "cmd/config.h"

struct demo_home {
    struct buf dir; /* of the data */
    bool is_temporary;
};

/*
 * demo_home_open makes a temporary directory if |dir| is NULL.  A |dir| with a
 * store in it is taken only with |force|: what was observed and what is made
 * up cannot be told apart later.
 *
 * ERR_INVALID  there is a store;  ERR_IO  no directory can be made: said on
 *              standard error
 */
enum err demo_home_open(struct demo_home *home, const char *dir, bool force);

/*
 * demo_home_guard forks if the directory is temporary.  OK: go on, as the
 * service.  ERR_CANCELLED: the service has ended, |exit_code| is its, and the
 * directory is gone.  ERR_NOMEM: there can be no other process.
 */
enum err demo_home_guard(struct demo_home *home, int *exit_code);

void demo_home_fini(struct demo_home *home);

/* demo_home_declare declares the routes that the recorded service says it has,
 * so that there is one that nobody calls.  The exit code of import-routes. */
int demo_home_declare(struct demo_home *home);

/* demo_home_configure makes it quick: calls are shown after a second. */
void demo_home_configure(struct config *cfg);

/* demo_home_place writes where a listener that got |port| is reached: host:port
 * or a socket's path; "": it is not enabled. */
enum { DEMO_PLACE_CAP = 300 };
void demo_home_place(char out[DEMO_PLACE_CAP],
                     const struct config_listener *cfg, uint16_t port);

/* demo_home_print says what to ask, and where to look. */
struct demo_places {
    char grpc[DEMO_PLACE_CAP];
    char http[DEMO_PLACE_CAP];
    char query[DEMO_PLACE_CAP];
};
void demo_home_print(struct demo_home *home, const struct demo_places *places);

#endif
