/*
 * export_code - `spangraph export --level symbol`: functions, routes and what
 * was observed, with the calls between them and the evidence of each.
 *
 * Threads    The main thread.
 */
#ifndef CMD_EXPORT_CODE_H
#define CMD_EXPORT_CODE_H

#include "cmd/code_ask.h"

struct export_code {
    struct ask ask;
    const char *format;  /* dot, mermaid, graphml, csv, json */
    const char *service; /* one end of a call is in it; NULL: all */
};

/* export_code_run prints; an exit code. */
int export_code_run(const struct export_code *what);

#endif
