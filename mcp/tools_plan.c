/*
 * Which tool answers a question.  Words of the task are compared by their stems
 * with those that speak of each tool, and one that speaks of few tools counts
 * more than one of many; tools that no rule speaks of are known by their names
 * and titles.  Arguments are made from the tool's own schema: so
 * they cannot be named wrong, whatever becomes of the tools.  What the task
 * names (files, symbols, routes, services) is filled in, the rest is left to
 * be filled.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/words.h"
#include "graph/words_exact.h"
#include "mcp/tools_args.h"
#include "mcp/tools_context.h"
#include "mcp/tools_plan_rules.h"
#include "mcp/tools_reply.h"

enum {
    SUGGESTED_MAX = 4,
    NAMED_MAX = 4,
    TASK_WORDS_MAX = 128,
    SAID_MAX = 1000
};

/* What the task names, to fill arguments with. */
struct named {
    str symbols[NAMED_MAX];
    str routes[NAMED_MAX];
    str services[NAMED_MAX];
    struct buf files;
    size_t symbol_len, route_len, service_len;
};

struct planning {
    struct tool_run *run;
    str task;
    struct named named;
    char words[TASK_WORDS_MAX][WORD_LEN_MAX];
    size_t lens[TASK_WORDS_MAX];
    size_t word_len;
    double weights[TASK_WORDS_MAX];
    bool used[TASK_WORDS_MAX]; /* by the text at hand */
    double hits;
};

struct suggestion {
    const struct tool *tool;
    const struct plan_rule *rule; /* NULL: none speaks of it */
    double score;
    size_t order;
};

/* ---- reading the task ---- */

static void
take_word(void *ctx, str part)
{
    struct planning *p = ctx;

    if (p->word_len == TASK_WORDS_MAX)
        return;
    memcpy(p->words[p->word_len], part.ptr, part.len);
    p->lens[p->word_len++] = part.len;
}

static bool
is_service(struct tool_run *run, str word)
{
    const struct query_find find = {.kinds = TOOL_PARTY, .name = word};
    struct ids ids = {0};

    if (run->err || memchr(word.ptr, '*', word.len))
        return false;
    run->err = query_find(run->view, &find, &ids);
    bool is = ids.len > 0;
    ids_fini(&ids);
    return is;
}

/* A route is told with the method before it, where there is one: `POST /buy`.
 */
static str
with_method(str before, str route)
{
    static const char *const methods[] = {"GET",   "HEAD",   "POST",   "PUT",
                                          "PATCH", "DELETE", "OPTIONS"};

    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (str_eq(before, str_of(methods[i])) &&
            before.ptr + before.len + 1 == route.ptr &&
            before.ptr[before.len] == ' ')
            return (str){before.ptr, before.len + 1 + route.len};
    return route;
}

static void
name(str *list, size_t *len, str word)
{
    if (*len < NAMED_MAX)
        list[(*len)++] = word;
}

/* What is in a route or a path says nothing of the question: that of
 * `/legacy/cart` is not about a migration. */
static void
read_task(struct planning *p)
{
    struct named *named = &p->named;
    str rest = p->task;
    str before = {"", 0};
    enum words_kind kind;
    str word;

    for (size_t i = 0; i < WORDS_READ_MAX && words_next(&rest, &word, &kind);
         i++) {
        bool is_file =
            kind == WORD_PATH && memchr(word.ptr, '/', word.len) != NULL;
        if (kind != WORD_ROUTE && !is_file)
            words_split(word, take_word, p);
        if (is_service(p->run, word))
            name(named->services, &named->service_len, word);
        else if (kind == WORD_ROUTE)
            name(named->routes, &named->route_len, with_method(before, word));
        else if (is_file)
            buf_printf(&named->files, "%s%.*s", named->files.len ? "," : "",
                       (int)word.len, word.ptr);
        else if (kind != WORD_PLAIN)
            name(named->symbols, &named->symbol_len, word);
        before = word;
    }
    /* `main.go` and `Cart.Add` look the same: it is a file where none else is
     * named, too. */
    if (named->files.len == 0 && named->symbol_len)
        buf_add(&named->files, named->symbols[0]);
}

/* ---- scores ---- */

static void
match_part(void *ctx, str part)
{
    struct planning *p = ctx;

    for (size_t i = 0; i < p->word_len; i++)
        if (!p->used[i] && str_eq(part, (str){p->words[i], p->lens[i]})) {
            p->used[i] = true;
            p->hits += p->weights[i];
        }
}

static double
count_hits(struct planning *p, const char *text)
{
    memset(p->used, 0, sizeof(p->used));
    p->hits = 0;
    words_split(str_of(text), match_part, p);
    return p->hits;
}

/* `calls` speaks of half of the tools, `tests` of one. */
static void
weigh_words(struct planning *p)
{
    size_t rules[TASK_WORDS_MAX] = {0};

    for (size_t i = 0; i < plan_rule_len; i++) {
        (void)count_hits(p, plan_rules[i].words);
        for (size_t k = 0; k < p->word_len; k++)
            rules[k] += p->used[k];
    }
    for (size_t k = 0; k < p->word_len; k++)
        p->weights[k] = 1 / sqrt(rules[k] ? (double)rules[k] : 1);
}

