/*
 * The table, and the walk from bytes to facts.  The numbers by which an
 * extractor knows its grammar are looked up once a process and language, and
 * stay for as long as it runs.
 */
#include "index/lang.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "index/c_settle.h"
#include "index/comments.h"
#include "index/extract.h"
#include "index/grammar.h"

extern const struct grammar tree_sitter_go_grammar;
extern const struct grammar tree_sitter_python_grammar;
extern const struct grammar tree_sitter_javascript_grammar;
extern const struct grammar tree_sitter_typescript_grammar;
extern const struct grammar tree_sitter_tsx_grammar;
extern const struct grammar tree_sitter_java_grammar;
extern const struct grammar tree_sitter_c_sharp_grammar;
extern const struct grammar tree_sitter_ruby_grammar;
extern const struct grammar tree_sitter_php_grammar;
extern const struct grammar tree_sitter_rust_grammar;
extern const struct grammar tree_sitter_c_grammar;
extern const struct grammar tree_sitter_cpp_grammar;
extern const struct grammar tree_sitter_kotlin_grammar;

const struct lang_limits lang_limits_default = {
    .timeout_ns = UINT64_C(5) * NS_PER_S,
    .max_bytes = 2 << 20,
};

static const char *const go_files[] = {".go", NULL};
static const char *const python_files[] = {".py", ".pyi", NULL};
static const char *const javascript_files[] = {".js", ".mjs", ".cjs", ".jsx",
                                               NULL};
static const char *const typescript_files[] = {".ts", ".mts", ".cts", NULL};
static const char *const tsx_files[] = {".tsx", NULL};
static const char *const java_files[] = {".java", NULL};
static const char *const csharp_files[] = {".cs", NULL};
static const char *const ruby_files[] = {".rb", ".rake", ".ru", NULL};
static const char *const php_files[] = {".php", NULL};
static const char *const rust_files[] = {".rs", NULL};
static const char *const c_files[] = {".c", ".h", NULL};
static const char *const cpp_files[] = {".cc",  ".cpp", ".cxx", ".hh",
                                        ".hpp", ".hxx", NULL};
static const char *const kotlin_files[] = {".kt", ".kts", NULL};
static const char *const proto_files[] = {".proto", NULL};
static const char *const thrift_files[] = {".thrift", NULL};

static const struct lang langs[LANG_END] = {
    [LANG_GO] = {LANG_GO, "go", go_files, &tree_sitter_go_grammar,
                 &lang_names_go, lang_extract_go},
    [LANG_PYTHON] = {LANG_PYTHON, "python", python_files,
                     &tree_sitter_python_grammar, &lang_names_python,
                     lang_extract_python},
    [LANG_JAVASCRIPT] = {LANG_JAVASCRIPT, "javascript", javascript_files,
                         &tree_sitter_javascript_grammar,
                         &lang_names_javascript, lang_extract_javascript},
    [LANG_TYPESCRIPT] = {LANG_TYPESCRIPT, "typescript", typescript_files,
                         &tree_sitter_typescript_grammar,
                         &lang_names_javascript, lang_extract_javascript},
    [LANG_TSX] = {LANG_TSX, "tsx", tsx_files, &tree_sitter_tsx_grammar,
                  &lang_names_javascript, lang_extract_javascript},
    [LANG_JAVA] = {LANG_JAVA, "java", java_files, &tree_sitter_java_grammar,
                   &lang_names_java, lang_extract_java},
    [LANG_CSHARP] = {LANG_CSHARP, "csharp", csharp_files,
                     &tree_sitter_c_sharp_grammar, &lang_names_csharp,
                     lang_extract_csharp},
    [LANG_RUBY] = {LANG_RUBY, "ruby", ruby_files, &tree_sitter_ruby_grammar,
                   &lang_names_ruby, lang_extract_ruby},
    [LANG_PHP] = {LANG_PHP, "php", php_files, &tree_sitter_php_grammar,
                  &lang_names_php, lang_extract_php},
    [LANG_RUST] = {LANG_RUST, "rust", rust_files, &tree_sitter_rust_grammar,
                   &lang_names_rust, lang_extract_rust},
    [LANG_C] = {LANG_C, "c", c_files, &tree_sitter_c_grammar, &lang_names_c,
                lang_extract_c},
    [LANG_CPP] = {LANG_CPP, "cpp", cpp_files, &tree_sitter_cpp_grammar,
                  &lang_names_c, lang_extract_c},
    [LANG_KOTLIN] = {LANG_KOTLIN, "kotlin", kotlin_files,
                     &tree_sitter_kotlin_grammar, &lang_names_kotlin,
                     lang_extract_kotlin},
    [LANG_PROTO] = {LANG_PROTO, "proto", proto_files, NULL, NULL,
                    lang_extract_proto},
    [LANG_THRIFT] = {LANG_THRIFT, "thrift", thrift_files, NULL, NULL,
                     lang_extract_proto},
};

