/*
 * dead_print - an audit, for each kind of reader.
 *
 * The table and the CSV hold every route, as does the JSON, whose fields are a
 * contract.  Markdown and SARIF hold what the gate marked.  Where code is
 * indexed, all of them also say which function handles the route, and where.
 *
 * Errors     Each returns an exit code: EXIT_CLEAN, or EXIT_CANNOT_RUN after
 *            saying why on standard error.
 * Threads    The main thread.
 */
#ifndef CMD_DEAD_PRINT_H
#define CMD_DEAD_PRINT_H

#include "cmd/ask.h"
#include "cmd/gate.h"
#include "graph/audit.h"
#include "graph/closure.h"

/* GitHub's limits for one run of SARIF. */
enum { SARIF_RESULTS_MAX = 25000, SARIF_RESULTS_SHOWN = 5000 };

struct dead_report {
    struct ask *ask;
    const struct audit *audit;
    const struct gate *gate;
    struct closure *closure; /* what the code says; NULL: none is indexed */
    const char *declared_in; /* file that declares the routes, or NULL */
    const char *code_in;     /* folder that was indexed, or NULL: all of it */
    const char *owner;       /* whose routes they are; NULL: anybody's */
    size_t sarif_max;        /* SARIF_RESULTS_MAX, less in tests */
};

int dead_print_json(const struct dead_report *report);
int dead_print_table(const struct dead_report *report);
int dead_print_csv(const struct dead_report *report);
int dead_print_md(const struct dead_report *report);
int dead_print_sarif(const struct dead_report *report);

/* dead_sarif is what dead_print_sarif prints; the caller deletes it. */
cJSON *dead_sarif(const struct dead_report *report);

/* dead_csv and dead_md append what is printed. */
void dead_csv(const struct dead_report *report, struct buf *out);
void dead_md(const struct dead_report *report, struct buf *out);

/* dead_reasons appends the reasons' names, joined by |sep|. */
void dead_reasons(struct buf *out, uint32_t reasons, const char *sep);

#endif
