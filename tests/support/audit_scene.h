/*
 * audit_scene - a service and its traffic, made row by row, and an audit of it.
 *
 * Threads    None.
 */
#ifndef TESTS_SUPPORT_AUDIT_SCENE_H
#define TESTS_SUPPORT_AUDIT_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/audit.h"
#include "graph/query.h"
#include "tests/support/db_fixture.h"

enum { TODAY = FIXTURE_DAY };

struct scene {
    struct db_fixture db;
    struct query *query;
    struct query_view *view;
    struct audit audit;
    struct audit_cfg cfg;
    uint32_t shop;
};

/* scene_of is a service `shop`, observed for |days| with calls of |weight|, as
 * scene_service has it; for 0 days: not at all.  There is one at a time. */
struct scene *scene_of(uint32_t days, double weight);
void scene_end(struct scene *s);

/* scene_service observes a service from |first_day| on, each hour, on one route
 * that it declares. */
void scene_service(struct scene *s, uint32_t service, uint32_t first_day,
                   double weight);

/* scene_declare declares a route of the shop, 90 days ago. */
void scene_declare(struct scene *s, const char *method, const char *pattern);

/* scene_calls adds a route of the shop that is called daily since 20 days ago,
 * its template known by |source|. */
void scene_calls(struct scene *s, const char *name, enum route_source source);

/* scene_rhythm adds a route of the shop that is called every |every| days from
 * |first| to |last| days ago. */
uint32_t scene_rhythm(struct scene *s, const char *name, uint32_t first,
                      uint32_t last, uint32_t every);

/* scene_audit runs it, by s->cfg. */
void scene_audit(struct scene *s);

/* scene_route is what was found of a route, or NULL. */
const struct audit_route *scene_route(struct scene *s, const char *method,
                                      const char *pattern, const char *env);
bool scene_has(const struct audit_route *route, enum audit_reason reason);
void scene_check(const struct audit_route *route, enum verdict verdict,
                 enum trust trust);

/* scene_expect checks what was found of a route, and returns it; the service
 * names no environment. */
const struct audit_route *
scene_expect(struct scene *s, const char *method, const char *pattern,
             enum verdict verdict, enum trust trust);

#endif
