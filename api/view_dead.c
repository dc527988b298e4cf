/*
 * The audit (graph/audit.h) with what the code says (graph/closure.h): the
 * verdicts are theirs, as the tool dead_routes and `spangraph dead-routes` give
 * them.
 */
#include <string.h>

#include "api/view_impl.h"
#include "graph/audit.h"
#include "graph/closure.h"

enum { DEAD_DEFAULT = 500 };

struct dead {
    struct view_run *run;
    struct audit audit;
    struct closure *closure;
    struct ids services;
    str verdict; /* empty: all */
    size_t limit;
    size_t total;
    size_t written;
};

static bool
is_listed(str asked, enum verdict verdict)
{
    if (str_eq(asked, STR("dead")))
        return verdict_is_dead(verdict);
    return asked.len == 0 || str_eq(asked, STR("all")) ||
           str_eq(asked, str_of(verdict_str(verdict)));
}

static void
write_reasons(struct buf *out, uint32_t reasons)
{
    write_open(out, "reasons", '[');
    for (int i = 0; i < AUDIT_REASON_COUNT; i++) {
        if (reasons >> i & 1)
            write_text(out, NULL,
                       str_of(audit_reason_str((enum audit_reason)i)));
    }
    write_close(out, ']');
}

static bool
write_owner(void *ctx, str owner)
{
    write_text(ctx, NULL, owner);
    return false;
}

static void
write_code(struct dead *dead, size_t i)
{
    const struct closure_row *row = closure_row(dead->closure, i);
    struct buf *out = dead->run->out;
    uint32_t line = 0;
    str file;

    if (!dead->closure || !closure_place(dead->closure, i, &file, &line)) {
        write_null(out, "file");
        write_null(out, "line");
        write_null(out, "handler");
        write_open(out, "owners", '[');
        write_close(out, ']');
        return;
    }
    write_text(out, "file", file);
    write_int(out, "line", line);
    if (row->handler)
        write_text(
            out, "handler",
            code_node(dead->closure->joined->code, row->handler)->qualified);
    else
        write_null(out, "handler");
    write_text(out, "joined_by", str_of(join_how_str(row->how)));
    write_int(out, "static_callers", (int64_t)row->caller_len);
    write_open(out, "owners", '[');
    (void)closure_each_owner(dead->closure, i, write_owner, out);
    write_close(out, ']');
}

static enum err
write_route(struct dead *dead, size_t i)
{
    const struct audit_route *route = &dead->audit.routes[i];
    struct query_view *view = dead->run->view;
    struct buf *out = dead->run->out;
    struct buf caller = {0};
    uint32_t last_caller;
    enum err err = audit_last_caller(view, route, &last_caller);

    write_open(out, NULL, '{');
    write_text(out, "service", query_node(view, route->service)->name);
    write_text(out, "env", query_node(view, route->service)->env);
    write_text(out, "method", route->method);
    write_text(out, "route", route->pattern);
    write_text(out, "kind", str_of(node_kind_str(route->kind)));
    if (route->node)
        view_write_key(dead->run, "key", route->node);
    write_text(out, "verdict", str_of(verdict_str(route->verdict)));
    write_bool(out, "is_dead", verdict_is_dead(route->verdict));
    write_bool(out, "is_open", verdict_is_open(route->verdict));
    write_text(out, "confidence", str_of(trust_str(route->trust)));
    write_reasons(out, route->reasons);
    write_bool(out, "declared", route->is_declared);
    write_int(out, "count", route->count);
    write_int(out, "total", route->total);
    write_time(out, "first", route->first_s);
    write_time(out, "last", route->last_s);
    write_time(out, "created", route->created_s);
    write_time(out, "observed_from", route->observed_from_s);
    write_time(out, "observed_to", route->observed_to_s);
    write_share(out, "coverage", route->coverage);
    write_estimate(out, "keep", route->keep);
    write_estimate(out, "hidden_per_day", route->hidden_per_day);
    if (last_caller) {
        query_qualified(view, last_caller, &caller);
        write_text(out, "last_caller", buf_str(&caller));
    }
    write_code(dead, i);
    write_close(out, '}');
    out->failed |= caller.failed;
    buf_fini(&caller);
    return err;
}

