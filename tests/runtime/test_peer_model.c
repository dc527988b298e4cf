/* Whom a span of a model calls, and that one of an agent calls nobody: as the
 * instrumentations of OpenAI, Anthropic, LangChain, botocore and the SDK of
 * OpenAI's agents send them. */
#include "tests/runtime/intake_fixture.h"

static void
a_model_is_asked_of_its_provider(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_CLIENT, "chat gpt-x", {"gen_ai.operation.name=chat",
         "gen_ai.provider.name=openai", "gen_ai.system=openai",
         "server.address=localhost", "server.port=443"},
         NULL, "external openai", OUT},
        {SPAN_CLIENT, "openai.embeddings", {"gen_ai.operation.name=embeddings",
         "gen_ai.provider.name=openai"}, NULL, "external openai", OUT},
        /* Before there was a provider; and as it was written then. */
        {SPAN_CLIENT, "chat m", {"gen_ai.operation.name=chat",
         "gen_ai.system=aws.bedrock", "rpc.system=aws-api",
         "rpc.method=Converse"}, NULL, "external aws.bedrock", OUT},
        {SPAN_CLIENT, "anthropic.chat", {"gen_ai.system=Anthropic"}, NULL,
         "external anthropic", OUT},
        {SPAN_CLIENT, "chat m", {"gen_ai.provider.name=openai",
         "peer.service=gateway"}, NULL, "external gateway", OUT},
        {SPAN_CLIENT, "x", {"gen_ai.operation.name=chat"}, NULL, NULL, OUT},
        /* What stores vectors is a database all the same. */
        {SPAN_CLIENT, "query", {"gen_ai.system=openai", "db.system=pinecone",
         "server.address=v"}, NULL, "database v", OUT | STUB_DB},
        /* Who asks a gateway is no provider. */
        {SPAN_SERVER, "chat m", {"gen_ai.provider.name=openai"}, "service s",
         NULL, IN},
        {SPAN_INTERNAL, "chat m", {"gen_ai.provider.name=openai"}, NULL, NULL,
         0},
    };
    /* clang-format on */

    CHECK(rows);
}

static void
an_agent_is_around_what_it_calls(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_CLIENT, "invoke_agent helper",
         {"gen_ai.operation.name=invoke_agent", "gen_ai.provider.name=openai",
          "server.address=api.openai.com", "server.port=443"}, NULL, NULL, 0},
        {SPAN_CLIENT, "execute_tool add",
         {"gen_ai.operation.name=execute_tool"}, NULL, NULL, 0},
        {SPAN_CLIENT, "invoke_agent far", {"gen_ai.operation.name=invoke_agent",
         "peer.service=far"}, NULL, "external far", OUT},
        /* A tool of MCP is called where its server is. */
        {SPAN_CLIENT, "tools/call add", {"gen_ai.operation.name=execute_tool",
         "mcp.method.name=tools/call", "gen_ai.tool.name=add"}, NULL, NULL,
         OUT},
    };
    /* clang-format on */

    CHECK(rows);
}

/* Anthropic's SDK tells of each call by itself, beside its instrumentation. */
static void
a_model_may_be_told_of_twice(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_CLIENT, "anthropic.chat", {"gen_ai.operation.name=chat",
         "gen_ai.provider.name=anthropic"}, NULL, "external anthropic",
         OUT | STUB_ABOVE},
        {SPAN_CLIENT, "x", {"gen_ai.operation.name=chat"}, NULL, NULL, OUT},
        {SPAN_CLIENT, "x", {"gen_ai.operation.name=chat",
         "gen_ai.provider.name=anthropic", "peer.service=far"}, NULL,
         "external far", OUT},
    };
    /* clang-format on */

    f->scope = STR("opentelemetry.instrumentation.anthropic");
    CHECK(rows);
}

static void
whoever_asks_for_hosts_gets_the_models(void **state)
{
    struct fixture *f = *state;
    /* clang-format off */
    static const struct row rows[] = {
        {SPAN_CLIENT, "chat m", {"gen_ai.operation.name=chat",
         "gen_ai.provider.name=openai", "server.address=llm.example"},
         NULL, "external llm.example", OUT},
        {SPAN_CLIENT, "chat m", {"gen_ai.operation.name=chat",
         "gen_ai.provider.name=openai", "server.address=10.0.0.7"},
         NULL, "external openai", OUT},
    };
    /* clang-format on */

    f->cfg.external_by_address = true;
    CHECK(rows);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_model_is_asked_of_its_provider),
        TEST(an_agent_is_around_what_it_calls),
        TEST(a_model_may_be_told_of_twice),
        TEST(whoever_asks_for_hosts_gets_the_models),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
