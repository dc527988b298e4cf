/*
 * confine - what the service gives up before it listens.
 *
 * A process that answers the network should be able to do what it needs and
 * nothing else, so that a flaw in a decoder or a library is not a way into the
 * machine: no new privileges, no core file with names in it, no tracer, no
 * file outside its own, no connection but to what it is told of (a gateway, an
 * endpoint of vectors, a receiver of its own spans), no call of the kernel
 * that it never makes, and no program but its own indexer.
 *
 * What the kernel does not offer is gone without and said: in the log, and on
 * /metrics as spangraph_hardening{feature="..."}.
 *
 * Threads    The main thread, while it is the only one: threads made later
 *            have it all from their maker.
 */
#ifndef CMD_CONFINE_H
#define CMD_CONFINE_H

#include <stdint.h>

#include "cmd/config.h"

enum confine_part {
    CONFINE_NO_NEW_PRIVS = 1,
    CONFINE_UNDUMPABLE = 2,
    CONFINE_NO_CORE = 4,
    CONFINE_LANDLOCK = 8,
    CONFINE_SECCOMP = 16,
};
enum { CONFINE_PARTS = 5 };

/*
 * confine_process gives up what `serve` with |cfg| does not need, and gives
 * the parts that worked.  The data directory has to be there.  There is no
 * way back.
 */
uint32_t confine_process(const struct config *cfg);

/* confine_service is the same, unless `service.sandbox` is off or the build
 * has a sanitizer, which looks into the process from outside. */
uint32_t confine_service(const struct config *cfg);

/* confine_report logs |parts| and sets the metrics. */
void confine_report(const struct config *cfg, uint32_t parts);

#endif