static const struct plan_rule *
rule_of(const struct tool *tool)
{
    for (size_t i = 0; i < plan_rule_len; i++)
        if (strcmp(plan_rules[i].tool, tool->name) == 0)
            return &plan_rules[i];
    return NULL;
}

static bool
takes(const cJSON *properties, const char *const *names)
{
    for (; *names; names++)
        if (cJSON_GetObjectItemCaseSensitive(properties, *names))
            return true;
    return false;
}

static str
nth(const str *list, size_t len, size_t i)
{
    return i < len ? list[i] : (str){"", 0};
}

/* The |i|-th place of code or traffic: a symbol, a route or a service. */
static str
place_of(const struct named *n, size_t i)
{
    if (i < n->symbol_len)
        return n->symbols[i];
    i -= n->symbol_len;
    return i < n->route_len
               ? n->routes[i]
               : nth(n->services, n->service_len, i - n->route_len);
}

/* A tool that takes what the task names is nearer to it; one of services is
 * farther where a symbol is named and none of those, and one of two places
 * where there are not two. */
static double
fit_arguments(const struct planning *p, const struct tool *tool)
{
    static const char *const symbols[] = {"target_hash",   "source_hash",
                                          "source_symbol", "symbol_hash",
                                          "symbol",        NULL};
    static const char *const files[] = {"files", NULL};
    static const char *const routes[] = {"route", "route_pattern", "old", NULL};
    static const char *const services[] = {"service", "service_name", NULL};
    static const char *const places[] = {"nodeId", NULL};
    static const char *const pair[] = {"source_symbol", NULL};
    const struct named *n = &p->named;
    cJSON *schema = cJSON_Parse(tool->input_schema);
    const cJSON *properties =
        cJSON_GetObjectItemCaseSensitive(schema, "properties");
    double fit = 0;

    fit += n->symbol_len && takes(properties, symbols) ? 0.5 : 0;
    fit += n->files.len && takes(properties, files) ? 0.5 : 0;
    fit += n->route_len && takes(properties, routes) ? 0.5 : 0;
    fit += place_of(n, 0).len && takes(properties, places) ? 0.5 : 0;
    if (takes(properties, services))
        fit += n->service_len ? 0.5 : n->symbol_len ? -3 : 0;
    if (takes(properties, pair))
        fit += place_of(n, 1).len ? 1 : -1;
    cJSON_Delete(schema);
    return fit;
}

