/*
 * What users say of symbols.  It is kept beside the code, which has one writer
 * at a time: while an index is written a word must wait, but not for long.
 */
#include <time.h>

#include "graph/feedback.h"
#include "mcp/tools_args.h"
#include "mcp/tools_code.h"
#include "mcp/tools_context.h"
#include "mcp/tools_reply.h"

enum { TRIES = 11, WAIT_MS = 100 };

/* A symbol of the code: what was said expires with its code. */
static uint32_t
read_symbol(struct tool_run *run, const struct joined *joined)
{
    uint32_t place = tool_place(run, joined, "symbol_hash");
    uint32_t vertex = joined_vertex(joined, place);

    if (!run->err && !vertex)
        tool_fail(run, ERR_INVALID,
                  "feedback is kept on symbols of the code; '%.80s' is known "
                  "from traces only",
                  tool_str(run, "symbol_hash").ptr);
    return vertex;
}

static enum err
keep(struct tool_run *run, const struct joined *joined,
     const struct feedback_word *word)
{
    const struct timespec pause = {.tv_nsec = WAIT_MS * 1000000L};
    struct buf why = {0};
    enum err err = ERR_BUSY;

    for (int i = 0; i < TRIES && err == ERR_BUSY; i++) {
        if (i > 0)
            nanosleep(&pause, NULL);
        buf_reset(&why);
        err = feedback_record(world_code(run->tools->cfg.world), joined->code,
                              word, &why);
    }
    if (err == ERR_BUSY)
        tool_fail(run, err,
                  "an index is being written, so feedback cannot be kept now; "
                  "try again in a minute");
    else if (err)
        tool_fail(run, err, "feedback could not be kept: %s", buf_cstr(&why));
    buf_fini(&why);
    return err;
}

static void
record(struct tool_run *run, const struct joined *joined, uint32_t vertex)
{
    const cJSON *useful = cJSON_GetObjectItemCaseSensitive(run->args, "useful");
    const struct feedback_word word = {
        .node = vertex,
        .useful = cJSON_IsTrue(useful),
        .session = tool_str(run, "session_id"),
        .at_s = query_now_s(run->view),
    };

    if (!run->err && !cJSON_IsBool(useful))
        tool_fail(run, ERR_INVALID,
                  "useful (true or false) is required to record");
    if (!run->err &&
        (word.session.len == 0 || word.session.len > FEEDBACK_SESSION_MAX))
        tool_fail(run, ERR_INVALID,
                  "session_id (1 to %d bytes) is required to record",
                  FEEDBACK_SESSION_MAX);
    if (run->err || keep(run, joined, &word))
        return;
    cJSON_AddStringToObject(run->reply, "status", "recorded");
    reply_summary(run, "recorded; it counts in context_for_task and the "
                       "like until the code of the symbol changes");
}

static void
query(struct tool_run *run, const struct joined *joined, uint32_t vertex)
{
    struct feedback feedback = {0};
    struct buf why = {0};
    enum err err = feedback_load(world_code(run->tools->cfg.world),
                                 joined->code, vertex, &feedback, &why);
    const struct feedback_sum *found = feedback_of(&feedback, vertex);
    struct feedback_sum sum = found ? *found : (struct feedback_sum){0};
    double all = (double)sum.useful + sum.not_useful;

    if (err) {
        tool_fail(run, err, "feedback cannot be read: %s", buf_cstr(&why));
        goto out;
    }
    put_num(run->reply, "useful_count", sum.useful);
    put_num(run->reply, "not_useful_count", sum.not_useful);
    put_round(run->reply, "usefulness_ratio", all > 0 ? sum.useful / all : -1);
    put_num(run->reply, "expired_count", sum.expired);
    put_time(run->reply, "last_recorded", sum.last_s);
    reply_summary(run, "%u useful, %u not useful, %u expired with older code",
                  sum.useful, sum.not_useful, sum.expired);
out:
    buf_fini(&why);
    feedback_fini(&feedback);
}

void
tool_feedback(struct tool_run *run)
{
    str action = tool_str(run, "action");
    const struct joined *joined = tool_joined(run);
    uint32_t vertex = joined ? read_symbol(run, joined) : 0;
    bool is_query = str_eq(action, STR("query"));

    if (!run->err && !is_query && !str_eq(action, STR("record")))
        tool_fail(run, ERR_INVALID, "action is \"record\" or \"query\"");
    if (!joined || run->err)
        return;
    put_hash(run->reply, "symbol_hash", code_node(joined->code, vertex)->hash);
    put_place_name(run, joined, run->reply, "symbol", vertex);
    if (is_query)
        query(run, joined, vertex);
    else
        record(run, joined, vertex);
}
