/*
 * service - `serve` without `forward.endpoint`: what takes traces in, keeps the
 * graph and answers.
 *
 * Threads    The main thread.
 */
#ifndef CMD_SERVICE_H
#define CMD_SERVICE_H

#include "cmd/config.h"
#include "cmd/demo_home.h"

/* service_run serves until it is told to end, and gives the exit code; with
 * |demo_home| it replays the demo into itself and says where to look, NULL for
 * none.  A signal to read again changes |cfg|. */
int service_run(struct config *cfg, struct demo_home *demo_home);

#endif
