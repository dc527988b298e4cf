/*
 * dead_remote - the gate over a service that is asked by MCP.
 *
 * The rows of its dead_routes tool, all pages, are printed in the shape of
 * `dead-routes --json`, and judged by the same gate.
 *
 * Threads    The main thread.
 */
#ifndef CMD_DEAD_REMOTE_H
#define CMD_DEAD_REMOTE_H

#include "cmd/gate.h"

struct dead_remote {
    const char *server;     /* URL, with or without /mcp */
    const char *token_file; /* NULL: SPANGRAPH_TOKEN, or none */
    const char *service;
    const char *env;
    const char *owner;
    long long stale_days;
    bool json; /* else a table */
};

/* dead_remote_run prints the routes and counts them in |gate|; an exit code,
 * and if that is EXIT_CLEAN gate_code says what the gate makes of them. */
int dead_remote_run(const struct dead_remote *remote, struct gate *gate);

#endif
