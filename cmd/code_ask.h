/*
 * code_ask - what the subcommands about code share: opening the graph of code
 * and traces, and printing many rows.
 *
 * Threads    The main thread.
 */
#ifndef CMD_CODE_ASK_H
#define CMD_CODE_ASK_H

#include <stdbool.h>

#include "cmd/ask.h"
#include "graph/joined.h"
#include "graph/world.h"

struct code_ask {
    struct ask ask;
    struct world *world;
    const struct joined *joined;
    const struct code *code; /* of |joined| */
};

/* code_ask_open opens both stores; that of the traces is made if only code was
 * indexed.  EXIT_CLEAN, or after saying why EXIT_CANNOT_RUN. */
int code_ask_open(struct code_ask *ask);
void code_ask_close(struct code_ask *ask);

/* code_ask_service is the service that |file| of the code belongs to: an
 * observed one, else what its folder is said to be; empty if nothing says. */
str code_ask_service(const struct code_ask *ask, uint32_t file);

/*
 * Rows of one kind, printed as they come: as JSON, `{"NAME":[...],"total":N}`
 * with a row a line, or as an aligned table.
 */
struct rows {
    const char *name;
    struct table *table; /* NULL: JSON */
    size_t len;
    bool failed;
};
/* rows_begin: |heads| are those of the table. */
void rows_begin(struct rows *rows, bool json, const char *name,
                const char *const *heads, size_t columns);
/* rows_add prints and frees |row|. */
void rows_add(struct rows *rows, cJSON *row);
/* rows_end prints what is left; an exit code. */
int rows_end(struct rows *rows);

#endif
