/*
 * err - the one error vocabulary of the program.
 *
 * Zero is success, every failure is negative, so `if (err)` always reads the
 * same.  A code says what the caller can do about it, not where it arose:
 * the place belongs in the log line written by whoever handles it.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err {
    OK = 0,
    ERR_NOMEM = -1,       /* a memory bound was reached; retry after a drain */
    ERR_FULL = -2,        /* a configured capacity was reached; retry later  */
    ERR_INVALID = -3,     /* the peer sent something malformed; do not retry */
    ERR_STORE = -4,       /* the database refused; retry later               */
    ERR_TOO_LARGE = -5,   /* over a size limit; do not retry                 */
    ERR_UNSUPPORTED = -6, /* not implemented here; do not retry              */
    ERR_NOT_FOUND = -7,   /* what was named does not exist                   */
    ERR_AMBIGUOUS = -8,   /* a name fits several things; be more precise     */
    ERR_DENIED = -9,      /* not allowed: permissions, token, certificate    */
    ERR_BUSY = -10,       /* somebody else holds it: a lock, a port          */
    ERR_IO = -11,         /* a file or socket failed                         */
    ERR_CORRUPT = -12,    /* what is stored cannot be trusted                */
    ERR_CANCELLED = -13,  /* the caller went away or stopped the work        */
};

/* err_str names |err| in lower case.  The string is static. */
const char *err_str(enum err err);

#endif
