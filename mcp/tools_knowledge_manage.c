/*
 * manage: a table of actions.  What an action needs is looked up before it is
 * run, so each only does its own; all it changes is one transaction.
 */
#include <ctype.h>
#include <string.h>

#include "base/nearest.h"
#include "knowledge/resolve.h"
#include "knowledge/source.h"
#include "knowledge/text.h"
#include "knowledge/upkeep.h"
#include "mcp/json.h"
#include "mcp/tools_args.h"
#include "mcp/tools_knowledge_manage.h"
#include "mcp/tools_reply.h"

enum need { NEED_NOTHING, NEED_TASK, NEED_EPIC, NEED_SOURCE, NEED_ANY };

typedef enum err action_fn(struct managing *m);

/* ---- tasks ---- */

static enum err
do_start(struct managing *m)
{
    str assignee;
    enum err err = managing_text(m, "assignee", NULL, &assignee);

    return err ? err : work_start(&m->work, &m->task, assignee);
}

static enum err
do_block(struct managing *m)
{
    str reason;
    enum err err = managing_text(m, "blocker", "reason", &reason);

    return err ? err : work_block(&m->work, &m->task, reason);
}

static enum err
do_unblock(struct managing *m)
{
    return work_unblock(&m->work, &m->task);
}

static enum err
do_review(struct managing *m)
{
    const cJSON *commits;
    str url;
    enum err err = managing_list(m, "commits", "commit_shas", &commits);

    if (!err)
        err = managing_text(m, "pr_url", NULL, &url);
    return err ? err : work_review(&m->work, &m->task, commits, url);
}

static enum err
do_complete(struct managing *m)
{
    double hours = -1;
    str learnings;
    enum err err = managing_number(m, "hours", "actual_hours", &hours);

    if (!err)
        err = managing_text(m, "learnings", NULL, &learnings);
    return err ? err : work_complete(&m->work, &m->task, hours, learnings);
}

static enum err
do_archive(struct managing *m)
{
    str reason;
    enum err err = managing_text(m, "reason", NULL, &reason);

    return err ? err : work_archive(&m->work, &m->task, reason);
}

static enum err
do_update(struct managing *m)
{
    return work_update(&m->work, &m->task, m->data);
}

static enum err
do_note(struct managing *m)
{
    str content;
    str by;
    enum err err = managing_text(m, "content", "note", &content);

    if (!err)
        err = managing_text(m, "author_type", NULL, &by);
    return err ? err : work_note(&m->work, &m->object, content, by);
}

/* ---- epics ---- */

static enum err
move_epic(struct managing *m, const char *to)
{
    str note;
    enum err err = managing_text(m, "reason", "learnings", &note);

    return err ? err : work_epic_move(&m->work, &m->task, to, note);
}

static enum err
do_start_epic(struct managing *m)
{
    return move_epic(m, "in_progress");
}

static enum err
do_complete_epic(struct managing *m)
{
    return move_epic(m, "completed");
}

static enum err
do_archive_epic(struct managing *m)
{
    return move_epic(m, "archived");
}

/* ---- sources ---- */

static enum err
read_crawl(const struct managing *m, struct source_ask *ask)
{
    const cJSON *robots = json_member(m->data, "respect_robots");
    double depth = -1; /* none is named: as it was */
    double pages = 0;
    enum err err = managing_number(m, "depth", "crawl_depth", &depth);

    if (!err)
        err = managing_number(m, "max_pages", NULL, &pages);
    if (!err)
        err = managing_list(m, "patterns", "include_patterns", &ask->include);
    if (!err)
        err = managing_list(m, "exclude", "exclude_patterns", &ask->exclude);
    if (!err && json_member(m->data, "schedule"))
        err = managing_text(m, "schedule", NULL, &ask->schedule);
    ask->depth = depth < 0 ? 0 : depth < 1 ? 1 : (int64_t)depth;
    ask->max_pages = (int64_t)pages;
    ask->robots = cJSON_IsBool(robots) ? cJSON_IsTrue(robots) ? 1 : -1 : 0;
    return err;
}

