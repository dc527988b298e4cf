/*
 * Which tools there are, and which are offered.
 */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "knowledge/text.h"
#include "mcp/tools.h"
#include "mcp/tools_parts.h"

const struct tool_list *const tool_lists[] = {
    &tool_list_runtime,   &tool_list_graph, &tool_list_context,
    &tool_list_knowledge, &tool_list_near,  NULL};

static const struct {
    const char *word;
    uint32_t sets;
} words[] = {
    {"default", TOOLSET_DEFAULT},
    {"runtime", TOOLSET_RUNTIME},
    {"graph", TOOLSET_GRAPH},
    {"context", TOOLSET_CONTEXT},
    {"knowledge", TOOLSET_KNOWLEDGE},
    {"xplor", TOOLSET_XPLOR},
    {"sibyl", TOOLSET_SIBYL},
    {"knowing", TOOLSET_KNOWING},
    {"all", UINT32_MAX},
};

const struct tool *
tool_find(const char *name)
{
    for (size_t k = 0; tool_lists[k]; k++)
        for (size_t i = 0; i < tool_lists[k]->len; i++)
            if (strcmp(tool_lists[k]->tools[i].name, name) == 0)
                return &tool_lists[k]->tools[i];
    return NULL;
}

static bool
find_word(str word, uint32_t *sets)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (str_eq(word, str_of(words[i].word))) {
            *sets |= words[i].sets;
            return true;
        }
    return false;
}

/* Cuts the first of a list with commas off, without the space around it; empty
 * at its end.  |*at| may be NULL. */
static str
next_word(const char **at)
{
    if (!*at)
        return (str){NULL, 0};
    *at += strspn(*at, ", ");
    str word = {*at, strcspn(*at, ",")};
    *at += word.len;
    return text_trim(word);
}

enum err
tool_sets_of(const char *text, uint32_t *sets, struct buf *why)
{
    *sets = 0;
    if (!text || !*text)
        text = "default";
    for (str word; (word = next_word(&text)).len;) {
        if (find_word(word, sets))
            continue;
        buf_printf(why, "no toolset \"%.*s\"; there are:", (int)word.len,
                   word.ptr);
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            buf_printf(why, " %s", words[i].word);
        return ERR_INVALID;
    }
    return OK;
}

static bool
is_named(const char *names, const char *name)
{
    for (str word; (word = next_word(&names)).len;)
        if (str_eq(word, str_of(name)))
            return true;
    return false;
}

static bool
is_selected(const struct tools_cfg *cfg, uint32_t sets, const struct tool *tool)
{
    const char *only = cfg->only;
    bool is_asked_for = next_word(&only).len > 0
                            ? is_named(cfg->only, tool->name)
                            : (tool->sets & sets) != 0;

    return is_asked_for && !is_named(cfg->without, tool->name) &&
           !(cfg->read_only && tool->writes);
}

size_t
tool_select(const struct tools_cfg *cfg, uint32_t sets, const struct tool **out)
{
    size_t len = 0;

    for (size_t k = 0; tool_lists[k]; k++) {
        for (size_t i = 0; i < tool_lists[k]->len; i++) {
            if (!is_selected(cfg, sets, &tool_lists[k]->tools[i]))
                continue;
            if (out)
                out[len] = &tool_lists[k]->tools[i];
            len++;
        }
    }
    return len;
}

enum err
tools_check_names(const char *names, struct buf *why)
{
    const struct tools_cfg any = {0};
    const struct tool *all[TOOLS_MAX];
    const char *known[TOOLS_MAX];
    size_t len = tool_select(&any, UINT32_MAX, all);

    for (size_t i = 0; i < len; i++)
        known[i] = all[i]->name;
    for (str word; (word = next_word(&names)).len;) {
        const char *nearest = nearest_name(known, len, word);
        if (nearest && str_eq(word, str_of(nearest)))
            continue;
        buf_printf(why, "no tool \"%.*s\"", (int)word.len, word.ptr);
        if (nearest)
            buf_printf(why, "; closest: \"%s\"", nearest);
        return ERR_INVALID;
    }
    return OK;
}

enum err
tools_check_sets(const char *toolsets, struct buf *why)
{
    uint32_t sets;

    return tool_sets_of(toolsets, &sets, why);
}
