/*
 * manage crawl, sync, refresh: on the thread of the call, and told as it goes.
 * What reads the traces is given back meanwhile, as in mcp/tools_code_index.c,
 * and taken anew for each page that is stored.
 */
#include "knowledge/source.h"
#include "mcp/json.h"
#include "mcp/tools_knowledge_manage.h"

struct crawling {
    struct tool_run *run;
    struct query_view *view; /* of the moment under way */
};

static enum err
begin(void *ctx, struct moment *moment, bool writes)
{
    struct crawling *crawling = ctx;
    struct tools *tools = crawling->run->tools;
    uint32_t now_s = tools->clock(tools->clock_ctx);
    struct buf *why = moment->why;
    enum err err = query_begin(tools->cfg.query, now_s, &crawling->view);

    if (err)
        return err;
    *moment = (struct moment){
        .view = crawling->view,
        .joined = crawling->run->joined,
        .now_s = now_s,
        .why = why,
    };
    err = writes ? knowledge_write(tools->cfg.knowledge, moment)
                 : knowledge_read(tools->cfg.knowledge, moment);
    if (err == ERR_BUSY)
        buf_add(why, STR(": another process writes the knowledge; crawl "
                         "through it"));
    if (err) {
        query_end(crawling->view);
        crawling->view = NULL;
    }
    return err;
}

static enum err
end(void *ctx, struct moment *moment, enum err err)
{
    struct crawling *crawling = ctx;

    err = knowledge_end(crawling->run->tools->cfg.knowledge, moment, err);
    query_end(crawling->view);
    crawling->view = NULL;
    return err;
}

static bool
is_cancelled(void *ctx)
{
    const struct crawling *crawling = ctx;

    return crawling->run->call && mcp_is_cancelled(crawling->run->call);
}

static void
note(void *ctx, size_t done, size_t most)
{
    const struct crawling *crawling = ctx;

    if (crawling->run->call)
        mcp_progress(crawling->run->call, (double)done, (double)most, "pages");
}

static void
run(struct managing *m, bool all)
{
    struct tool_run *run = m->run;
    struct crawling crawling = {.run = run};
    struct buf why = {0};
    const struct source_host host = {
        .ctx = &crawling,
        .knowledge = run->tools->cfg.knowledge,
        .why = &why,
        .begin = begin,
        .end = end,
        .is_cancelled = is_cancelled,
        .note = note,
    };
    uint32_t now_s = query_now_s(run->view);

    query_end(run->view);
    run->view = NULL;
    enum err err = all ? source_refresh(&host, m->work.data)
                       : source_crawl(&host, m->object.oid, m->work.data);
    enum err again = query_begin(run->tools->cfg.query, now_s, &run->view);
    if (err == ERR_CANCELLED)
        tool_fail(run, err, "cancelled; what was taken in before stays");
    else if (err)
        tool_fail(run, err, "%s", why.len ? buf_cstr(&why) : err_str(err));
    else if (again)
        run->err = again;
    buf_fini(&why);
}

void
managing_crawl(struct managing *m)
{
    run(m, false);
}

void
managing_refresh(struct managing *m)
{
    run(m, true);
}
