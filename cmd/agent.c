#include "cmd/agent.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/changes.h"
#include "cmd/listen.h"
#include "cmd/receives.h"
#include "cmd/tokens.h"
#include "cmd/version.h"
#include "graph/query.h"
#include "knowledge/knowledge.h"
#include "mcp/mcp.h"
#include "mcp/tools.h"

enum { REPLY_BYTES = 4 << 20 };

struct agent {
    const struct config *cfg;
    struct query *query;
    struct world *world;
    struct knowledge *knowledge;
    struct tools *tools;
    struct mcp *mcp;
    struct changes *changes;
    struct buf receives; /* where spans are sent, in words */
};

struct confidence_cfg
agent_ages(const struct config *cfg)
{
    return (struct confidence_cfg){
        .active_days = (uint32_t)(cfg->gc_active_ns / NS_PER_S / S_PER_DAY),
        .stale_days = (uint32_t)(cfg->gc_stale_ns / NS_PER_S / S_PER_DAY),
        .eligible_days = (uint32_t)(cfg->gc_eligible_ns / NS_PER_S / S_PER_DAY),
    };
}

enum err
agent_check_exposure(const struct config *cfg, bool has_tokens, struct buf *why)
{
    char host[LISTEN_HOST_CAP];
    uint16_t port;

    if (!cfg->query.enabled || has_tokens || cfg->query_insecure ||
        (cfg->query.tls.client_ca_file && *cfg->query.tls.client_ca_file) ||
        config_split_endpoint(cfg->query.endpoint, host, sizeof(host), &port) ||
        listen_is_loopback(host))
        return OK;
    buf_printf(why,
               "query.endpoint %s answers other machines: set "
               "query.auth.tokens_file, or query.auth.insecure: true",
               cfg->query.endpoint);
    return ERR_DENIED;
}

static enum err
read_tokens(const struct config *cfg, struct tokens *out, struct buf *why)
{
    enum err err =
        tokens_read(out, &cfg->query_tokens, cfg->query_tokens_file, why);

    return err ? err : agent_check_exposure(cfg, out->len > 0, why);
}

enum err
agent_check(const struct config *cfg, struct buf *why)
{
    struct tokens tokens = {0};
    enum err err = read_tokens(cfg, &tokens, why);

    tokens_fini(&tokens);
    return err;
}

static enum err
open_tools(struct agent *agent, bool is_local, struct buf *why)
{
    receives_words(agent->cfg, &agent->receives);
    const struct tools_cfg cfg = {
        .query = agent->query,
        .world = agent->world,
        .knowledge = agent->knowledge,
        .data = agent->cfg->dir,
        .index_anywhere = is_local,
        .index_paths = agent->cfg->index_paths.item,
        .index_path_len = agent->cfg->index_paths.len,
        .search_limit_ns = agent->cfg->search_timeout_ns,
        .is_efold = strcmp(agent->cfg->temporal_curve, "efold") == 0,
        .receives = buf_cstr(&agent->receives),
        .version = SPANGRAPH_VERSION,
        .toolsets = agent->cfg->toolsets,
        .only = agent->cfg->query_tools,
        .without = agent->cfg->query_exclude_tools,
        .read_only = agent->cfg->query_read_only,
        .changes = agent->changes ? changes_version : NULL,
        .changes_ctx = agent->changes,
    };

    return tools_new(&agent->tools, &cfg, why);
}

struct world *
agent_world(struct agent *agent)
{
    return agent->world;
}

struct knowledge *
agent_knowledge(struct agent *agent)
{
    return agent->knowledge;
}

struct query *
agent_query(struct agent *agent)
{
    return agent->query;
}

/* Rounded up: 0 ms has a meaning of its own. */
static uint64_t
whole_ms(uint64_t ns)
{
    return (ns + NS_PER_MS - 1) / NS_PER_MS;
}

enum err
agent_new(struct agent **out, const struct config *cfg,
          const struct agent_parts *parts, bool is_local, struct buf *why)
{
    struct knowledge_cfg knowledge = knowledge_cfg_default;
    struct query_cfg query = query_cfg_default;
    struct tokens tokens = {0};
    struct agent *agent = calloc(1, sizeof(*agent));
    enum err err;

    *out = NULL;
    if (!agent)
        return ERR_NOMEM;
    agent->cfg = cfg;
    agent->changes = parts->changes;
    knowledge.sources = parts->sources;
    knowledge.vectors = parts->vectors;
    query.ages = agent_ages(cfg);
    knowledge.is_strict = cfg->strict_workflow;
    if ((!is_local && (err = read_tokens(cfg, &tokens, why))) ||
        (err = query_open(&agent->query, cfg->dir, &query, why)) ||
        (err = world_open(&agent->world, cfg->dir)) ||
        (err = knowledge_open(&agent->knowledge, cfg->dir, &knowledge)) ||
        (err = open_tools(agent, is_local, why)) ||
        (!is_local && cfg->query.enabled &&
         (err = world_watch(agent->world, agent->query))))
        goto out;
    const struct mcp_cfg mcp = {
        .reply_bytes = REPLY_BYTES,
        .kept_bytes = parts->changes ? cfg->kept_answers : 0,
        .allowed_hosts = cfg->allowed_hosts.item,
        .allowed_host_len = cfg->allowed_hosts.len,
        .allowed_origins = cfg->allowed_origins.item,
        .allowed_origin_len = cfg->allowed_origins.len,
        .tokens = tokens.item,
        .token_len = tokens.len,
        .answer_ms = whole_ms(cfg->answer_timeout_ns),
        .sse_idle_ms = whole_ms(cfg->sse_idle_ns),
    };
    if ((err = mcp_new(&agent->mcp, tools_offer(agent->tools), &mcp)))
        goto out;
    *out = agent;
    agent = NULL;
out:
    tokens_fini(&tokens);
    agent_free(agent);
    return err;
}

void
agent_free(struct agent *agent)
{
    if (!agent)
        return;
    mcp_free(agent->mcp);
    tools_free(agent->tools);
    knowledge_close(agent->knowledge);
    world_close(agent->world);
    query_close(agent->query);
    buf_fini(&agent->receives);
    free(agent);
}

enum err
agent_set_tokens(struct agent *agent, const struct tokens *tokens)
{
    return mcp_set_tokens(agent->mcp, tokens->item, tokens->len);
}

void
agent_set_server(struct agent *agent, struct server *server)
{
    mcp_set_server(agent->mcp, server);
}

void
agent_stop(struct agent *agent)
{
    if (agent)
        mcp_stop(agent->mcp);
}

void
agent_handle(struct agent *agent, struct request *req)
{
    if (mcp_is_sse(req->path))
        mcp_sse_handle(agent->mcp, req);
    else if (mcp_is_rest(req->path))
        mcp_rest_handle(agent->mcp, req);
    else
        mcp_http_handle(agent->mcp, req);
}

enum err
agent_serve_stdio(struct agent *agent)
{
    return mcp_stdio_run(agent->mcp, STDIN_FILENO, STDOUT_FILENO);
}
