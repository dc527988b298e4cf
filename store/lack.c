#include "store/lack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

enum { ADVISED_KIB = 1024 };

bool
lack_is(int code)
{
    return code == ENOSPC || code == EDQUOT || code == EFBIG;
}

void
lack_advise(int code, struct buf *why)
{
    buf_printf(why, ": %s; ", strerror(code));
    if (code == EFBIG)
        buf_printf(why, "raise the limit on the size of files (ulimit -f)");
    else
        buf_printf(why, "make room (%d KiB at least)", ADVISED_KIB);
    buf_printf(why, " and start again: what was acknowledged is kept, and "
                    "counted then");
}

/* SQLite keeps what the system said of some failures only.  Until the next one
 * it is in errno, too: what succeeds, as letting go of locks, leaves that be.
 */
int
lack_of(int rc)
{
    int code = errno;
    bool may_be = (rc & 0xff) == SQLITE_CANTOPEN ||
                  ((rc & 0xff) == SQLITE_IOERR && rc != SQLITE_IOERR_READ &&
                   rc != SQLITE_IOERR_SHORT_READ);

    return may_be && lack_is(code) ? code : 0;
}

const char *
lack_text(int rc, char out[LACK_TEXT_CAP])
{
    int code = lack_of(rc);

    out[0] = '\0';
    if (code)
        (void)snprintf(out, LACK_TEXT_CAP, ": %s", strerror(code));
    return out;
}
