/*
 * The table of subcommands, and nothing else.
 */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cmd/options.h"

static const struct command commands[] = {
    {"serve", "serve [options]",
     "Receive traces (OTLP on 4317 and 4318), keep the graph, answer MCP on "
     "8080.",
     cmd_serve},
    {"mcp", "mcp [options]",
     "Answer MCP on standard input and output, for an agent on this machine.",
     cmd_mcp},
    {"ingest", "ingest [options] FILE...",
     "Take in traces from files: OTLP JSON, JSON lines, protobuf; - is "
     "standard input.",
     cmd_ingest},
    {"edges", "edges [options]", "Print the edges of the graph.", cmd_edges},
    {"export", "export [options]",
     "Print the graph for other tools: DOT, Mermaid, GraphML, CSV, JSON.",
     cmd_export},
    {"dead-routes", "dead-routes [options]",
     "Print routes without traffic, each with its verdict and the evidence.",
     cmd_dead_routes},
    {"stats", "stats [options]", "Print what was taken in and what is held.",
     cmd_stats},
    {"explain", "explain [options] SERVICE [SERVICE]",
     "Say why an edge is there, or is not.", cmd_explain},
    {"call", "call [options] TOOL [key=value...]",
     "Call an MCP tool and print its answer.", cmd_call},
    {"index", "index [options] [FOLDER]",
     "Read a repository: its calls, routes and services, beside the traces.",
     cmd_index},
    {"routes", "routes [options]",
     "Print every known route: of the code, with its handler, and observed.",
     cmd_routes},
    {"calls", "calls [options]",
     "Print every call in the code: who, whom, where, and how it is known.",
     cmd_calls},
    {"query", "query [options] [PREFIX]",
     "Find names of the code and of traces by their beginning.", cmd_query},
    {"callers", "callers [options] NAME",
     "Print who calls a function or route, in the code and observed.",
     cmd_callers},
    {"callees", "callees [options] NAME",
     "Print what a function or route calls.", cmd_callees},
    {"path", "path [options] FROM TO",
     "Print the ways from one function or route to another.", cmd_path},
    {"diff", "diff [options] OLD NEW",
     "Print what has changed in the code between two commits or snapshots.",
     cmd_diff},
    {"import-scip", "import-scip [options] FILE [FOLDER]",
     "Index with a compiler's references: a SCIP index of the same commit.",
     cmd_import_scip},
    {"index-worker", "index-worker", NULL, cmd_index_worker},
    {"import-routes", "import-routes [options] --service NAME FILE",
     "Declare the routes of a service from OpenAPI (JSON, YAML) or a list.",
     cmd_import_routes},
    {"check-config", "check-config [options] [FILE]",
     "Read a configuration, say what is wrong, print what is in force.",
     cmd_check_config},
    {"version", "version", "Print the version.", cmd_version},
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static void
print_usage(FILE *to)
{
    fprintf(to, "usage: spangraph COMMAND [options]\n\n"
                "spangraph shows the paths your code actually walks: traces "
                "in, living call graph out.\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].summary)
            fprintf(to, "  %-14s %s\n", commands[i].name, commands[i].summary);
    fprintf(to, "\nspangraph COMMAND --help says more.  Start with: "
                "spangraph serve\n");
}

static int
complain(const char *word)
{
    const char *names[COMMANDS];

    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    const char *near = nearest_name(names, COMMANDS, str_of(word));
    fprintf(stderr, "spangraph: no command \"%s\"", word);
    if (near)
        fprintf(stderr, "; did you mean %s?", near);
    fprintf(stderr, "\nSee spangraph --help.\n");
    return EXIT_USAGE;
}

int
main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return EXIT_CLEAN;
    }
    const char *word = strcmp(argv[1], "--version") == 0 ? "version" : argv[1];
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, word) == 0)
            return commands[i].run(&commands[i], argc - 1, argv + 1);
    }
    return complain(word);
}
