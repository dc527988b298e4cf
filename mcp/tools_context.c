/*
 * Context: seeds from words or files, then what lies around them, packed to a
 * budget.  The reply is as long as the caller asked for with token_budget, so
 * the bound of lists (TOOLS_REPLY_BYTES) does not hold here.
 */
#include "mcp/tools_context.h"

#include <stdlib.h>
#include <string.h>

#include "graph/context.h"
#include "graph/words.h"
#include "mcp/context_format.h"
#include "mcp/tools_args.h"
#include "mcp/tools_code.h"
#include "mcp/tools_reply.h"

/* A client has a bound for what one tool may say (some 25,000 tokens, or 50,000
 * characters), so that is not what is given unasked. */
enum { SEEDS_MAX = 25, BUDGET_DEFAULT = 8000, BUDGET_MAX = 200000 };

/* Of the words' hits, those below are noise. */
#define SEED_SCORE_MIN 0.2
/* What a task names counts for so many of the best other hits. */
#define EXACT_WEIGHT 3.0
/* A changed constant or field says less of a file than its functions. */
#define MINOR_WEIGHT 0.3
/* What a change can break comes before what it uses. */
#define BLAST_CALLERS 1.3

struct seeds {
    struct rank_seed *rows;
    size_t len;
    size_t exact; /* the first so many are named by the task */
    bool wants_tests;
};

static enum context_format
read_format(struct tool_run *run)
{
    str word = tool_str(run, "format");
    enum context_format format = CONTEXT_XML;

    if (word.len && !context_format_of(word, &format))
        tool_fail(run, ERR_INVALID,
                  "format \"%.20s\" is none of xml, json, markdown, gcf, gcb",
                  word.ptr);
    return format;
}

static size_t
read_budget(struct tool_run *run)
{
    return (size_t)tool_int(run, "token_budget", BUDGET_DEFAULT,
                            CONTEXT_BUDGET_MIN, BUDGET_MAX);
}

static void
load_feedback(struct tool_run *run, const struct code *code,
              struct feedback *out)
{
    struct buf why = {0};
    enum err err =
        feedback_load(world_code(run->tools->cfg.world), code, 0, out, &why);

    if (err)
        tool_fail(run, err, "feedback cannot be read: %s", buf_cstr(&why));
    buf_fini(&why);
}

static void
put_text(struct tool_run *run, const struct context *context,
         enum context_format format, size_t budget)
{
    static const char *const words[] = {"xml", "json", "markdown", "gcf",
                                        "gcb"};
    struct context_text text = {0};

    run->err = context_write(context, run->tool->name, format, budget, &text);
    if (run->err)
        return;
    put_str(run->reply, "content", buf_str(&text.content));
    put_num(run->reply, "token_count", (double)text.tokens);
    put_num(run->reply, "symbols_included", (double)text.symbols);
    put_num(run->reply, "symbols_available", (double)context->available);
    put_num(run->reply, "edges_included", (double)text.arcs);
    cJSON_AddStringToObject(run->reply, "format", words[format]);
    reply_summary(run,
                  "%zu of %zu symbols, %zu edges, %zu tokens (4 bytes "
                  "each) of %zu",
                  text.symbols, context->available, text.arcs, text.tokens,
                  budget);
    if (text.symbols < context->available)
        tool_hint(run,
                  "%zu symbols did not fit: raise token_budget (at most %d), "
                  "or use format gcf, the shortest",
                  context->available - text.symbols, BUDGET_MAX);
    context_text_fini(&text);
}

static void
reply_context(struct tool_run *run, const struct joined *joined,
              const struct seeds *seeds, double caller_weight)
{
    enum context_format format = read_format(run);
    size_t budget = read_budget(run);
    struct feedback feedback = {0};
    struct context context = {0};
    struct context_ask ask = {
        .seeds = seeds->rows,
        .seed_len = seeds->len,
        .target_len = seeds->exact,
        .feedback = &feedback,
        .caller_weight = caller_weight,
        .wants_tests = seeds->wants_tests,
    };

    if (!run->err)
        load_feedback(run, joined->code, &feedback);
    if (!run->err && seeds->len)
        run->err = context_make(joined, run->view, &ask, &context);
    if (!run->err)
        put_text(run, &context, format, budget);
    context_fini(&context);
    feedback_fini(&feedback);
}

