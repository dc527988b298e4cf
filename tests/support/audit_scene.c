#include "tests/support/audit_scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/clock.h"

void
scene_service(struct scene *s, uint32_t service, uint32_t first_day,
              double weight)
{
    uint32_t sibling = db_route(&s->db, service, "GET /");
    uint32_t seen = db_edge(&s->db, 0, service, EDGE_SEEN, 1);
    uint32_t traffic = db_edge(&s->db, 0, sibling, EDGE_TRAFFIC, 1);

    db_daily(&s->db, seen, first_day, TODAY, 100, weight);
    db_daily(&s->db, traffic, first_day, TODAY, 100, weight);
    db_times(&s->db, traffic, first_day * S_PER_DAY, FIXTURE_NOW_S);
    db_declare(&s->db, service, "GET", "/", FIXTURE_NOW_S - 90 * S_PER_DAY);
}

struct scene *
scene_of(uint32_t days, double weight)
{
    static struct scene scene;

    scene = (struct scene){.cfg = audit_cfg_default};
    db_fixture_open(&scene.db);
    scene.shop = db_service(&scene.db, "shop");
    if (days)
        scene_service(&scene, scene.shop, TODAY - days, weight);
    return &scene;
}

void
scene_declare(struct scene *s, const char *method, const char *pattern)
{
    db_declare(&s->db, s->shop, method, pattern,
               FIXTURE_NOW_S - 90 * S_PER_DAY);
}

void
scene_calls(struct scene *s, const char *name, enum route_source source)
{
    uint32_t route = db_route(&s->db, s->shop, name);
    uint32_t edge = db_edge(&s->db, 0, route, EDGE_TRAFFIC, 1);

    db_source(&s->db, route, source);
    db_daily(&s->db, edge, TODAY - 20, TODAY, 3, 1);
}

void
scene_audit(struct scene *s)
{
    struct buf why = {0};

    assert_int_equal(query_open(&s->query, s->db.dir, &query_cfg_default, &why),
                     OK);
    assert_int_equal(query_begin(s->query, FIXTURE_NOW_S, &s->view), OK);
    assert_int_equal(audit_run(s->view, &s->cfg, &s->audit), OK);
    buf_fini(&why);
}

void
scene_end(struct scene *s)
{
    audit_fini(&s->audit);
    query_end(s->view);
    query_close(s->query);
    db_fixture_close(&s->db);
}

const struct audit_route *
scene_route(struct scene *s, const char *method, const char *pattern,
            const char *env)
{
    for (size_t i = 0; i < s->audit.len; i++) {
        const struct audit_route *route = &s->audit.routes[i];

        if (str_eq(route->method, str_of(method)) &&
            str_eq(route->pattern, str_of(pattern)) &&
            str_eq(query_node(s->view, route->service)->env, str_of(env)))
            return route;
    }
    return NULL;
}

bool
scene_has(const struct audit_route *route, enum audit_reason reason)
{
    return route->reasons >> reason & 1;
}

void
scene_check(const struct audit_route *route, enum verdict verdict,
            enum trust trust)
{
    assert_non_null(route);
    assert_string_equal(verdict_str(route->verdict), verdict_str(verdict));
    assert_string_equal(trust_str(route->trust), trust_str(trust));
}

const struct audit_route *
scene_expect(struct scene *s, const char *method, const char *pattern,
             enum verdict verdict, enum trust trust)
{
    const struct audit_route *route = scene_route(s, method, pattern, "");

    scene_check(route, verdict, trust);
    return route;
}

uint32_t
scene_rhythm(struct scene *s, const char *name, uint32_t first, uint32_t last,
             uint32_t every)
{
    uint32_t route = db_route(&s->db, s->shop, name);
    uint32_t edge =
        db_edge(&s->db, 0, route, EDGE_TRAFFIC, (first - last) / every + 1);

    for (uint32_t ago = first;; ago -= every) {
        db_day(&s->db, edge, TODAY - ago, 1, 1 << 9, 0);
        if (ago < last + every)
            break;
    }
    db_times(&s->db, edge, (TODAY - first) * S_PER_DAY + 9 * S_PER_H,
             (TODAY - last) * S_PER_DAY + 9 * S_PER_H);
    return route;
}
