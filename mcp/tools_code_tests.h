/*
 * tools_code_tests - how tests of each language are run by name.
 *
 * Threads    None.
 */
#ifndef MCP_TOOLS_CODE_TESTS_H
#define MCP_TOOLS_CODE_TESTS_H

#include "mcp/tools_code.h"

/* tests_package appends what a runner takes for where |id| stands: `./pkg` for
 * Go, the file for those that run files, else the package. */
void tests_package(const struct code *code, uint32_t id, struct buf *out);

/* One command a runner and folder that it must be run in. */
enum { TESTS_LINES_MAX = 32 };
struct tests_lines {
    struct buf lines[TESTS_LINES_MAX];
    size_t len;
    size_t unknown; /* tests whose runner is not known */
};

/* tests_lines_make makes the commands that run |tests|, which rise. */
void tests_lines_make(const struct code *code, const uint32_t *tests,
                      size_t len, struct tests_lines *out);
void tests_lines_fini(struct tests_lines *lines);

#endif
