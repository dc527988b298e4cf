#include "index/git.h"

#include <dlfcn.h>
#include <string.h>

static const struct {
    const char *symbol;
    size_t at; /* in struct git_calls */
} calls[] = {
#define GIT_ROW(name) {"git_" #name, offsetof(struct git_calls, name)},
    GIT_CALLS(GIT_ROW)
#undef GIT_ROW
};

enum err
git_load(struct git_calls *out, const char *library, struct buf *why)
{
    void *from = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    *out = (struct git_calls){0};
    for (size_t i = 0; from && i < sizeof(calls) / sizeof(calls[0]); i++) {
        void *at = dlsym(from, calls[i].symbol);

        if (!at) {
            buf_printf(why, "%s has no %s; ", library, calls[i].symbol);
            from = NULL;
        } else { /* ISO C makes no function of a void *, so by its bytes */
            memcpy((char *)out + calls[i].at, &at, sizeof(at));
        }
    }
    if (from)
        return OK;
    buf_printf(why,
               "git repositories are read with %s, which is not installed "
               "(Debian: libgit2-%s)",
               library, LIBGIT2_SOVERSION);
    return ERR_UNSUPPORTED;
}
