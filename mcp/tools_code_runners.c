/*
 * One line a runner and repository.  Tests come sorted, so what belongs to one
 * package or file follows one another.  Names are written as their runner wants
 * them: by pattern, by path, by path and name.
 */
#include "mcp/tools_code_tests.h"

#include <string.h>

#include "index/facts.h"

enum runner {
    RUN_NONE,
    RUN_GO,
    RUN_PYTEST,
    RUN_JEST,
    RUN_VITEST,
    RUN_MAVEN,
    RUN_GRADLE,
    RUN_DOTNET,
    RUN_RSPEC,
    RUN_RUBY,
    RUN_PHPUNIT,
    RUN_CARGO,
    RUN_END,
};

/* ---- words of a shell ---- */

static bool
is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || (c && strchr("_-./:=+,@%", c));
}

static void
add_quoted(struct buf *out, str word)
{
    size_t i = 0;

    while (i < word.len && is_plain(word.ptr[i]))
        i++;
    if (i == word.len && word.len > 0) {
        buf_add(out, word);
        return;
    }
    buf_add_char(out, '\'');
    for (i = 0; i < word.len; i++)
        if (word.ptr[i] == '\'')
            buf_add(out, STR("'\\''"));
        else
            buf_add_char(out, word.ptr[i]);
    buf_add_char(out, '\'');
}

/* |name| with |between| in the place of its dots. */
static void
add_dotted(struct buf *out, str name, str between)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] == '.')
            buf_add(out, between);
        else
            buf_add_char(out, name.ptr[i]);
}

static str
last_part(str name)
{
    const char *dot = name.len ? memrchr(name.ptr, '.', name.len) : NULL;

    return dot ? str_cut(name, (size_t)(dot + 1 - name.ptr), name.len) : name;
}

/* `CartTest.adds`: CartTest. */
static str
first_parts(str name)
{
    const char *dot = name.len ? memrchr(name.ptr, '.', name.len) : NULL;

    return dot ? str_cut(name, 0, (size_t)(dot - name.ptr)) : name;
}

/* ---- which runner ---- */

static bool
ends_with(str text, str end)
{
    return text.len >= end.len &&
           memcmp(text.ptr + text.len - end.len, end.ptr, end.len) == 0;
}

/* A repository has the configuration of the runner that it uses. */
static bool
has_config(const struct code *code, uint32_t repo, const char *front)
{
    for (uint32_t i = code->repos[repo].file_first;
         i < code->repos[repo].file_last; i++) {
        str path = code->files[i].path;
        const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;

        if (slash)
            path = str_cut(path, (size_t)(slash + 1 - path.ptr), path.len);
        if (str_starts(path, str_of(front)))
            return true;
    }
    return false;
}

static enum runner
runner_of(const struct code *code, uint32_t id)
{
    const struct code_vertex *node = code_node(code, id);
    const struct code_file *file = &code->files[node->file];

    switch ((enum lang_id)file->lang) {
    case LANG_GO:
        return RUN_GO;
    case LANG_PYTHON:
        return RUN_PYTEST;
    case LANG_JAVASCRIPT:
    case LANG_TYPESCRIPT:
    case LANG_TSX:
        return has_config(code, node->repo, "vitest.") ? RUN_VITEST : RUN_JEST;
    case LANG_JAVA:
        return RUN_MAVEN;
    case LANG_KOTLIN:
        return RUN_GRADLE;
    case LANG_CSHARP:
        return RUN_DOTNET;
    case LANG_RUBY:
        return ends_with(file->path, STR("_spec.rb")) ? RUN_RSPEC : RUN_RUBY;
    case LANG_PHP:
        return RUN_PHPUNIT;
    case LANG_RUST:
        return RUN_CARGO;
    default:
        return RUN_NONE;
    }
}

