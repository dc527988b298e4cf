/*
 * The trace costs nothing while there is room: of 20,000 calls it says not a
 * word.  Only the line that a stream is given up is of use here; connections
 * that are closed because they are idle lose nothing.
 */
#include "net/grpc_log.h"

#include <string.h>

#include <grpc/grpc.h>
#include <grpc/support/log.h>

#include "base/log.h"
#include "base/metrics.h"
#include "base/str.h"

/* What core calls an error is mostly what a peer did wrong, and has been
 * answered: nothing for an operator to act on.  But it aborts after this one.
 */
static void
forward(gpr_log_func_args *args)
{
    const char *handshake = strstr(args->message, "Handshake failed with");

    bool is_stranger = handshake && (strstr(handshake, "http request") ||
                                     strstr(handshake, "wrong version number"));
    bool is_fatal = str_starts(str_of(args->message), STR("assertion failed"));

    if (is_stranger)
        return; /* net/grpc_frames.c has said what to do */
    if (handshake) {
        log_warn("TLS handshake failed", "why", "gRPC's port: %s", handshake);
        return;
    }
    if (args->severity >= GPR_LOG_SEVERITY_ERROR) {
        log_write(is_fatal ? LOG_ERROR : LOG_DEBUG, "grpc core", "what", "%s",
                  args->message);
        return;
    }
    if (!strstr(args->message, " - abandon stream id "))
        return;
    metrics_add(METRIC_REFUSED_FULL, 1);
    log_warn("gRPC core ended a call for want of memory, and its sender is not "
             "told to come back",
             "raise", "store.request_memory");
}

void
grpc_log_start(void)
{
    gpr_set_log_function(forward);
    gpr_set_log_verbosity(GPR_LOG_SEVERITY_INFO);
    grpc_tracer_set_enabled("resource_quota", 1);
}
