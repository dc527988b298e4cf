/*
 * HTTP/2 is not spoken yet: the connection is closed at once.
 */
#include <stddef.h>

#include "net/session.h"

struct session *
http2_new(const struct session_env *env, const struct session_peer *peer,
          uint64_t now_ms)
{
    (void)env;
    (void)peer;
    (void)now_ms;
    return NULL;
}