void
tests_package(const struct code *code, uint32_t id, struct buf *out)
{
    const struct code_vertex *node = code_node(code, id);
    enum runner runner = runner_of(code, id);

    if (runner == RUN_GO)
        buf_printf(out, "./%.*s", (int)node->package.len, node->package.ptr);
    else if (runner == RUN_MAVEN || runner == RUN_GRADLE ||
             runner == RUN_DOTNET || runner == RUN_CARGO)
        buf_add(out, node->package);
    else
        buf_add(out, code->files[node->file].path);
}

/* ---- one line ---- */

struct line {
    const struct code *code;
    const uint32_t *tests;
    size_t len;
    enum runner runner;
    uint32_t repo;
    struct buf *out;
};

typedef void word_fn(const struct line *line, const struct code_vertex *node,
                     struct buf *out);

static bool
is_of(const struct line *line, size_t i)
{
    return code_node(line->code, line->tests[i])->repo == line->repo &&
           runner_of(line->code, line->tests[i]) == line->runner;
}

/* The words of all tests, each once where equal ones follow one another. */
static void
add_each(const struct line *line, word_fn *word, str between, struct buf *out)
{
    struct buf before = {0};
    struct buf now = {0};
    bool is_first = true;

    for (size_t i = 0; i < line->len; i++) {
        if (!is_of(line, i))
            continue;
        buf_reset(&now);
        word(line, code_node(line->code, line->tests[i]), &now);
        if (now.len == 0 || str_eq(buf_str(&now), buf_str(&before)))
            continue;
        if (!is_first)
            buf_add(out, between);
        is_first = false;
        buf_add(out, buf_str(&now));
        buf_reset(&before);
        buf_add(&before, buf_str(&now));
    }
    buf_fini(&before);
    buf_fini(&now);
}

static void
word_path(const struct line *line, const struct code_vertex *node,
          struct buf *out)
{
    add_quoted(out, line->code->files[node->file].path);
}

static void
word_package(const struct line *line, const struct code_vertex *node,
             struct buf *out)
{
    struct buf text = {0};

    (void)line;
    buf_printf(&text, "./%.*s", (int)node->package.len, node->package.ptr);
    add_quoted(out, buf_str(&text));
    buf_fini(&text);
}

static void
word_name(const struct line *line, const struct code_vertex *node,
          struct buf *out)
{
    (void)line;
    if (node->kind != CODE_FILE)
        buf_add(out, last_part(node->name));
}

static void
word_pytest(const struct line *line, const struct code_vertex *node,
            struct buf *out)
{
    struct buf text = {0};

    buf_add(&text, line->code->files[node->file].path);
    if (node->kind != CODE_FILE) {
        buf_add(&text, STR("::"));
        add_dotted(&text, node->name, STR("::"));
    }
    add_quoted(out, buf_str(&text));
    buf_fini(&text);
}

static void
word_place(const struct line *line, const struct code_vertex *node,
           struct buf *out)
{
    struct buf text = {0};

    buf_add(&text, line->code->files[node->file].path);
    if (node->kind != CODE_FILE && node->line)
        buf_printf(&text, ":%u", node->line);
    add_quoted(out, buf_str(&text));
    buf_fini(&text);
}

static void
word_maven(const struct line *line, const struct code_vertex *node,
           struct buf *out)
{
    (void)line;
    if (node->kind == CODE_FILE)
        return;
    add_dotted(out, first_parts(node->name), STR("$"));
    if (node->kind == CODE_METHOD) {
        buf_add_char(out, '#');
        buf_add(out, last_part(node->name));
    }
}

static void
word_gradle(const struct line *line, const struct code_vertex *node,
            struct buf *out)
{
    struct buf text = {0};

    (void)line;
    if (node->kind == CODE_FILE)
        return;
    buf_printf(&text, "*%.*s", (int)node->name.len, node->name.ptr);
    buf_add(out, STR("--tests "));
    add_quoted(out, buf_str(&text));
    buf_fini(&text);
}

