/*
 * bench_mcp - CPU time a tools/call beside its query, and the limit of it.
 *
 *     bench_mcp [calls a round] [rounds]
 *
 * The query is a tool that answers a fixed row.  The limit is what cJSON alone
 * needs to parse the same request and to build and print the same answer.
 * Each round runs all contestants once; printed is the median of the rounds, in
 * CPU time of this thread.  Exit status 1 when the promise is broken.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mcp/mcp.h"

enum { ROUNDS_MAX = 99, PROMISE_US = 15 };

#define ARGS                                                            \
    "\"name\":\"trace_stats\",\"arguments\":{\"service\":\"checkout\"," \
    "\"since\":\"24h\",\"limit\":20}"
#define META                                                                  \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","  \
    "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"bench\",\"version\":" \
    "\"1.0.0\"},\"io.modelcontextprotocol/clientCapabilities\":{}}"

static const char new_call[] = "{\"jsonrpc\":\"2.0\",\"id\":12345,\"method\":"
                               "\"tools/call\",\"params\":{" ARGS "," META "}}";
static const char old_call[] = "{\"jsonrpc\":\"2.0\",\"id\":12345,\"method\":"
                               "\"tools/call\",\"params\":{" ARGS "}}";
static const char new_list[] = "{\"jsonrpc\":\"2.0\",\"id\":12345,\"method\":"
                               "\"tools/list\",\"params\":{" META "}}";

struct fake {
    struct request req;
    size_t bytes; /* of all answers */
    int status;   /* of the last */
    char answer[1024];
};

struct contestant {
    const char *name;
    const char *body;
    const char *method; /* NULL: cJSON alone */
    bool is_new;
    double us[ROUNDS_MAX];
};

static cJSON *
trace_stats(void *ctx, struct mcp_call *call, const cJSON *args)
{
    cJSON *stats = cJSON_CreateObject();

    (void)ctx, (void)call;
    cJSON_AddStringToObject(
        stats, "service",
        cJSON_GetStringValue(
            cJSON_GetObjectItemCaseSensitive(args, "service")));
    cJSON_AddNumberToObject(stats, "spans", 123456);
    cJSON_AddNumberToObject(stats, "edges", 789);
    cJSON_AddNumberToObject(stats, "p99_ms", 12.3);
    cJSON_AddStringToObject(stats, "last_seen", "2026-11-21T10:00:00Z");
    return stats;
}

static const struct mcp_tool tools[] = {{
    .name = "trace_stats",
    .description = "Counts.",
    .input_schema =
        "{\"type\":\"object\",\"properties\":{\"service\":{\"type\":\"string\","
        "\"maxLength\":256},\"since\":{\"type\":\"string\",\"default\":\"24h\"}"
        ","
        "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":500,"
        "\"default\":20}},\"required\":[\"service\"],"
        "\"additionalProperties\":false}",
    .output_schema = "{\"type\":\"object\"}",
    .read_only = true,
    .fn = trace_stats,
}};
static const struct mcp_offer offer = {
    .name = "bench",
    .version = "1.0.0",
    .tools = tools,
    .tool_len = 1,
};

/* ---- contestants ---- */

static void
take_reply(struct request *req, const struct reply *reply)
{
    struct fake *fake = (struct fake *)(void *)req;
    size_t len = reply->body.len < sizeof(fake->answer) - 1
                     ? reply->body.len
                     : sizeof(fake->answer) - 1;

    fake->status = reply->status;
    fake->bytes += reply->body.len;
    memcpy(fake->answer, reply->body.ptr, len);
    fake->answer[len] = '\0';
}

static void
post(struct mcp *mcp, struct fake *fake, const struct contestant *one,
     size_t calls)
{
    static const struct request_ops ops = {.reply = take_reply};
    const struct header headers[] = {
        {STR("host"), STR("127.0.0.1:8080")},
        {STR("user-agent"), STR("bench/1.0")},
        {STR("content-type"), STR("application/json")},
        {STR("accept"), STR("application/json, text/event-stream")},
        {STR("mcp-protocol-version"),
         one->is_new ? STR("2026-07-28") : STR("2025-11-25")},
        {STR("mcp-method"), str_of(one->method)},
        {STR("mcp-name"), STR("trace_stats")},
    };

    fake->req = (struct request){
        .ops = &ops,
        .method = STR("POST"),
        .path = STR("/mcp"),
        .body = str_of(one->body),
        .headers = headers,
        .header_len = sizeof(headers) / sizeof(headers[0]),
    };
    for (size_t i = 0; i < calls; i++)
        mcp_http_handle(mcp, &fake->req);
}

/* Parses the request and the answer's tree once, prints the tree. */
static void
only_cjson(struct fake *fake, const char *body, size_t calls)
{
    for (size_t i = 0; i < calls; i++) {
        cJSON *request = cJSON_Parse(body);
        cJSON *answer = cJSON_Parse(fake->answer);
        char *text = cJSON_PrintUnformatted(answer);
        fake->bytes += strlen(text);
        cJSON_free(text);
        cJSON_Delete(answer);
        cJSON_Delete(request);
    }
}

/* ---- rounds ---- */

static double
cpu_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int
by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double
median(double *values, size_t len)
{
    qsort(values, len, sizeof(*values), by_value);
    return values[len / 2];
}

static size_t
number(const char *text, size_t otherwise, size_t most)
{
    size_t value = text ? strtoul(text, NULL, 10) : otherwise;

    return value < 1 ? 1 : value > most ? most : value;
}

int
main(int argc, char **argv)
{
    static const struct mcp_cfg cfg = {0};
    static struct contestant all[] = {
        {"tools/call 2026-07-28", new_call, "tools/call", true, {0}},
        {"tools/call 2025-11-25", old_call, "tools/call", false, {0}},
        {"tools/list 2026-07-28", new_list, "tools/list", true, {0}},
        {"cJSON alone, same bytes", new_call, NULL, true, {0}},
    };
    enum { ALL = sizeof(all) / sizeof(all[0]) };
    size_t calls = number(argc > 1 ? argv[1] : NULL, 20000, 10000000);
    size_t rounds = number(argc > 2 ? argv[2] : NULL, 9, ROUNDS_MAX);
    struct fake fake = {0};
    struct mcp *mcp = NULL;

    if (mcp_new(&mcp, &offer, &cfg))
        return 1;
    for (size_t r = 0; r < rounds; r++) {
        for (size_t i = 0; i < ALL; i++) {
            struct fake *to = &fake;
            if (!all[i].method) /* the answer of the first contestant */
                post(mcp, to, &all[0], 1);
            double from = cpu_us();
            if (all[i].method)
                post(mcp, to, &all[i], calls);
            else
                only_cjson(to, all[i].body, calls);
            all[i].us[r] = (cpu_us() - from) / (double)calls;
            if (to->status != 200)
                return 1;
        }
    }
    double limit = median(all[ALL - 1].us, rounds);
    for (size_t i = 0; i < ALL; i++) {
        double us = median(all[i].us, rounds);
        printf("%-24s %6.2f us  %.2f of cJSON alone\n", all[i].name, us,
               us / limit);
    }
    printf("promise: at most %d us a tools/call beside its query\n",
           PROMISE_US);
    mcp_free(mcp);
    return median(all[0].us, rounds) > PROMISE_US;
}
