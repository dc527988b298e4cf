/*
 * When the version that serves now was settled: what was called before that
 * says nothing of who was replaced.
 */
#include "graph/audit_parts.h"
#include "store/edge_rows.h"

struct deployed {
    const struct audit_facts *facts;
    struct service_facts *service;
};

/* What was deployed last and still sends: who was taken back does not. */
static enum err
take_latest(void *ctx, const struct version_delta *row)
{
    const struct deployed *it = ctx;
    struct service_facts *service = it->service;
    uint32_t grace_s = it->facts->cfg->deploy_grace_s;

    if (row->version == 0 || row->last_s + grace_s < service->seen_last_s)
        return OK;
    /* Of two that came the same second the later id is the newer name. */
    if (row->first_s > service->deployed_s ||
        (row->first_s == service->deployed_s &&
         row->version > service->latest_version)) {
        service->latest_version = row->version;
        service->deployed_s = row->first_s;
    }
    return OK;
}

/* Newer than the latest are only those that were taken back. */
static enum err
take_taken_back(void *ctx, const struct version_delta *row)
{
    struct service_facts *service = ((const struct deployed *)ctx)->service;

    if (row->version != 0 && row->first_s > service->deployed_s &&
        row->last_s > service->settled_s)
        service->settled_s = row->last_s;
    return OK;
}

enum err
audit_facts_deployed(const struct audit_facts *facts,
                     struct service_facts *service, uint32_t edge)
{
    struct deployed it = {facts, service};
    struct reader *reader = facts->view->reader;
    enum err err = reader_each_version(reader, edge, take_latest, &it);

    service->settled_s = service->deployed_s;
    if (!err)
        err = reader_each_version(reader, edge, take_taken_back, &it);
    return err;
}
