/*
 * Which repository, and which state of it, an argument names.  The codes of
 * those that are kept can be guessed by nobody, so a refusal tells them.
 */
#include "mcp/tools_code_snapshot.h"

#include "graph/code_history.h"
#include "mcp/tools_args.h"
#include "mcp/tools_code.h"

enum { LISTED = 8, SHOWN = 12 /* hexadecimal digits of a snapshot */ };

static void
add_repos(struct tool_run *run, const struct code *code)
{
    for (uint32_t i = 1; i < code->repo_len && i <= LISTED; i++)
        buf_printf(run->why, "%s \"%.*s\"", i > 1 ? "," : "",
                   (int)code->repos[i].url.len, code->repos[i].url.ptr);
}

uint32_t
tool_repo(struct tool_run *run, const struct code *code, const char *name)
{
    str word = tool_str(run, name);
    uint32_t repo = 0;

    if (run->err)
        return 0;
    if (code->repo_len <= 1) {
        tool_fail(run, ERR_NOT_FOUND,
                  "no code was indexed yet: run `spangraph index FOLDER` on "
                  "the same data directory");
        return 0;
    }
    if (word.len == 0 && code->repo_len == 2)
        return 1;
    if (word.len)
        repo = code_repo_by(code, word);
    if (repo)
        return repo;
    tool_fail(run, ERR_INVALID, "%s '%.200s' %s; there are:", name, word.ptr,
              word.len ? "names none, or several" : "is required");
    add_repos(run, code);
    return 0;
}

/* Of those of |repo|, or of all, the latest first. */
static void
add_snapshots(struct tool_run *run, const struct code *code, uint32_t repo)
{
    size_t told = 0;

    for (uint32_t i = 0; i < code->snapshot_len && told < LISTED; i++) {
        const struct code_snapshot *it = &code->snapshots[i];

        if (repo && it->repo != repo)
            continue;
        buf_add(run->why, told ? STR(", ") : STR("; there are: "));
        if (it->commit.len)
            buf_add(run->why, str_cut(it->commit, 0, SHOWN));
        else
            for (size_t k = 0; k < SHOWN / 2; k++)
                buf_printf(run->why, "%02x", it->hash[k]);
        if (repo || code->repo_len == 2)
            buf_add(run->why, told ? STR("") : STR(" (latest)"));
        told++;
    }
}

/* |err| was the matter with |word|; what would be right depends on it. */
static void
fail_snapshot(struct tool_run *run, const struct code *code, uint32_t repo,
              const char *name, enum err err, const char *why)
{
    str word = tool_str(run, name);
    bool is_word = str_eq(word, STR("latest")) || str_eq(word, STR("previous"));

    tool_fail(run, err == ERR_NOT_FOUND ? ERR_INVALID : err, "%s '%.80s': %s",
              name, word.ptr, why);
    if (is_word && err == ERR_AMBIGUOUS) {
        buf_add(run->why, STR("; repo_url is one of"));
        add_repos(run, code);
        return;
    }
    add_snapshots(run, code, repo);
    if (is_word)
        buf_add(run->why, STR("; index another commit to compare with"));
}

uint32_t
tool_snapshot(struct tool_run *run, const struct code *code, const char *name)
{
    str word = tool_str(run, name);
    struct buf why = {0};
    uint32_t index = 0;
    uint32_t repo = 0;

    if (!run->err && word.len == 0)
        tool_fail_missing(run, name);
    if (!run->err && tool_str(run, "repo_url").len)
        repo = tool_repo(run, code, "repo_url");
    if (run->err)
        return 0;
    enum err err = code_snapshot_find(code, repo, word, &index, &why);
    if (err)
        fail_snapshot(run, code, repo, name, err, buf_cstr(&why));
    buf_fini(&why);
    return index;
}

const struct code *
tool_snapshot_load(struct tool_run *run, const struct code *code,
                   uint32_t index)
{
    const struct code *out = NULL;
    struct buf why = {0};

    if (run->err)
        return NULL;
    enum err err = code_snapshot_load(world_code(run->tools->cfg.world), code,
                                      index, &out, &why);
    if (err)
        tool_fail(run, err, "%s",
                  why.len ? buf_cstr(&why) : "that snapshot cannot be read");
    buf_fini(&why);
    return out;
}