/* The crawl itself comes when this moment is over: it may take minutes. */
static enum err
do_crawl(struct managing *m)
{
    struct source_ask ask = {0};
    str url;
    enum err err = managing_text(m, "url", NULL, &url);

    if (!err)
        err = read_crawl(m, &ask);
    if (err)
        return err;
    if (!m->object.oid && url.len == 0)
        return moment_fail(m->moment, ERR_INVALID,
                           "url or entity_id required for crawl");
    if (!m->object.oid)
        err = source_of_url(m->moment, url, &m->object);
    m->long_work = managing_crawl;
    return err ? err : source_apply(m->moment, m->object.oid, &ask);
}

static enum err
do_sync(struct managing *m)
{
    m->long_work = managing_crawl;
    return OK;
}

static enum err
do_refresh(struct managing *m)
{
    m->long_work = managing_refresh;
    return OK;
}

static enum err
do_link_graph(struct managing *m)
{
    double max = 1000;
    enum err err = managing_number(m, "max_chunks", NULL, &max);

    return err ? err
               : source_link(m->moment, (size_t)(max < 10000 ? max : 10000),
                             m->work.data);
}

static enum err
do_link_status(struct managing *m)
{
    return source_link_status(m->moment, m->work.data);
}

/* ---- analysis ---- */

/* The project: its argument, or entity_id; 0: none is named. */
static enum err
read_project(struct managing *m, int64_t *out)
{
    struct object project = {0};
    str text;
    enum err err = managing_text(m, "project", "project_id", &text);

    *out = 0;
    if (!err && text.len == 0)
        err = managing_text(m, "entity_id", NULL, &text);
    if (err || text.len == 0)
        return err;
    err = object_resolve(m->moment, text, IN_KNOWLEDGE, &project);
    if (!err && strcmp(project.type, "project") != 0)
        err = moment_fail(m->moment, ERR_INVALID,
                          "'%.60s' is a %s, not a project", text.ptr,
                          project.type);
    *out = project.oid;
    object_fini(&project);
    return err;
}

static enum err
do_estimate(struct managing *m)
{
    return work_estimate(&m->work, &m->task);
}

static enum err
do_prioritize(struct managing *m)
{
    int64_t project;
    enum err err = read_project(m, &project);

    if (!err && !project)
        err = moment_fail(m->moment, ERR_INVALID,
                          "project required for prioritize; explore{"
                          "\"types\":[\"project\"]} lists ids");
    return err ? err : work_prioritize(&m->work, project);
}

static enum err
do_cycles(struct managing *m)
{
    static const char *const graphs[] = {"tasks", "runtime", "static"};
    int64_t project = 0;
    str word;
    int graph = 0;
    enum err err = managing_text(m, "graph", NULL, &word);

    while (!err && word.len && graph < 3 &&
           !text_same(word, str_of(graphs[graph])))
        graph++;
    if (!err && graph == 3)
        err = moment_fail(m->moment, ERR_INVALID,
                          "data.graph \"%.40s\" is none of tasks, runtime, "
                          "static",
                          word.ptr);
    if (!err && graph == 0)
        err = read_project(m, &project);
    return err ? err : work_cycles(&m->work, project, (enum work_graph)graph);
}

static enum err
do_suggest(struct managing *m)
{
    return work_suggest(&m->work, &m->object);
}

/* ---- upkeep ---- */

static enum err
do_health(struct managing *m)
{
    const char *version = m->run->tools->cfg.version;

    cJSON_AddStringToObject(m->work.data, "server_name", "spangraph");
    cJSON_AddStringToObject(m->work.data, "version", version ? version : "");
    return upkeep_health(m->moment, m->work.data);
}

static enum err
do_stats(struct managing *m)
{
    return upkeep_stats(m->moment, m->work.data);
}

static enum err
do_rebuild(struct managing *m)
{
    return upkeep_rebuild(m->moment, m->work.data);
}

