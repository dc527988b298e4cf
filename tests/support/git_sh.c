#include "tests/support/git_sh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"

void
git_sh(const char *dir, const char *home, const char *what)
{
    struct buf command = {0};

    buf_printf(&command,
               "cd '%s' && export HOME='%s' GIT_CONFIG_NOSYSTEM=1 && "
               "git() { command git -c user.name=A -c user.email=a@x.org "
               "-c init.defaultBranch=main \"$@\"; } && { %s; } "
               ">/dev/null 2>&1",
               dir, home, what);
    if (system(buf_cstr(&command)) != 0)
        fail_msg("%s", what);
    buf_fini(&command);
}