/* ---- for a task ---- */

static enum err
seed_words(struct tool_run *run, const struct joined *joined, str task,
           struct seeds *out)
{
    struct words_hits hits;
    enum err err = words_find(joined, run->view, task, SEEDS_MAX, &hits);

    if (err)
        return err;
    out->rows = calloc(hits.len + 1, sizeof(*out->rows));
    if (!out->rows)
        err = ERR_NOMEM;
    for (size_t i = 0; i < hits.len && !err; i++) {
        const struct words_hit *hit = &hits.rows[i];
        if (!hit->is_exact && hit->score < SEED_SCORE_MIN)
            continue;
        out->exact += hit->is_exact;
        out->rows[out->len++] = (struct rank_seed){
            hit->place, hit->is_exact ? EXACT_WEIGHT : hit->score};
    }
    out->wants_tests = memmem(task.ptr, task.len, "test", 4) != NULL;
    words_fini(&hits);
    return err;
}

void
tool_context_for_task(struct tool_run *run)
{
    str task = tool_str(run, "task_description");
    const struct joined *joined;
    struct seeds seeds = {0};

    if (!run->err && task.len == 0)
        tool_fail(run, ERR_INVALID, "task_description is required; try %s%s",
                  run->tool->name, run->tool->example);
    if (run->err || !(joined = tool_joined(run)))
        return;
    run->err = seed_words(run, joined, task, &seeds);
    if (!run->err)
        reply_context(run, joined, &seeds, 1);
    if (!run->err && seeds.len == 0) {
        reply_summary(run, "nothing in the graph fits the words of this task");
        tool_hint(run, "name a symbol, a file, a route or a service as it is "
                       "written in the code; graph_query finds them by prefix");
    }
    if (!run->err)
        hint_no_code(run, joined->code);
    free(seeds.rows);
}

/* ---- for files ---- */

static enum err
seed_files(const struct code *code, const struct ids *files, struct seeds *out)
{
    size_t total = 0;
    uint32_t len;

    for (size_t i = 0; i < files->len; i++) {
        code_file_nodes(code, files->ids[i], &len);
        total += len;
    }
    out->rows = calloc(total + 1, sizeof(*out->rows));
    if (!out->rows)
        return ERR_NOMEM;
    for (size_t i = 0; i < files->len; i++) {
        const uint32_t *nodes = code_file_nodes(code, files->ids[i], &len);
        for (uint32_t k = 0; k < len; k++) {
            uint8_t kind = code_node(code, nodes[k])->kind;
            bool is_minor = kind == CODE_CONST || kind == CODE_VAR ||
                            kind == CODE_FIELD || kind == CODE_EXTERNAL;
            if (kind == CODE_FILE || kind == CODE_PACKAGE)
                continue;
            out->wants_tests |= code_node(code, nodes[k])->flags & CODE_TEST;
            out->rows[out->len++] =
                (struct rank_seed){nodes[k], is_minor ? MINOR_WEIGHT : 1};
        }
    }
    return OK;
}

static void
for_files(struct tool_run *run, double caller_weight)
{
    const struct joined *joined = tool_joined(run);
    struct ids files = {0};
    struct seeds seeds = {0};

    if (!joined)
        return;
    tool_files(run, joined->code, &files);
    if (!run->err)
        run->err = seed_files(joined->code, &files, &seeds);
    if (!run->err)
        reply_context(run, joined, &seeds, caller_weight);
    if (!run->err && seeds.len == 0)
        tool_hint(run, "no symbols are known in these files");
    if (!run->err)
        hint_no_code(run, joined->code);
    ids_fini(&files);
    free(seeds.rows);
}

void
tool_context_for_files(struct tool_run *run)
{
    for_files(run, BLAST_CALLERS);
}

void
tool_context_for_pr(struct tool_run *run)
{
    for_files(run, 1);
}