/* ---- dispatch ---- */

static const struct action {
    const char *name;
    enum need need;
    bool writes;
    bool is_optional; /* entity_id may be left out */
    action_fn *fn;
} actions[] = {
    {"start_task", NEED_TASK, true, false, do_start},
    {"block_task", NEED_TASK, true, false, do_block},
    {"unblock_task", NEED_TASK, true, false, do_unblock},
    {"submit_review", NEED_TASK, true, false, do_review},
    {"complete_task", NEED_TASK, true, false, do_complete},
    {"archive", NEED_TASK, true, false, do_archive},
    {"archive_task", NEED_TASK, true, false, do_archive},
    {"update_task", NEED_TASK, true, false, do_update},
    {"add_note", NEED_ANY, true, false, do_note},
    {"start_epic", NEED_EPIC, true, false, do_start_epic},
    {"complete_epic", NEED_EPIC, true, false, do_complete_epic},
    {"archive_epic", NEED_EPIC, true, false, do_archive_epic},
    {"update_epic", NEED_EPIC, true, false, do_update},
    {"crawl", NEED_SOURCE, true, true, do_crawl},
    {"sync", NEED_SOURCE, false, false, do_sync},
    {"refresh", NEED_NOTHING, false, false, do_refresh},
    {"link_graph", NEED_NOTHING, true, false, do_link_graph},
    {"link_graph_status", NEED_NOTHING, false, false, do_link_status},
    {"estimate", NEED_TASK, false, false, do_estimate},
    {"prioritize", NEED_NOTHING, false, false, do_prioritize},
    {"detect_cycles", NEED_NOTHING, false, false, do_cycles},
    {"suggest", NEED_ANY, false, false, do_suggest},
    {"health", NEED_NOTHING, false, false, do_health},
    {"stats", NEED_NOTHING, false, false, do_stats},
    {"rebuild_index", NEED_NOTHING, true, false, do_rebuild},
};
enum { ACTIONS = sizeof(actions) / sizeof(actions[0]) };

static const struct action *
find_action(struct tool_run *run)
{
    str word = text_trim(tool_str(run, "action"));
    const char *names[ACTIONS];

    for (size_t i = 0; i < ACTIONS; i++) {
        if (text_same(word, str_of(actions[i].name)))
            return &actions[i];
        names[i] = actions[i].name;
    }
    if (run->err)
        return NULL;
    const char *near = nearest_name(names, ACTIONS, word);
    tool_fail(run, ERR_INVALID, "Unknown action: %.*s. Valid actions: [",
              (int)(word.len < 60 ? word.len : 60), word.ptr);
    for (size_t i = 0; i < ACTIONS; i++)
        buf_printf(run->why, "%s%s", i ? ", " : "", names[i]);
    buf_printf(run->why, "]%s%s%s", near ? "; did you mean " : "",
               near ? near : "", near ? "?" : "");
    return NULL;
}

static enum err
take_task(struct managing *m, const struct action *action, str text)
{
    bool is_epic = action->need == NEED_EPIC;
    enum err err = task_get(m->moment, m->object.oid, &m->task);

    if (err == ERR_NOT_FOUND || (!err && m->task.is_epic != is_epic))
        return moment_fail(m->moment, ERR_NOT_FOUND, "%s not found: %.*s",
                           is_epic ? "Epic" : "Task", (int)text.len, text.ptr);
    return err;
}

