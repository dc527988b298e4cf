/*
 * knowledge_rows - the checklist of spec/knowledge-tools.md as data.
 *
 * Threads    None; constants.
 */
#ifndef TESTS_SUPPORT_KNOWLEDGE_ROWS_H
#define TESTS_SUPPORT_KNOWLEDGE_ROWS_H

#include <stddef.h>

enum { ROW_CHECKS = 6 };

struct row {
    const char *name;
    const char *tool;
    const char *args; /* JSON; `$x` is the id that row kept as x */
    const char *keep; /* as what the id of the answer is kept, or NULL */
    struct {
        const char *pointer; /* RFC 6901; "!": of the failure's text */
        const char *value;   /* `~x`: begins with x; of a failure: is within */
    } checks[ROW_CHECKS];
};
extern const struct row rows[];
extern const size_t row_len;

#endif
