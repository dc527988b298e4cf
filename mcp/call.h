/*
 * call - one request under way, from its message to its answer.
 *
 * A transport (http, stdio) parses a message, decides its revision and fills a
 * struct mcp_call; call_run finds the method and runs it; the method ends in
 * one call_result or call_error, which hands the finished JSON back to the
 * transport through its channel.
 *
 * Threads    A call belongs to one thread at a time; only |gone|, |mute| and
 *            |cancelled| are set from outside.
 */
#ifndef MCP_CALL_H
#define MCP_CALL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/str.h"
#include "mcp/jsonrpc.h"
#include "mcp/pending.h"
#include "mcp/state.h"

struct channel {
    /* Sends a message ahead of the answer; false if that cannot be done. */
    bool (*send)(struct mcp_call *call, str json);
    /* Sends the answer.  |status| is HTTP's. */
    void (*answer)(struct mcp_call *call, int status, str json);
    /* Ends the call without an answer: nobody waits for it. */
    void (*drop)(struct mcp_call *call);
    /* Sends something without meaning; false when the client is gone. */
    bool (*beat)(struct mcp_call *call);
};

struct method;

struct mcp_call {
    struct mcp *mcp;
    const struct channel *channel;
    void *channel_ctx; /* struct request or struct stdio */
    struct rpc_msg msg;
    enum mcp_rev rev;
    const struct method *method;
    struct live_entry live;
    struct mcp_call *next; /* in a transport's queue */
    uint32_t share;        /* whose it is (net/request.h) */
    atomic_bool gone;      /* the client's connection */
    atomic_bool mute;      /* the client: it reads, but says no more */
    atomic_bool cancelled;
    bool can_stream;   /* the client takes more than one message */
    bool must_stream;  /* and takes nothing else */
    bool is_streaming; /* the answer's head has been sent */
    bool failed;
    enum rpc_code refusal; /* a protocol error instead of a result */
    cJSON *refusal_data;
    struct buf fault;  /* what mcp_fail said */
    double progress;   /* the last one told */
    uint64_t begun_ns; /* monotonic */
    int log_level;     /* the least severe wanted, as an index; -1: none */

    /* What its answer may be kept for; empty: not. */
    struct buf question;
    uint64_t asked_version;
    uint64_t asked_ns;
    bool renews; /* what is kept must not answer it */
};

/* Returns NULL when there are MCP_CALLS_MAX already, or no memory. */
struct mcp_call *
call_new(struct mcp *mcp, const struct channel *channel, void *channel_ctx);
void call_free(struct mcp_call *call);

/* call_meta is the member |name| of params._meta, or NULL. */
cJSON *call_meta(const struct mcp_call *call, const char *name);

/* call_claims_version: does `_meta` name a protocol version. */
bool call_claims_version(const struct mcp_call *call);

/* call_check_meta and call_check_version: is `_meta` whole, is its version
 * served.  If not, they have answered. */
bool call_check_meta(struct mcp_call *call);
bool call_check_version(struct mcp_call *call);

/* call_find looks up the method; false: it has answered that there is none. */
bool call_find(struct mcp_call *call);

/* call_may_block says whether the method found may take its time. */
bool call_may_block(const struct mcp_call *call);

/* call_answer_kept answers the method found, if what is kept answers it. */
bool call_answer_kept(struct mcp_call *call);

/* call_run runs the method found, which answers.  The call is then freed by who
 * made it; a subscription goes on in a call of its own. */
void call_run(struct mcp_call *call);

/* call_result answers with the members |members|, JSON without the braces;
 * call_result_as with another resultType than "complete". */
void call_result(struct mcp_call *call, str members);
void call_result_as(struct mcp_call *call, const char *type, str members);

/* call_error answers with an error; |data| is taken. */
void
call_error(struct mcp_call *call, int status, enum rpc_code code, cJSON *data,
           const char *format, ...) __attribute__((format(printf, 5, 6)));

/* call_notify sends a notification ahead of the answer; |params| is taken. */
bool call_notify(struct mcp_call *call, const char *method, cJSON *params);

#endif
