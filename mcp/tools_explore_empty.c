/*
 * Why explore, search or graph_search tells nothing.  Filters are named as they
 * stand in `filters` of the reply, since one of them may be the mistake; of a
 * status and a priority the words are told that it can be.
 */
#include <stdio.h>
#include <string.h>

#include "knowledge/task.h"
#include "knowledge/text.h"
#include "mcp/tools_explore_list.h"
#include "mcp/tools_reply.h"

/* What stands in `filters` and leaves nothing out. */
static bool
is_told_only(const char *name)
{
    static const char *const told[] = {
        "unknown_types", "temporal",         "lanes", "degraded",
        "keys",          "include_archived", NULL};

    for (size_t i = 0; told[i]; i++)
        if (strcmp(name, told[i]) == 0)
            return true;
    return false;
}

static bool
is_types(const char *name)
{
    return strcmp(name, "types") == 0 || strcmp(name, "nodeTypes") == 0;
}

/* The names of the filters; |others| is how many are none of types. */
static size_t
name_filters(const struct listing *l, struct buf *names, size_t *others)
{
    const cJSON *item;
    size_t count = 0;

    *others = 0;
    cJSON_ArrayForEach(item, l->e->filters)
    {
        if (is_told_only(item->string))
            continue;
        buf_printf(names, "%s%s", count++ ? ", " : "", item->string);
        *others += !is_types(item->string);
    }
    return count;
}

static void
explain_status(struct listing *l)
{
    const struct wanted *types = &l->asked.types;
    struct buf tasks = {0};

    if (!l->asked.is_added_only && (types->is_all || types->nodes)) {
        tool_hint(l->e->run,
                  "nothing that fits has this status; what is observed is "
                  "live, stale, dead (no longer called), never_seen, unknown "
                  "or unresolved; dead_routes judges routes of both dead and "
                  "never_seen");
        return;
    }
    for (int i = 0; i < TASK_STATUS_COUNT; i++)
        buf_printf(&tasks, "%s%s", i ? ", " : "",
                   task_status_str((enum task_status)i));
    tool_hint(l->e->run,
              "nothing that fits has this status; tasks have %s, and epics "
              "planning, in_progress, blocked, completed, archived",
              buf_cstr(&tasks));
    buf_fini(&tasks);
}

static void
explain_priority(struct listing *l)
{
    struct buf all = {0};
    bool is_known = false;

    for (int i = 0; i < PRIORITY_COUNT; i++) {
        const char *word = task_priority_str((enum task_priority)i);

        is_known |= list_has(l->asked.priority, str_of(word));
        buf_printf(&all, "%s%s", i ? ", " : "", word);
    }
    if (!is_known)
        tool_hint(l->e->run, "priority is one of %s", buf_cstr(&all));
    buf_fini(&all);
}

static void
explain_filters(struct listing *l, size_t fit)
{
    struct buf names = {0};
    struct buf before = {0};
    size_t others;
    size_t count = name_filters(l, &names, &others);

    if (fit)
        buf_printf(&before, "%zu were found, but none", fit);
    else
        buf_add(&before, STR("nothing"));
    if (!count)
        tool_hint(l->e->run, "nothing is held yet; trace_stats says what came");
    else if (!others)
        tool_hint(l->e->run, "%s is of these types; leave %s out",
                  buf_cstr(&before), buf_cstr(&names));
    else if (others > 1 || fit || l->asked.status.len == 0)
        tool_hint(l->e->run, "%s passes %s%s; leave %s out", buf_cstr(&before),
                  count > 1 ? "all of " : "", buf_cstr(&names),
                  count > 1 ? "one" : "it");
    buf_fini(&before);
    buf_fini(&names);
}

void
list_explain_empty(struct listing *l, str query, size_t fit, bool is_all)
{
    if (l->asked.status.len)
        explain_status(l);
    if (l->asked.priority.len)
        explain_priority(l);
    if (query.len && !fit && !is_all)
        tool_hint(l->e->run, "not all was searched in time; ask again");
    else if (query.len && !fit)
        tool_hint(l->e->run,
                  "no word of the query is held; try others, fewer, or the "
                  "beginning of a name with graph_query{\"prefix\":\"...\"}");
    else
        explain_filters(l, fit);
}