const struct lang *
lang_get(enum lang_id id)
{
    return id > LANG_NONE && id < LANG_END && langs[id].extract ? &langs[id]
                                                                : NULL;
}

static bool
ends_with(str path, const char *end)
{
    size_t len = strlen(end);

    return path.len > len && memcmp(path.ptr + path.len - len, end, len) == 0;
}

static enum lang_id
lang_of_shebang(str content)
{
    static const struct {
        const char *word;
        enum lang_id id;
    } words[] = {{"python", LANG_PYTHON},
                 {"node", LANG_JAVASCRIPT},
                 {"ruby", LANG_RUBY},
                 {"php", LANG_PHP}};
    const char *end = content.len ? memchr(content.ptr, '\n', content.len) : 0;

    if (!str_starts(content, STR("#!")) || !end)
        return LANG_NONE;
    size_t len = (size_t)(end - content.ptr);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (memmem(content.ptr, len, words[i].word, strlen(words[i].word)))
            return words[i].id;
    return LANG_NONE;
}

const struct lang *
lang_of_path(str path, str content)
{
    const char *slash = path.len ? memrchr(path.ptr, '/', path.len) : NULL;
    size_t base = slash ? (size_t)(slash + 1 - path.ptr) : 0;

    for (int id = LANG_NONE + 1; id < LANG_END; id++)
        for (const char *const *end = langs[id].extensions; *end; end++)
            if (ends_with(path, *end))
                return lang_get(id == LANG_C && ends_with(path, ".h") &&
                                        lang_is_cpp(content)
                                    ? LANG_CPP
                                    : (enum lang_id)id);
    if (path.len > base && memchr(path.ptr + base, '.', path.len - base))
        return NULL;
    return lang_get(lang_of_shebang(content));
}

/* What an extractor calls the symbols and fields of one grammar. */
struct numbers {
    uint16_t *symbols;
    uint16_t *fields;
    bool is_known;
};

struct numbering {
    pthread_mutex_t lock;
    bool is_made[LANG_END];
    struct numbers of[LANG_END];
};

static struct numbering numbering = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool
number_symbol(const TSLanguage *language, const struct extract_name *name,
              uint16_t *symbols, uint32_t len)
{
    bool is_needed = name->name[0] != '?';
    const char *text = name->name + !is_needed;
    bool found = false;

    /* A name may have several symbols, where the grammar uses aliases. */
    for (uint32_t i = 0; i < len; i++) {
        if (ts_language_symbol_type(language, (TSSymbol)i) !=
                TSSymbolTypeRegular ||
            strcmp(ts_language_symbol_name(language, (TSSymbol)i), text) != 0)
            continue;
        symbols[i] = name->number;
        found = true;
    }
    return found || !is_needed;
}

static void
make_numbers(struct numbers *out, const TSLanguage *language,
             const struct lang_names *names)
{
    uint32_t len = ts_language_symbol_count(language);

    out->symbols = calloc(len + 1, sizeof(*out->symbols));
    out->fields = calloc((size_t)names->field_len + 1, sizeof(*out->fields));
    out->is_known = out->symbols && out->fields;
    for (uint16_t i = 0; i < names->kind_len && out->is_known; i++)
        out->is_known =
            number_symbol(language, &names->kinds[i], out->symbols, len);
    for (uint16_t i = 0; i < names->field_len && out->is_known; i++) {
        const struct extract_name *name = &names->fields[i];
        bool is_needed = name->name[0] != '?';
        const char *text = name->name + !is_needed;
        TSFieldId id = ts_language_field_id_for_name(language, text,
                                                     (uint32_t)strlen(text));
        if (name->number <= names->field_len)
            out->fields[name->number] = id;
        out->is_known =
            (id != 0 || !is_needed) && name->number <= names->field_len;
    }
}

