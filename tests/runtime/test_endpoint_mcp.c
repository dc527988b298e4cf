/* What a span of MCP serves, as FastMCP 3 and 4 and the SDKs of MCP send it,
 * and what else is called by a name of no RPC service. */
#include "tests/runtime/intake_fixture.h"

static void
a_server_of_mcp_serves_tools_and_prompts_by_name(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_SERVER, "tools/call add", {"mcp.method.name=tools/call",
         "gen_ai.tool.name=add"}, "rpc tools/call add", NULL, IN},
        {SPAN_SERVER, "prompts/get hi", {"mcp.method.name=prompts/get",
         "gen_ai.prompt.name=hi"}, "rpc prompts/get hi", NULL, IN},
        {SPAN_SERVER, "tools/list", {"mcp.method.name=tools/list"},
         "rpc tools/list", NULL, IN},
        {SPAN_SERVER, "ping", {"mcp.method.name=ping"}, "rpc ping", NULL, IN},
        /* Who leaves the attribute out has it in the name. */
        {SPAN_SERVER, "tools/call sub", {"mcp.method.name=tools/call"},
         "rpc tools/call sub", NULL, IN},
        {SPAN_SERVER, "MCP handle", {"mcp.method.name=tools/call"},
         "rpc tools/call", NULL, IN},
        {SPAN_SERVER, "tools/call", {"mcp.method.name=tools/call"},
         "rpc tools/call", NULL, IN},
        /* A resource is one of as many as there are values. */
        {SPAN_SERVER, "resources/read doc://17",
         {"mcp.method.name=resources/read"}, "rpc resources/read", NULL, IN},
        {SPAN_SERVER, "notifications/initialized",
         {"mcp.method.name=notifications/initialized",
          "gen_ai.tool.name=add"}, "rpc notifications/initialized", NULL, IN},
        /* FastMCP 3 tells its server's name as an RPC's service. */
        {SPAN_SERVER, "tools/call add", {"mcp.method.name=tools/call",
         "gen_ai.tool.name=add", "rpc.system=mcp", "rpc.service=math",
         "rpc.method=tools/call"}, "rpc tools/call add", NULL, IN},
        {SPAN_SERVER, "tools/nope", {"mcp.method.name=tools/nope",
         "rpc.response.status_code=-32601"}, "rpc tools/nope", NULL,
         IN | STUB_DENIED},
        /* The request that carries it is of its route. */
        {SPAN_SERVER, "POST /mcp", {"mcp.method.name=tools/call",
         "gen_ai.tool.name=add", "http.request.method=POST",
         "http.route=/mcp"}, "route POST /mcp", NULL, IN},
        {SPAN_SERVER, "tools/call", {"mcp.method.name=tools/call",
         "http.method=POST", "http.route=/mcp"}, "route POST /mcp", NULL, IN},
        {SPAN_SERVER, "x", {"gen_ai.tool.name=add"}, "service s", NULL, IN},
        {SPAN_CLIENT, "tools/call add", {"mcp.method.name=tools/call",
         "gen_ai.tool.name=add"}, NULL, NULL, OUT},
    };
    /* clang-format on */

    CHECK(rows);
}

static uint8_t
source_of(struct fixture *f, const char *const *attrs)
{
    set_all(&f->attrs, attrs);
    struct stub stub =
        send(f, (struct span){.kind = SPAN_SERVER, .name = STR("x")});

    return nodes_get(f->nodes, stub.endpoint).source;
}

/* Only that of an RPC service says what its methods are. */
static void
what_is_no_method_of_an_rpc_service_says_so(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *attrs[ATTRS_MAX];
        uint8_t source;
    } rows[] = {
        {{"mcp.method.name=tools/list"}, ROUTE_SOURCE_HEURISTIC},
        {{"faas.name=app/fn", "faas.trigger=timer"}, ROUTE_SOURCE_HEURISTIC},
        {{"rpc.system=jsonrpc", "rpc.method=textDocument/hover"},
         ROUTE_SOURCE_HEURISTIC},
        {{"rpc.system.name=jsonrpc", "rpc.method=eth_call"},
         ROUTE_SOURCE_HEURISTIC},
        {{"rpc.system=grpc", "rpc.service=Cart", "rpc.method=Add"},
         ROUTE_SOURCE_NONE},
    };

    set_all(&f->resource, (const char *const[]){"service.name=s", NULL});
    for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
        size_t at = i % (sizeof(rows) / sizeof(*rows));
        assert_int_equal(source_of(f, rows[at].attrs), rows[at].source);
    }
}

/* Whoever asks says what tool; that there is none is told later. */
static void
tools_by_the_thousand_end_in_one(void **state)
{
    struct fixture *f = *state;
    uint32_t before = nodes_len(f->nodes);
    char pair[64];

    set_all(&f->resource, (const char *const[]){"service.name=s", NULL});
    for (int i = 0; i < 4000; i++) {
        (void)snprintf(pair, sizeof(pair), "gen_ai.tool.name=t%d", i);
        set_all(&f->attrs, (const char *const[]){"mcp.method.name=tools/call",
                                                 pair, NULL});
        (void)send(f, (struct span){.kind = SPAN_SERVER, .name = STR("x")});
    }
    assert_in_range(nodes_len(f->nodes) - before, 3001, 3004);
    struct stub stub =
        send(f, (struct span){.kind = SPAN_SERVER, .name = STR("x")});
    check_node(f, "one more", stub.endpoint, "rpc " NODE_NAME_OVERFLOW);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_server_of_mcp_serves_tools_and_prompts_by_name),
        TEST(what_is_no_method_of_an_rpc_service_says_so),
        TEST(tools_by_the_thousand_end_in_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
