/*
 * sidecar - `serve` when `forward.endpoint` is set: no graph, no MCP, but what
 * comes in goes on to a gateway (relay/relay.h).
 *
 * Threads    The main thread.
 */
#ifndef CMD_SIDECAR_H
#define CMD_SIDECAR_H

#include <stdbool.h>

#include "cmd/config.h"

bool sidecar_is_wanted(const struct config *cfg);

/* sidecar_run serves until it is told to end, and gives the exit code. */
int sidecar_run(struct config *cfg);

#endif
