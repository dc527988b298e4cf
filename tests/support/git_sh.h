/*
 * git_sh - a shell in which git knows nobody's configuration but its own.
 *
 * Threads    Any.
 */
#ifndef TESTS_SUPPORT_GIT_SH_H
#define TESTS_SUPPORT_GIT_SH_H

/* git_sh runs |what| in the folder |dir|, with |home| for $HOME and A
 * <a@x.org> for the author; it must succeed. */
void git_sh(const char *dir, const char *home, const char *what);

#endif
