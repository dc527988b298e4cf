/*
 * graph_query about dead routes: those that the audit calls dead, as objects.
 * What the code declares and nobody ever called has no node, so it is found by
 * its id.
 */
#include "knowledge/resolve.h"
#include "mcp/tools_ask.h"
#include "mcp/tools_reply.h"

enum err
ask_dead(struct ask *a, const struct object *service)
{
    enum err err = near_read_facts(&a->n);
    const struct audit *audit = &a->n.facts.audit;
    size_t dead = 0;

    for (size_t i = 0; i < audit->len && !err; i++) {
        const struct audit_route *route = &audit->routes[i];
        const struct query_node *of =
            query_node(a->n.know.moment.view, route->service);
        struct buf id = {0};
        struct object object = {0};

        if (!verdict_is_dead(route->verdict) ||
            (service->node && service->node != route->service))
            continue;
        dead++;
        buf_printf(&id, "%s:%.*s%s%.*s:%.*s%s%.*s",
                   route->kind == NODE_RPC ? "rpc" : "route", (int)of->name.len,
                   of->name.ptr, of->env.len ? "@" : "", (int)of->env.len,
                   of->env.ptr, (int)route->method.len, route->method.ptr,
                   route->method.len ? " " : "", (int)route->pattern.len,
                   route->pattern.ptr);
        err = route->node
                  ? object_of_node(&a->n.know.moment, route->node, &object)
                  : object_find(&a->n.know.moment, buf_str(&id), IN_ANY_WORLD,
                                &object, NULL);
        if (!err)
            err = ask_put(a, &object, 0);
        else if (err == ERR_NOT_FOUND || err == ERR_AMBIGUOUS)
            err = OK;
        object_fini(&object);
        buf_fini(&id);
    }
    put_num(a->facts, "candidates", (double)dead);
    if (!err)
        reply_summary(a->run, "%zu candidate%s for removal%s%.*s", dead,
                      many((int64_t)dead), service->gid.len ? " in " : "",
                      (int)service->gid.len, service->gid.ptr);
    tool_hint(a->run, "dead_routes tells the reasons and what could not be "
                      "judged");
    return err;
}