static int
compare_suggestions(const void *left, const void *right)
{
    const struct suggestion *a = left;
    const struct suggestion *b = right;

    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* Tools by score; the tool that asks is none of them. */
static size_t
rank_tools(struct planning *p, struct suggestion *out)
{
    size_t len = 0;

    weigh_words(p);
    for (size_t k = 0; tool_lists[k]; k++)
        for (size_t i = 0; i < tool_lists[k]->len && len < TOOLS_MAX; i++) {
            const struct tool *tool = &tool_lists[k]->tools[i];
            const struct plan_rule *rule = rule_of(tool);
            double hits =
                rule ? 2 * count_hits(p, rule->words)
                     : count_hits(p, tool->name) + count_hits(p, tool->title);
            double score = hits;
            if (tool == p->run->tool)
                continue;
            if (hits > 0)
                score += fit_arguments(p, tool);
            else if (strcmp(tool->name, "context_for_task") == 0)
                score = 0.5; /* it is never wrong */
            if (score <= 0)
                continue;
            out[len] = (struct suggestion){tool, rule, score,
                                           rule ? (size_t)(rule - plan_rules)
                                                : 100 + len};
            len++;
        }
    if (len)
        qsort(out, len, sizeof(*out), compare_suggestions);
    return len < SUGGESTED_MAX ? len : SUGGESTED_MAX;
}

/* ---- arguments ---- */

/* What the task says for property |key|; empty: nothing. */
static str
value_of(const struct planning *p, const char *key)
{
    const struct named *n = &p->named;
    /* A long one is not told once for each tool. */
    str words = str_cut(p->task, 0, p->task.len <= SAID_MAX ? p->task.len : 0);
    const struct {
        const char *key;
        str value;
    } values[] = {
        {"task", p->task},
        {"task_description", p->task},
        {"files", buf_str(&n->files)},
        {"target_hash", place_of(n, 0)},
        {"source_hash", place_of(n, 0)},
        {"symbol_hash", nth(n->symbols, n->symbol_len, 0)},
        {"symbol", nth(n->symbols, n->symbol_len, 0)},
        {"source_symbol", place_of(n, 0)},
        {"target_symbol", place_of(n, 1)},
        {"prefix", nth(n->symbols, n->symbol_len, 0)},
        {"service", nth(n->services, n->service_len, 0)},
        {"service_name", nth(n->services, n->service_len, 0)},
        {"peer", nth(n->services, n->service_len, 1)},
        {"nodeId", place_of(n, 0)},
        {"seedNodeId", place_of(n, 0)},
        {"query", words},
        {"content", words},
        {"route", nth(n->routes, n->route_len, 0)},
        {"route_pattern", nth(n->routes, n->route_len, 0)},
        {"old", nth(n->routes, n->route_len, 0)},
        {"new", nth(n->routes, n->route_len, 1)},
        {"old_snapshot", STR("previous")},
        {"new_snapshot", STR("latest")},
        {"snapshot_hash", STR("latest")},
    };

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (strcmp(values[i].key, key) == 0)
            return values[i].value;
    return (str){"", 0};
}

static bool
is_required(const cJSON *schema, const char *key)
{
    const cJSON *item;

    cJSON_ArrayForEach(item,
                       cJSON_GetObjectItemCaseSensitive(schema, "required"))
    {
        if (strcmp(item->valuestring, key) == 0)
            return true;
    }
    return false;
}

/* No task says a snapshot, so one is told only where there must be one: of
 * several repositories there is no latest. */
static bool
is_assumed(const char *key)
{
    return strstr(key, "snapshot") != NULL;
}

static bool
is_service_key(const char *key)
{
    return strcmp(key, "service") == 0 || strcmp(key, "service_name") == 0;
}

/* graph_query takes a beginning or words, not both. */
static bool
is_said(const cJSON *args, const char *key)
{
    return strcmp(key, "query") == 0 &&
           cJSON_GetObjectItemCaseSensitive(args, "prefix");
}

static void
fill_property(const struct planning *p, const cJSON *schema,
              const cJSON *property, const char *extra, cJSON *args)
{
    const char *key = property->string;
    size_t len = strlen(key);
    const cJSON *words =
        cJSON_GetObjectItemCaseSensitive(property, "description");
    str value = value_of(p, key);

    if (extra && strncmp(extra, key, len) == 0 && extra[len] == '=') {
        cJSON_AddStringToObject(args, key, extra + len + 1);
    } else if (is_said(args, key) ||
               (is_assumed(key) && !is_required(schema, key))) {
        return;
    } else if (value.len) {
        put_str(args, key, value);
    } else if (is_required(schema, key) && is_service_key(key)) {
        cJSON_AddStringToObject(args, key, "*");
    } else if (is_required(schema, key)) {
        struct buf fill = {0};
        buf_printf(&fill, "<fill: %s>",
                   cJSON_IsString(words) ? words->valuestring : key);
        cJSON_AddStringToObject(args, key, buf_cstr(&fill));
        buf_fini(&fill);
    }
}

static cJSON *
suggestion_row(const struct planning *p, const struct suggestion *suggestion)
{
    const struct tool *tool = suggestion->tool;
    const struct plan_rule *rule = suggestion->rule;
    cJSON *schema = cJSON_Parse(tool->input_schema);
    cJSON *row = cJSON_CreateObject();
    cJSON *args;
    const cJSON *property;

    cJSON_AddStringToObject(row, "tool", tool->name);
    cJSON_AddStringToObject(row, "reason", rule ? rule->reason : tool->title);
    args = cJSON_AddObjectToObject(row, "args");
    cJSON_ArrayForEach(property,
                       cJSON_GetObjectItemCaseSensitive(schema, "properties"))
    {
        fill_property(p, schema, property, rule ? rule->extra : NULL, args);
    }
    cJSON_Delete(schema);
    return row;
}

static bool
is_offered(const struct tools *tools, const struct tool *tool)
{
    for (size_t i = 0; i < tools->len; i++)
        if (strcmp(tools->list[i].name, tool->name) == 0)
            return true;
    return false;
}

void
tool_plan_turn(struct tool_run *run)
{
    struct suggestion suggestions[TOOLS_MAX];
    struct planning *p = calloc(1, sizeof(*p));
    cJSON *array;
    size_t len;

    if (!p) {
        run->err = ERR_NOMEM;
        return;
    }
    p->run = run;
    p->task = tool_str(run, "task");
    if (!run->err && p->task.len == 0)
        tool_fail(run, ERR_INVALID, "task is required; try %s%s",
                  run->tool->name, run->tool->example);
    if (run->err)
        goto out;
    read_task(p);
    len = rank_tools(p, suggestions);
    array = cJSON_AddArrayToObject(run->reply, "suggestions");
    for (size_t i = 0; i < len; i++) {
        cJSON_AddItemToArray(array, suggestion_row(p, &suggestions[i]));
        if (!is_offered(run->tools, suggestions[i].tool))
            tool_hint(run,
                      "%s is not offered by this server: start it with "
                      "--toolsets all",
                      suggestions[i].tool->name);
    }
    reply_summary(run, "%zu tool%s, the likeliest first: %s", len,
                  many((int64_t)len), len ? suggestions[0].tool->name : "none");
out:
    buf_fini(&p->named.files);
    free(p);
}
