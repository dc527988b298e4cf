/*
 * db_fixture - a store made row by row, for tests of the read side.
 *
 * The tables come from store/schema.c; nothing else of the write side is
 * needed.  A fixture is a directory of its own (dir.h).
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_DB_FIXTURE_H
#define TESTS_SUPPORT_DB_FIXTURE_H

#include <stdint.h>

#include "model/edge.h"
#include "model/node.h"
#include "store/store.h"

/* A Monday, 12:30:00 UTC; fixtures live in the past of it. */
#define FIXTURE_NOW_S UINT32_C(1767011400)
#define FIXTURE_DAY   (FIXTURE_NOW_S / 86400)

struct db_fixture {
    char dir[64];
    void *db; /* sqlite3 */
    uint32_t nodes;
    uint32_t edges;
};

void db_fixture_open(struct db_fixture *f);
void db_fixture_close(struct db_fixture *f);

/* db_fixture_sql runs printf-formatted SQL (with sqlite's %q). */
void db_fixture_sql(struct db_fixture *f, const char *format, ...);

uint32_t db_node(struct db_fixture *f, enum node_kind kind, uint32_t owner,
                 const char *name, const char *env);
uint32_t db_service(struct db_fixture *f, const char *name);
/* db_route adds a route as http.route names it. */
uint32_t db_route(struct db_fixture *f, uint32_t service, const char *name);
/* db_source says of |route| how its template is known. */
void db_source(struct db_fixture *f, uint32_t route, enum route_source source);

/* db_edge adds an edge with count calls of known weight 1. */
uint32_t db_edge(struct db_fixture *f, uint32_t src, uint32_t dst,
                 enum edge_kind kind, int64_t count);
void db_times(struct db_fixture *f, uint32_t edge, uint32_t first_s,
              uint32_t last_s);
/* db_day adds a day bucket; |hours| are its bits; |latency_ns| 0: none. */
void db_day(struct db_fixture *f, uint32_t edge, uint32_t day, int64_t count,
            uint32_t hours, uint64_t latency_ns);
/* db_daily makes |edge| one of |per_day| calls on each of the days first..last,
 * all hours, and sets its count, weights (each |weight|, 0: unknown) and times
 * to fit. */
void db_daily(struct db_fixture *f, uint32_t edge, uint32_t first_day,
              uint32_t last_day, int64_t per_day, double weight);
void db_declare(struct db_fixture *f, uint32_t service, const char *method,
                const char *pattern, uint32_t created_s);

#endif