static enum err
write_answer(struct dead *dead, unsigned days)
{
    struct buf *out = dead->run->out;
    const struct audit *audit = &dead->audit;
    enum err err = OK;

    write_open(out, NULL, '{');
    write_int(out, "stale_days", days);
    write_int(out, "now", query_now_s(dead->run->view));
    write_time(out, "from", audit->from_s);
    write_time(out, "to", audit->to_s);
    write_int(out, "lost_spans", audit->lost);
    view_write_has_code(dead->run);
    write_open(out, "by_verdict", '{');
    for (int i = 0; i < VERDICT_COUNT; i++)
        write_int(out, verdict_str((enum verdict)i),
                  (int64_t)audit->by_verdict[i]);
    write_close(out, '}');
    write_open(out, "routes", '[');
    for (size_t i = 0; !err && i < audit->len; i++) {
        if (!is_listed(dead->verdict, audit->routes[i].verdict))
            continue;
        dead->total++;
        if (dead->written < dead->limit) {
            err = write_route(dead, i);
            dead->written++;
        }
    }
    write_close(out, ']');
    write_int(out, "total", (int64_t)dead->total);
    write_bool(out, "truncated", dead->total > dead->written);
    write_close(out, '}');
    return err;
}

static enum err
find_services(struct dead *dead, str name)
{
    const struct query_find find = {.kinds = UINT32_C(1) << NODE_SERVICE,
                                    .name = name};
    enum err err = query_find(dead->run->view, &find, &dead->services);

    if (!err && dead->services.len == 0)
        err = view_fail(dead->run, ERR_NOT_FOUND, "no service is called %.*s",
                        (int)(name.len < 200 ? name.len : 200), name.ptr);
    return err;
}

static enum err
close_over(struct dead *dead, const struct audit_cfg *cfg, str owner)
{
    struct view_run *run = dead->run;
    enum err err = OK;

    view_join_code(run);
    if (run->joined)
        err = closure_make(&dead->closure, run->joined, run->view, &dead->audit,
                           cfg);
    if (err || owner.len == 0)
        return err;
    if (!dead->closure)
        return view_fail(run, ERR_INVALID,
                         "owner needs the code: run `spangraph index FOLDER`");
    closure_keep_owner(dead->closure, &dead->audit, owner);
    return OK;
}

enum err
view_dead(struct view_run *run)
{
    const struct params *params = &run->params;
    struct dead dead = {.run = run, .verdict = params_get(params, "verdict")};
    struct audit_cfg cfg = audit_cfg_default;
    str service = params_get(params, "service");
    uint64_t limit = DEAD_DEFAULT;
    uint64_t days = cfg.stale_days;
    enum err err;

    if ((err = params_number(params, "stale_days", AUDIT_DAYS_MAX, &days,
                             run->why)) ||
        (err = params_number(params, "limit", VIEW_ROWS_MAX, &limit, run->why)))
        return err;
    if (days == 0 || limit == 0)
        return view_fail(run, ERR_INVALID,
                         "stale_days and limit are at least 1");
    if (dead.verdict.len && !str_eq(dead.verdict, STR("dead")) &&
        !str_eq(dead.verdict, STR("all")) &&
        verdict_of(dead.verdict) == VERDICT_COUNT)
        return view_fail(run, ERR_INVALID,
                         "verdict is dead, all, or one verdict");
    dead.limit = (size_t)limit;
    cfg.stale_days = (uint32_t)days;
    cfg.env = params_get(params, "env");
    if (service.len) {
        err = find_services(&dead, service);
        cfg.services = &dead.services;
    }
    if (!err)
        err = audit_run(run->view, &cfg, &dead.audit);
    if (!err)
        err = close_over(&dead, &cfg, params_get(params, "owner"));
    if (!err)
        err = write_answer(&dead, (unsigned)days);
    closure_free(dead.closure);
    audit_fini(&dead.audit);
    ids_fini(&dead.services);
    return err;
}
