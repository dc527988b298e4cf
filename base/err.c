#include "base/err.h"

const char *
err_str(enum err err)
{
    switch (err) {
    case OK:
        return "ok";
    case ERR_NOMEM:
        return "out of memory";
    case ERR_FULL:
        return "full";
    case ERR_INVALID:
        return "invalid";
    case ERR_STORE:
        return "store failed";
    case ERR_TOO_LARGE:
        return "too large";
    case ERR_UNSUPPORTED:
        return "unsupported";
    case ERR_NOT_FOUND:
        return "not found";
    case ERR_AMBIGUOUS:
        return "ambiguous";
    case ERR_DENIED:
        return "denied";
    case ERR_BUSY:
        return "busy";
    case ERR_IO:
        return "input or output failed";
    case ERR_CORRUPT:
        return "corrupt";
    case ERR_CANCELLED:
        return "cancelled";
    }
    return "unknown";
}
