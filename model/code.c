#include "model/code.h"

static const char *const kinds[CODE_KIND_END] = {
    [CODE_NONE] = "none",
    [CODE_FILE] = "file",
    [CODE_PACKAGE] = "package",
    [CODE_FUNCTION] = "function",
    [CODE_METHOD] = "method",
    [CODE_TYPE] = "type",
    [CODE_INTERFACE] = "interface",
    [CODE_CONST] = "const",
    [CODE_VAR] = "var",
    [CODE_FIELD] = "field",
    [CODE_ROUTE] = "route_handler",
    [CODE_RPC] = "rpc",
    [CODE_TOPIC] = "topic",
    [CODE_EXTERNAL] = "external",
};

static const char *const edges[CODE_EDGE_END] = {
    [CODE_EDGE_NONE] = "none",
    [CODE_CALLS] = "calls",
    [CODE_IMPORTS] = "imports",
    [CODE_IMPLEMENTS] = "implements",
    [CODE_EXTENDS] = "extends",
    [CODE_OVERRIDES] = "overrides",
    [CODE_HANDLES_ROUTE] = "handles_route",
    [CODE_PUBLISHES] = "publishes",
    [CODE_SUBSCRIBES] = "subscribes",
    [CODE_CONSUMES] = "consumes_endpoint",
    [CODE_TESTS] = "tests",
    [CODE_CONTAINS] = "contains",
    [CODE_REFERENCES] = "references",
    [CODE_MAY_DISPATCH] = "may_dispatch",
    [CODE_MAY_CALL] = "may_call",
};

static const struct {
    const char *name;
    double confidence;
} provenances[CODE_PROVENANCE_END] = {
    [CODE_BY_NONE] = {"none", 0},
    [CODE_BY_STRUCTURE] = {"structural", 1.0},
    [CODE_BY_SCIP] = {"scip_resolved", 1.0},
    [CODE_BY_SCOPE] = {"lexical", 0.99},
    [CODE_BY_IMPORT] = {"import", 0.99},
    [CODE_BY_SELF] = {"self", 0.99},
    [CODE_BY_TYPE] = {"receiver_type", 0.98},
    [CODE_BY_SINGLE] = {"single_implementation", 0.9},
    [CODE_BY_FRAMEWORK] = {"framework", 0.95},
    [CODE_BY_UNIQUE] = {"heuristic_unique", 0.4},
    [CODE_BY_CANDIDATE] = {"candidate", 0.25},
};

const char *
code_kind_str(uint8_t kind)
{
    return kinds[kind < CODE_KIND_END ? kind : CODE_NONE];
}

const char *
code_edge_str(uint8_t type)
{
    return edges[type < CODE_EDGE_END ? type : CODE_EDGE_NONE];
}

uint8_t
code_edge_of(str word)
{
    for (int type = CODE_EDGE_NONE + 1; type < CODE_EDGE_END; type++)
        if (str_eq(word, str_of(edges[type])))
            return (uint8_t)type;
    return CODE_EDGE_NONE;
}

const char *
code_provenance_str(uint8_t provenance)
{
    return provenances[provenance < CODE_PROVENANCE_END ? provenance
                                                        : CODE_BY_NONE]
        .name;
}

double
code_provenance_confidence(uint8_t provenance)
{
    return provenances[provenance < CODE_PROVENANCE_END ? provenance
                                                        : CODE_BY_NONE]
        .confidence;
}
