/*
 * The table of subcommands, and nothing else.
 */
#include "cmd/commands.h"

const struct command commands[] = {
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
     "Print the graph for other tools: DOT, Mermaid, GraphML, CSV, JSON, "
     "Grafana, Backstage.",
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
    {"index-worker", "index-worker", NULL, cmd_index_worker},
    {"import-routes", "import-routes [options] --service NAME FILE",
     "Declare the routes of a service from OpenAPI (JSON, YAML) or a list.",
     cmd_import_routes},
    {"openapi-diff", "openapi-diff [options] --service NAME FILE",
     "Compare a document's routes with those observed and those of the code.",
     cmd_openapi_diff},
    {"check-config", "check-config [options] [FILE]",
     "Read a configuration, say what is wrong, print what is in force.",
     cmd_check_config},
    {"backup", "backup [options] FILE",
     "Write all databases into one tar file, while the service runs.",
     cmd_backup},
    {"restore", "restore [options] FILE",
     "Put the databases of a backup in place; nothing may be writing them.",
     cmd_restore},
    {"completion", "completion bash|zsh|fish",
     "Print what makes the shell complete commands and options.",
     cmd_completion},
    {"man", "man", "Print the manual page, in roff.", cmd_man},
    {"version", "version", "Print the version.", cmd_version},
};

const size_t command_len = sizeof(commands) / sizeof(commands[0]);
