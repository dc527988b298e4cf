/*
 * route_table - the declared routes of one service, and which one a path is.
 *
 * A trie of segments.  Of the routes that fit, the one with the fewest
 * variables wins, then the longest text, then the closer method, then the
 * first declared; a catch-all counts for a hundred variables.
 *
 * Memory     Grows with what is added.
 * Bound      ROUTE_TABLE_MAX routes of 64 segments; a match takes a bounded
 *            number of steps, whatever the table.
 * Threads    Any number read, or one writes; the caller sees to that.
 */
#ifndef GRAPH_ROUTE_TABLE_H
#define GRAPH_ROUTE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum { ROUTE_TABLE_MAX = 100000 };

struct route_table;

/* route_table_new returns NULL when memory is short. */
struct route_table *route_table_new(void);
void route_table_free(struct route_table *table);

/* route_table_add adds a canonical pattern; again is no error.  ERR_NOMEM,
 * ERR_FULL: too many routes or segments. */
enum err route_table_add(struct route_table *table, str method, str pattern);

/* route_table_remove: nothing is it any more, until it is added again; false:
 * it was not there.  Its place and index stay taken. */
bool route_table_remove(struct route_table *table, str method, str pattern);

/* route_table_has: exactly this method and pattern. */
bool route_table_has(const struct route_table *table, str method, str pattern);

/* route_table_has_below: some pattern goes on where this one ends, or did. */
bool route_table_has_below(const struct route_table *table, str pattern);

/* route_table_match appends the pattern that |path| (without host) fits. */
bool route_table_match(const struct route_table *table, str method, str path,
                       struct buf *out);

/* The routes as they were added, also those removed since, by index below
 * route_table_len. */
uint32_t route_table_len(const struct route_table *table);
void route_table_at(const struct route_table *table, uint32_t at, str *method,
                    str *pattern);

#endif
