#include "net/stranger.h"

#include "base/log.h"

static void
warn(const char *msg, uint16_t port)
{
    if (port)
        log_warn(msg, "port", "%u", (unsigned)port);
    else
        log_warn(msg, "port", "gRPC's");
}

void
stranger_speaks_tls(struct stranger_log *log, uint16_t port)
{
    if (log_is_due(&log->tls_ns))
        warn("a client speaks TLS to a port without it; let it send to "
             "http://, or give the port a certificate",
             port);
}

void
stranger_speaks_plain(struct stranger_log *log, uint16_t port)
{
    if (log_is_due(&log->plain_ns))
        warn("a client speaks to a port of TLS without it; let it send to "
             "https://",
             port);
}
