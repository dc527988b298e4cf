/*
 * index_summary - what `spangraph index` says of what it found.
 *
 * Files, symbols, calls by how they were found, routes by framework, services
 * and their evidence, and what was skipped, and why.
 *
 * Threads    The main thread.
 */
#ifndef CMD_INDEX_SUMMARY_H
#define CMD_INDEX_SUMMARY_H

#include <stdbool.h>

#include "index/job.h"

/* index_summary prints it, as JSON or for people, and gives the exit code. */
int index_summary(const struct job_result *result, bool is_json);

#endif
