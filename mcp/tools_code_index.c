/*
 * index_repo: an index on the thread of the call.  It may take minutes, so the
 * view of the traces is given back meanwhile: a reader that stays keeps the log
 * of the database from being shortened.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "index/job.h"
#include "mcp/tools_args.h"
#include "mcp/tools_code.h"
#include "mcp/tools_reply.h"

static void
check_path(struct tool_run *run, const char *path, char real[PATH_MAX])
{
    const struct tools_cfg *cfg = &run->tools->cfg;
    bool is_allowed = cfg->index_anywhere && cfg->index_path_len == 0;

    if (run->err)
        return;
    /* What is not allowed is not told whether it is there. */
    if (!is_allowed && cfg->index_path_len == 0) {
        tool_fail(run, ERR_DENIED,
                  "this server indexes nothing for its clients; its operator "
                  "can allow folders with query.index_paths, or run "
                  "`spangraph index FOLDER`");
        return;
    }
    bool is_real = realpath(path, real) != NULL;
    for (size_t i = 0; i < cfg->index_path_len && is_real; i++)
        is_allowed |= path_is_within(real, cfg->index_paths[i]);
    if (!is_allowed)
        tool_fail(run, ERR_DENIED,
                  "repo_path '%.200s' is not in the folders that "
                  "query.index_paths allows",
                  path);
    else if (!is_real)
        tool_fail(run, ERR_INVALID, "repo_path '%.200s' is no folder here",
                  path);
}

static enum err
note_progress(void *ctx, const struct worker_progress *progress)
{
    struct tool_run *run = ctx;
    uint32_t phases = PHASE_END;

    if (!run->call)
        return OK;
    if (mcp_is_cancelled(run->call))
        return ERR_CANCELLED;
    /* One scale over all phases, so that it only ever rises. */
    double part =
        progress->total ? (double)progress->done / (double)progress->total : 0;
    mcp_progress(run->call, progress->phase + (part < 1 ? part : 1), phases,
                 worker_phase_str(progress->phase));
    return OK;
}

static void
put_result(struct tool_run *run, const char *path,
           const struct job_result *result)
{
    const struct code_build *build = &result->build;
    str url = texts_get(&build->texts, build->repo_url);
    str commit = texts_get(&build->texts, build->commit);
    uint32_t routes = 0;

    for (uint32_t i = 0; i < build->route_len; i++)
        routes += !(build->routes[i].flags & ROUTE_IS_CLIENT);
    put_str(run->reply, "repo_url", url);
    cJSON_AddStringToObject(run->reply, "repo_path", path);
    put_str(run->reply, "commit", commit);
    put_hash(run->reply, "snapshot_hash", result->written.hash);
    cJSON_AddBoolToObject(run->reply, "new_snapshot", result->written.is_new);
    put_num(run->reply, "files", result->written.files);
    put_num(run->reply, "parsed", build->parsed);
    put_num(run->reply, "nodes", result->written.nodes);
    put_num(run->reply, "edges", result->written.edges);
    put_num(run->reply, "routes", routes);
    reply_summary(run,
                  "index_repo complete: repo_url=%.*s repo_path=%s "
                  "commit=%.*s",
                  (int)url.len, url.ptr, path, (int)commit.len, commit.ptr);
    tool_hint(run, "graph_query lists what there is now; semantic_diff with "
                   "previous and latest what has changed");
}

static void
run_job(struct tool_run *run, const struct job_ask *ask, const char *path)
{
    struct job_result result;
    struct buf why = {0};
    uint32_t now_s = query_now_s(run->view);

    query_end(run->view);
    run->view = NULL;
    enum err err = job_run(ask, note_progress, run, &result, &why);
    enum err again = query_begin(run->tools->cfg.query, now_s, &run->view);
    if (err == ERR_CANCELLED)
        tool_fail(run, err, "cancelled; what was indexed before stays");
    else if (err)
        tool_fail(run, err, "%s", why.len ? buf_cstr(&why) : err_str(err));
    else if (!again)
        put_result(run, path, &result);
    /* The next question is answered by it. */
    if (!err && !again && run->tools->cfg.world &&
        (again = world_load(run->tools->cfg.world, run->view, &why)))
        tool_fail(run, again, "indexed, but: %s", buf_cstr(&why));
    if (!run->err)
        run->err = again;
    if (!err)
        job_result_fini(&result);
    buf_fini(&why);
}

void
tool_index_repo(struct tool_run *run)
{
    str url = tool_str(run, "repo_url");
    str path = tool_str(run, "repo_path");
    str commit = tool_str(run, "commit_hash");
    char real[PATH_MAX] = "";

    if (!run->err && (url.len == 0 || path.len == 0))
        tool_fail(run, ERR_INVALID, "missing required argument: %s; try %s%s",
                  url.len == 0 ? "repo_url" : "repo_path", run->tool->name,
                  run->tool->example);
    if (!run->err && !run->tools->cfg.data)
        tool_fail(run, ERR_DENIED, "this server has no store for code");
    if (!run->err && commit.len && commit.ptr[0] == '-')
        tool_fail(run, ERR_INVALID, "commit_hash '%.40s' is none", commit.ptr);
    if (!run->err)
        check_path(run, path.ptr, real);
    const struct job_ask ask = {
        .data = run->tools->cfg.data,
        .tree = {.path = real, .commit = commit.len ? commit.ptr : NULL},
        .repo_url = url.ptr,
    };
    if (!run->err)
        run_job(run, &ask, path.ptr);
}