/* What entity_id names, if the action wants to know. */
static enum err
take_entity(struct managing *m, const struct action *action)
{
    static const char *const words[] = {"", "Task", "Epic", "Source", "Entity"};
    static const char *const types[] = {"", "task", "epic", "source", "task"};
    unsigned worlds = action->need == NEED_ANY ? IN_ANY_WORLD : IN_KNOWLEDGE;
    struct buf why = {0};
    str text;
    enum err err;

    if (action->need == NEED_NOTHING)
        return OK;
    if ((err = managing_text(m, "entity_id", NULL, &text)))
        return err;
    if (text.len == 0 && action->is_optional)
        return OK;
    if (text.len == 0)
        return moment_fail(m->moment, ERR_INVALID,
                           "entity_id required for %s; explore{\"types\":"
                           "[\"%s\"]} lists ids",
                           action->name, types[action->need]);
    err = object_resolve(m->moment, text, worlds, &m->object);
    if (err == ERR_NOT_FOUND) {
        str told = buf_str(m->moment->why);

        if (str_starts(told, STR("Entity")))
            told = str_cut(told, 6, told.len);
        buf_printf(&why, "%s%.*s", words[action->need], (int)told.len,
                   told.ptr);
        buf_reset(m->moment->why);
        buf_add(m->moment->why, buf_str(&why));
        buf_fini(&why);
    }
    if (!err && (action->need == NEED_TASK || action->need == NEED_EPIC))
        err = take_task(m, action, text);
    if (!err && action->need == NEED_SOURCE &&
        strcmp(m->object.type, "source") != 0)
        err = moment_fail(m->moment, ERR_NOT_FOUND, "Source not found: %.*s",
                          (int)text.len, text.ptr);
    return err;
}

static void
answer(struct managing *m, const struct action *action)
{
    struct tool_run *run = m->run;

    cJSON_AddBoolToObject(run->reply, "success", true);
    cJSON_AddStringToObject(run->reply, "action", action->name);
    if (m->object.gid.len)
        cJSON_AddStringToObject(run->reply, "entity_id",
                                buf_cstr(&m->object.gid));
    else
        cJSON_AddNullToObject(run->reply, "entity_id");
    buf_printf(&m->message, "%s: done%s%s", action->name,
               m->object.name.len ? ": " : "", buf_cstr(&m->object.name));
    cJSON_AddStringToObject(run->reply, "message", buf_cstr(&m->message));
    json_give(run->reply, "data", m->work.data);
    m->work.data = NULL;
    know_put_timestamp(run, run->reply);
    reply_summary(run, "%s", buf_cstr(&m->message));
}

static void
tell_failure(struct managing *m, const char *action)
{
    struct tool_run *run = m->run;
    cJSON *out = know_failure(run);
    const char *asked = json_text(run->args, "entity_id");

    cJSON_AddStringToObject(out, "action", action);
    if (m->object.gid.len || asked)
        cJSON_AddStringToObject(out, "entity_id",
                                m->object.gid.len ? buf_cstr(&m->object.gid)
                                                  : asked);
    else
        cJSON_AddNullToObject(out, "entity_id");
    json_give(out, "data", m->work.data ? m->work.data : cJSON_CreateObject());
    m->work.data = NULL;
}

void
tool_manage_tell(struct tool_run *run)
{
    struct managing m = {.run = run};
    const char *asked = json_text(run->args, "action");

    tell_failure(&m, asked ? asked : "");
}

void
tool_manage(struct tool_run *run)
{
    const struct action *action = find_action(run);
    struct know_run know = {0};
    struct managing m = {.run = run, .moment = &know.moment};
    enum err err;

    if (!action)
        return;
    m.data = json_member(run->args, "data");
    if (m.data && !cJSON_IsObject(m.data) && !cJSON_IsNull(m.data))
        tool_fail(run, ERR_INVALID, "data must be an object");
    m.work = (struct work){
        .moment = m.moment, .data = cJSON_CreateObject(), .hints = run->hints};
    if (know_begin(&know, run, action->writes)) {
        err = managing_text(&m, "actor", NULL, &m.work.actor);
        if (!err)
            err = take_entity(&m, action);
        if (!err)
            err = action->fn(&m);
        know_end(&know, err);
    } else {
        know_end(&know, run->err);
    }
    if (!run->err && m.long_work)
        m.long_work(&m);
    if (!run->err)
        answer(&m, action);
    else
        tell_failure(&m, action->name);
    cJSON_Delete(m.work.data);
    object_fini(&m.object);
    task_fini(&m.task);
    buf_fini(&m.message);
}