static void
word_dotnet(const struct line *line, const struct code_vertex *node,
            struct buf *out)
{
    (void)line;
    if (node->kind != CODE_FILE)
        buf_printf(out, "FullyQualifiedName~%.*s", (int)node->name.len,
                   node->name.ptr);
}

static void
word_cargo(const struct line *line, const struct code_vertex *node,
           struct buf *out)
{
    struct buf text = {0};

    (void)line;
    if (node->kind != CODE_FILE)
        add_dotted(&text, node->name, STR("::"));
    if (text.len)
        add_quoted(out, buf_str(&text));
    buf_fini(&text);
}

/* How a line is put together: what stands before, the words, what is between;
 * with quotes around all the words if they are one pattern. */
static const struct {
    const char *before;
    word_fn *word;
    const char *between;
    bool is_pattern;
} recipes[RUN_END] = {
    [RUN_PYTEST] = {"pytest ", word_pytest, " ", false},
    [RUN_JEST] = {"npx jest ", word_path, " ", false},
    [RUN_VITEST] = {"npx vitest run ", word_path, " ", false},
    [RUN_MAVEN] = {"mvn -Dtest=", word_maven, ",", true},
    [RUN_GRADLE] = {"./gradlew test ", word_gradle, " ", false},
    [RUN_DOTNET] = {"dotnet test --filter ", word_dotnet, "|", true},
    [RUN_RSPEC] = {"bundle exec rspec ", word_place, " ", false},
    [RUN_RUBY] = {"bundle exec ruby -Itest -e 'ARGV.each { |f| require "
                  "\"./#{f}\" }' ",
                  word_path, " ", false},
    [RUN_PHPUNIT] = {"vendor/bin/phpunit --filter ", word_name, "|", true},
    [RUN_CARGO] = {"cargo test -- ", word_cargo, " ", false},
};

/* Packages, then the names as one expression. */
static void
make_go(const struct line *line)
{
    struct buf names = {0};
    struct buf pattern = {0};

    buf_add(line->out, STR("go test "));
    add_each(line, word_package, STR(" "), line->out);
    add_each(line, word_name, STR("|"), &names);
    buf_printf(&pattern, "^(%s)$", buf_cstr(&names));
    buf_add(line->out, STR(" -run "));
    add_quoted(line->out, buf_str(&pattern));
    buf_fini(&names);
    buf_fini(&pattern);
}

static void
make_line(const struct line *line)
{
    struct buf words = {0};

    if (line->runner == RUN_GO) {
        make_go(line);
        return;
    }
    add_each(line, recipes[line->runner].word,
             str_of(recipes[line->runner].between), &words);
    buf_add(line->out, str_of(recipes[line->runner].before));
    if (recipes[line->runner].is_pattern)
        add_quoted(line->out, buf_str(&words));
    else
        buf_add(line->out, buf_str(&words));
    if (line->runner == RUN_MAVEN)
        buf_add(line->out, STR(" test"));
    buf_fini(&words);
}

void
tests_lines_make(const struct code *code, const uint32_t *tests, size_t len,
                 struct tests_lines *out)
{
    for (size_t i = 0; i < len; i++)
        out->unknown += runner_of(code, tests[i]) == RUN_NONE;
    for (uint32_t repo = 1; repo < code->repo_len; repo++)
        for (enum runner runner = RUN_GO; runner < RUN_END; runner++) {
            struct line line = {code, tests, len, runner, repo, NULL};
            size_t first = 0;

            while (first < len && !is_of(&line, first))
                first++;
            if (first == len || out->len == TESTS_LINES_MAX)
                continue;
            line.out = &out->lines[out->len++];
            make_line(&line);
        }
}

void
tests_lines_fini(struct tests_lines *lines)
{
    for (size_t i = 0; i < lines->len; i++)
        buf_fini(&lines->lines[i]);
    *lines = (struct tests_lines){.len = 0};
}
