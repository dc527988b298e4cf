/*
 * `spangraph call TOOL key=value...`: any MCP tool, its structured content on
 * standard output.
 */
#include "cmd/call.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmd/config.h"
#include "cmd/crawling.h"
#include "knowledge/knowledge.h"
#include "mcp/tools.h"

static uint32_t
fixed_now(void *ctx)
{
    const struct ask *ask = ctx;

    return (uint32_t)ask->now_s;
}

/* Only what crawls needs the processes for it. */
static enum err
start_crawling(const char *tool, struct config *cfg, struct crawling **out,
               struct buf *why)
{
    if (strcmp(tool, "manage") != 0)
        return OK;
    (void)signal(SIGPIPE, SIG_IGN);
    enum err err = config_init(cfg);
    return err ? err : crawling_start(out, cfg, true, why);
}

int
call_tool(struct ask *ask, const char *tool, const cJSON *args, cJSON **out)
{
    struct tools *tools = NULL;
    struct query *query = NULL;
    struct world *world = NULL;
    struct knowledge *knowledge = NULL;
    struct knowledge_cfg kept = knowledge_cfg_default;
    struct crawling *crawling = NULL;
    struct config config = {0};
    struct buf why = {0};
    const struct query_cfg cfg = {.readers = 1, .ages = confidence_cfg_default};
    int rc = EXIT_CANNOT_RUN;
    enum err err = start_crawling(tool, &config, &crawling, &why);

    *out = NULL;
    kept.sources = crawling_rules(crawling);
    if (!err)
        err = query_open(&query, ask->data, &cfg, &why);
    if (!err)
        err = world_open(&world, ask->data);
    if (!err)
        err = knowledge_open(&knowledge, ask->data, &kept);
    const struct tools_cfg offered = {.query = query,
                                      .world = world,
                                      .knowledge = knowledge,
                                      .data = ask->data,
                                      .index_anywhere = true,
                                      .toolsets = "all"};
    if (!err)
        err = tools_new(&tools, &offered, &why);
    if (!err) {
        if (ask->now_s > 0)
            tools_set_clock(tools, fixed_now, ask);
        err = tools_call(tools, tool, args, out, &why);
        rc = err == ERR_NOT_FOUND || err == ERR_INVALID || err == ERR_AMBIGUOUS
                 ? EXIT_USAGE
                 : EXIT_CANNOT_RUN;
    }
    if (err)
        fprintf(stderr, "spangraph: %s\n",
                why.len ? buf_cstr(&why) : err_str(err));
    else
        rc = EXIT_CLEAN;
    tools_free(tools);
    knowledge_close(knowledge);
    world_close(world);
    query_close(query);
    crawling_stop(crawling);
    config_fini(&config);
    buf_fini(&why);
    return rc;
}

static int
read_arguments(int argc, char **argv, cJSON *args)
{
    struct buf why = {0};
    int rc = EXIT_CLEAN;

    for (int i = 2; i < argc && rc == EXIT_CLEAN; i++) {
        /* A tool that is unknown is told of by the call. */
        enum err err = tools_argument(argv[1], argv[i], args, &why);

        if (err == ERR_INVALID) {
            fprintf(stderr, "spangraph: %s\n", buf_cstr(&why));
            rc = EXIT_USAGE;
        }
    }
    buf_fini(&why);
    return rc;
}

int
cmd_call(const struct command *self, int argc, char **argv)
{
    struct ask ask = ASK_DEFAULT;
    const struct option_spec specs[] = {ASK_OPTIONS(ask)};
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);
    cJSON *args;
    cJSON *out = NULL;
    int rc;

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc < 2) {
        fprintf(stderr, "spangraph: which tool? e.g. `spangraph call "
                        "trace_stats`\n");
        return EXIT_USAGE;
    }
    args = cJSON_CreateObject();
    rc = read_arguments(argc, argv, args);
    if (rc == EXIT_CLEAN)
        rc = call_tool(&ask, argv[1], args, &out);
    if (rc == EXIT_CLEAN)
        rc = ask_print_json(out);
    cJSON_Delete(args);
    return rc;
}