static bool
set_numbers(struct extract *x, const struct lang *lang)
{
    struct numbers *numbers = &numbering.of[lang->id];

    pthread_mutex_lock(&numbering.lock);
    if (!numbering.is_made[lang->id])
        make_numbers(numbers, x->language, lang->names);
    numbering.is_made[lang->id] = true;
    pthread_mutex_unlock(&numbering.lock);
    x->symbols = numbers->symbols;
    x->fields = numbers->fields;
    return numbers->is_known;
}

struct deadline {
    uint64_t at_ns;
    bool is_over;
};

static bool
check_deadline(TSParseState *state)
{
    struct deadline *deadline = state->payload;

    deadline->is_over = clock_mono_ns() > deadline->at_ns;
    return deadline->is_over;
}

struct source {
    str text;
};

static const char *
read_source(void *payload, uint32_t at, TSPoint point, uint32_t *len)
{
    const struct source *source = payload;

    (void)point;
    *len = at < source->text.len ? (uint32_t)(source->text.len - at) : 0;
    return *len ? source->text.ptr + at : "";
}

static enum err
parse(const TSLanguage *language, str content, uint64_t timeout_ns,
      TSTree **out)
{
    TSParser *parser = ts_parser_new();
    struct source source = {content};
    struct deadline deadline = {clock_mono_ns() + timeout_ns, false};
    enum err err = ERR_UNSUPPORTED;

    *out = NULL;
    if (!parser)
        return ERR_NOMEM;
    if (ts_parser_set_language(parser, language)) {
        *out = ts_parser_parse_with_options(
            parser, NULL,
            (TSInput){&source, read_source, TSInputEncodingUTF8, NULL},
            (TSParseOptions){&deadline, check_deadline});
        err = *out ? OK : deadline.is_over ? ERR_CANCELLED : ERR_NOMEM;
    }
    ts_parser_delete(parser);
    return err;
}

/* Facts are of the source as it is; the tree may be of what it is read as. */
static enum err
parse_source(struct extract *x, const struct lang *lang, uint64_t timeout_ns,
             TSTree **tree)
{
    struct buf settled = {0};
    enum err err;

    if (lang->id != LANG_C && lang->id != LANG_CPP && lang->id != LANG_CSHARP)
        return parse(x->language, x->source, timeout_ns, tree);
    err = c_settle(x->source, lang->id, &settled);
    if (!err)
        err = parse(x->language, buf_str(&settled), timeout_ns, tree);
    buf_fini(&settled);
    return err;
}

static void
run(struct extract *x, const struct lang *lang)
{
    struct facts *facts = x->facts;

    if (lang_is_generated(lang->id, x->path, x->source))
        facts->flags |= FACTS_GENERATED;
    if (lang_is_test(lang->id, x->path))
        facts->flags |= FACTS_TEST;
    lang->extract(x);
    comments_find(facts, x->source);
}

enum err
lang_facts(const struct lang *lang, str path, str content,
           const struct lang_limits *limits, struct facts *facts)
{
    struct extract x = {.facts = facts, .path = path, .source = content};
    TSTree *tree = NULL;
    enum err err = facts_init(facts, lang->id);

    if (err)
        return err;
    if (content.len > limits->max_bytes)
        return ERR_TOO_LARGE;
    if (lang->grammar) {
        x.language = grammar_language(lang->grammar);
        if (!x.language)
            return ERR_NOMEM;
        if (!set_numbers(&x, lang))
            return ERR_UNSUPPORTED;
        err = parse_source(&x, lang, limits->timeout_ns, &tree);
        if (err)
            return err;
        x.root = ts_tree_root_node(tree);
        if (ts_node_has_error(x.root))
            facts->flags |= FACTS_PARTIAL;
    }
    run(&x, lang);
    ts_tree_delete(tree);
    return facts->failed ? ERR_NOMEM : OK;
}
