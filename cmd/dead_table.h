/*
 * dead_table - routes with their verdicts for people, one shape wherever they
 * come from: a store, or a service that is asked.
 *
 * Threads    The main thread.
 */
#ifndef CMD_DEAD_TABLE_H
#define CMD_DEAD_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "cmd/ask.h"

struct dead_row {
    str service;
    str env;
    str method;
    str route;
    str verdict;
    str confidence;
    uint32_t last_s; /* 0: never */
    double coverage; /* 0 to 1 */
    str reasons;
    str gate;    /* shown with_gate */
    str handler; /* shown with_code, as is where */
    str where;
};

struct dead_table {
    bool with_gate; /* there is a baseline: what is new, and what known */
    bool with_code; /* code is indexed */
    struct table *table;
};

void dead_table_begin(struct dead_table *table);
void dead_table_add(struct dead_table *table, const struct dead_row *row);
/* dead_table_end prints the table; EXIT_CANNOT_RUN, said, if it cannot. */
int dead_table_end(struct dead_table *table);

#endif
