/*
 * `spangraph call TOOL key=value...`: any MCP tool, its structured content on
 * standard output.
 */
#include "cmd/call.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmd/agent.h"
#include "cmd/config.h"
#include "cmd/crawling.h"
#include "cmd/receives.h"
#include "cmd/session.h"
#include "knowledge/knowledge.h"
#include "mcp/tools.h"

static uint32_t
fixed_now(void *ctx)
{
    const struct ask *ask = ctx;

    return (uint32_t)ask->now_s;
}

/* What a tool reads and writes. */
struct ground {
    struct query *query;
    struct world *world;
    struct knowledge *knowledge;
    struct crawling *crawling;
    struct tools *tools;
    struct buf receives; /* where spans are sent, in words */
};

static void
ground_close(struct ground *ground)
{
    tools_free(ground->tools);
    knowledge_close(ground->knowledge);
    world_close(ground->world);
    query_close(ground->query);
    crawling_stop(ground->crawling);
    buf_fini(&ground->receives);
}

static enum err
ground_open(struct ground *out, const struct config *config, const char *tool,
            struct buf *why)
{
    struct knowledge_cfg kept = knowledge_cfg_default;
    const struct query_cfg cfg = {.readers = 1, .ages = agent_ages(config)};
    enum err err = OK;

    /* Only what crawls needs the processes for it. */
    if (strcmp(tool, "manage") == 0) {
        (void)signal(SIGPIPE, SIG_IGN);
        err = crawling_start(&out->crawling, config, true, why);
    }
    kept.sources = crawling_rules(out->crawling);
    kept.is_strict = config->strict_workflow;
    if (!err)
        err = query_open(&out->query, config->dir, &cfg, why);
    if (!err)
        err = world_open(&out->world, config->dir);
    if (!err)
        err = knowledge_open(&out->knowledge, config->dir, &kept);
    receives_words(config, &out->receives);
    const struct tools_cfg offered = {
        .query = out->query,
        .world = out->world,
        .knowledge = out->knowledge,
        .data = config->dir,
        .index_anywhere = true,
        .search_limit_ns = config->search_timeout_ns,
        .is_efold = strcmp(config->temporal_curve, "efold") == 0,
        .receives = buf_cstr(&out->receives),
        .toolsets = "all"};
    return err ? err : tools_new(&out->tools, &offered, why);
}

void
call_print(FILE *to, const struct wording *words, const char *tool,
           const char *text)
{
    struct buf line = {0};

    wording_put(words, tool, text, &line);
    fprintf(to, "%s\n", buf_cstr(&line));
    buf_fini(&line);
}

/* Says |why|, or if that is empty what |err| is. */
static void
complain(const char *tool, const struct wording *words, struct buf *why,
         enum err err)
{
    const char *text = why->len ? buf_cstr(why) : err_str(err);

    fputs("spangraph: ", stderr);
    if (words)
        call_print(stderr, words, tool, text);
    else
        fprintf(stderr, "%s\n", text);
}

int
call_tool(struct ask *ask, const char *tool, const cJSON *args,
          const struct wording *words, cJSON **out)
{
    struct ground ground = {0};
    struct config config;
    struct buf why = {0};
    int rc = EXIT_CANNOT_RUN;

    *out = NULL;
    if (session_load_config(&config, "call", ask->config, ask->data))
        return EXIT_USAGE;
    enum err err = ground_open(&ground, &config, tool, &why);
    struct tools *tools = ground.tools;

    if (!err) {
        if (ask->now_s > 0)
            tools_set_clock(tools, fixed_now, ask);
        err = tools_call(tools, tool, args, out, &why);
        rc = err == ERR_NOT_FOUND || err == ERR_INVALID || err == ERR_AMBIGUOUS
                 ? EXIT_USAGE
                 : EXIT_CANNOT_RUN;
    }
    if (err)
        complain(tool, words, &why, err);
    else
        rc = EXIT_CLEAN;
    ground_close(&ground);
    config_fini(&config);
    buf_fini(&why);
    return rc;
}

const char *
call_text(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsString(item) ? item->valuestring : "";
}

double
call_number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsNumber(item) ? item->valuedouble : 0;
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

/* Behind the help of the command: of the tool that was named, or of all. */
static void
print_tools(int argc, char **argv)
{
    struct buf help = {0};
    const char *tool = "";

    for (int i = 1; i < argc; i++)
        if (tools_has(argv[i]))
            tool = argv[i];
    tools_help(tool, &help);
    fputs(buf_cstr(&help), stdout);
    buf_fini(&help);
}

int
cmd_call(const struct command *self, int argc, char **argv)
{
    struct ask ask = ASK_DEFAULT;
    const struct option_spec specs[] = {
        ASK_OPTIONS(ask),
        {"config", OPTION_STR, &ask.config, "FILE",
         "configuration, YAML: what may be crawled, the folder of the "
         "database, ages, limits"},
    };
    const char *data = ask.data;

    ask.data = NULL;
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);
    cJSON *args;
    cJSON *out = NULL;
    int rc;

    if (err == ERR_CANCELLED)
        print_tools(argc, argv);
    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (!ask.data && !ask.config)
        ask.data = data; /* else the configuration says */
    if (argc < 2) {
        fprintf(stderr, "spangraph: which tool? e.g. `spangraph call "
                        "trace_stats`; `spangraph call --help` has all\n");
        return EXIT_USAGE;
    }
    args = cJSON_CreateObject();
    rc = read_arguments(argc, argv, args);
    if (rc == EXIT_CLEAN)
        rc = call_tool(&ask, argv[1], args, NULL, &out);
    if (rc == EXIT_CLEAN)
        rc = ask_print_json(out);
    cJSON_Delete(args);
    return rc;
}
