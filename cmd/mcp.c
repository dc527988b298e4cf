#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "cmd/agent.h"
#include "cmd/ai.h"
#include "cmd/crawling.h"
#include "cmd/options.h"
#include "cmd/session.h"
#include "graph/world.h"

static int
refuse_word(const char *word)
{
    fprintf(stderr, "spangraph mcp: \"%s\" is one word too many\n", word);
    return EXIT_USAGE;
}

/* What the command line says of tools; NULL: nothing. */
struct chosen {
    const char *toolsets;
    const char *tools;
    const char *exclude;
    bool read_only;
};

static void
choose_tools(struct config *cfg, const struct chosen *chosen)
{
    if (chosen->toolsets)
        cfg->toolsets = chosen->toolsets;
    if (chosen->tools)
        cfg->query_tools = chosen->tools;
    else if (chosen->toolsets)
        cfg->query_tools = "";
    if (chosen->exclude)
        cfg->query_exclude_tools = chosen->exclude;
    cfg->query_read_only |= chosen->read_only;
}

/* Answers until standard input ends.  What keeps it from that is told. */
static enum err
serve(struct config *cfg)
{
    struct agent *agent = NULL;
    struct crawling *crawling = NULL;
    struct ai *ai = NULL;
    struct buf why = {0};
    enum err err = crawling_start(&crawling, cfg, true, &why);
    if (!err)
        err = ai_open(&ai, cfg, false, &why);
    const struct agent_parts parts = {.sources = crawling_rules(crawling),
                                      .vectors = ai_vectors(ai)};
    if (!err)
        err = agent_new(&agent, cfg, &parts, true, &why);
    if (!err)
        err = ai_start(ai, agent_query(agent), world_code(agent_world(agent)),
                       agent_knowledge(agent));
    if (!err)
        err = agent_serve_stdio(agent);
    if (err)
        fprintf(stderr, "spangraph mcp: %s\n",
                why.len ? buf_cstr(&why) : err_str(err));
    ai_stop(ai);
    agent_free(agent);
    ai_close(ai);
    crawling_stop(crawling);
    buf_fini(&why);
    return err;
}

int
cmd_mcp(const struct command *self, int argc, char **argv)
{
    const char *dir = NULL;
    const char *file = NULL;
    struct chosen chosen = {0};
    bool json = false;
    const struct option_spec specs[] = {
        {"config", OPTION_STR, &file, "FILE", "configuration, YAML"},
        {"data", OPTION_STR, &dir, "DIR",
         "folder of the database, instead of store.dir (data)"},
        {"toolsets", OPTION_STR, &chosen.toolsets, "LIST",
         "tools to offer, instead of query.toolsets: default, runtime, graph, "
         "context, knowledge, xplor, sibyl, knowing, all"},
        {"tools", OPTION_STR, &chosen.tools, "LIST",
         "tools to offer by name, these alone, instead of query.tools"},
        {"exclude-tools", OPTION_STR, &chosen.exclude, "LIST",
         "tools not to offer, instead of query.exclude_tools"},
        {"read-only", OPTION_FLAG, &chosen.read_only, NULL,
         "offer no tool that writes, as query.read_only"},
        {"json", OPTION_FLAG, &json, NULL,
         "log JSON, instead of service.log.format"},
    };
    struct config cfg;

    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1)
        return refuse_word(argv[1]);
    if (session_load_config(&cfg, self->name, file, dir))
        return EXIT_USAGE;
    choose_tools(&cfg, &chosen);
    if (json)
        session_log(&cfg, self->name, true);
    (void)signal(SIGPIPE, SIG_IGN);
    err = serve(&cfg);
    config_fini(&cfg);
    return err ? EXIT_CANNOT_RUN : EXIT_CLEAN;
}
