/*
 * Which tools there are, and which are offered.
 */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
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

enum err
tool_sets_of(const char *text, uint32_t *sets, struct buf *why)
{
    *sets = 0;
    if (!text || !*text)
        text = "default";
    for (const char *at = text; *at;) {
        size_t len = strcspn(at, ",");
        if (len > 0 && !find_word((str){at, len}, sets)) {
            buf_printf(why, "no toolset \"%.*s\"; there are:", (int)len, at);
            for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
                buf_printf(why, " %s", words[i].word);
            return ERR_INVALID;
        }
        at += len + (at[len] == ',');
    }
    return OK;
}

/* Whether |names|, with commas, has |name|. */
static bool
is_named(const char *names, const char *name)
{
    for (const char *at = names; at && *at;) {
        size_t len = strcspn(at, ",");
        if (str_eq((str){at, len}, str_of(name)))
            return true;
        at += len + (at[len] == ',');
    }
    return false;
}

static bool
is_selected(const struct tools_cfg *cfg, uint32_t sets, const struct tool *tool)
{
    bool is_asked_for = cfg->only && *cfg->only
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

static const char *
nearest_tool(str name)
{
    const char *names[TOOLS_MAX];
    size_t len = 0;

    for (size_t k = 0; tool_lists[k]; k++)
        for (size_t i = 0; i < tool_lists[k]->len; i++)
            names[len++] = tool_lists[k]->tools[i].name;
    return nearest_name(names, len, name);
}

enum err
tools_check_names(const char *names, struct buf *why)
{
    for (const char *at = names; at && *at;) {
        str name = {at, strcspn(at, ",")};
        char text[64] = "";

        if (name.len < sizeof(text))
            memcpy(text, at, name.len);
        if (name.len > 0 && !tool_find(text)) {
            const char *nearest = nearest_tool(name);
            buf_printf(why, "no tool \"%.*s\"", (int)name.len, at);
            if (nearest)
                buf_printf(why, "; closest: \"%s\"", nearest);
            return ERR_INVALID;
        }
        at += name.len + (at[name.len] == ',');
    }
    return OK;
}

enum err
tools_check_sets(const char *toolsets, struct buf *why)
{
    uint32_t sets;

    return tool_sets_of(toolsets, &sets, why);
}
