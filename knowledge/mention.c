/*
 * Text is read once, word by word, and each word asked of what could be meant
 * by its form: a method before a path is a route; a word that is a service's
 * name is that service; what has a dot, a colon, an underscore, a call's
 * parenthesis or a capital inside may be a symbol, and counts if it is the only
 * one of that name; what has a slash and a dot, or ends as source code does,
 * may be a file.  So a link made here is nearly always meant, and what is
 * doubtful is left out.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "graph/code_find.h"
#include "knowledge/entity.h"
#include "knowledge/links.h"
#include "knowledge/resolve.h"
#include "knowledge/text.h"

enum { SYMBOL_MIN = 4, SERVICE_MIN = 3 };

struct reader {
    struct moment *moment;
    str text;
    struct object_list *out;
    struct ids services; /* by name */
    struct ids routes;
    struct buf form;
};

static bool
is_token(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80 ||
           strchr("_-./:{}*~$#", c);
}

static bool
next_token(str text, size_t *at, str *token)
{
    size_t from = *at;

    while (from < text.len && !is_token(text.ptr[from]))
        from++;
    *at = from;
    while (*at < text.len && is_token(text.ptr[*at]))
        ++*at;
    *token = str_cut(text, from, *at);
    return token->len > 0;
}

/* A sentence's end is no part of a name. */
static str
strip(str token)
{
    while (token.len && strchr(".:-#*", token.ptr[token.len - 1]))
        token.len--;
    while (token.len && strchr(":-#*", token.ptr[0]))
        token = str_cut(token, 1, token.len);
    return token;
}

static enum err
take(struct reader *reader, struct object *object)
{
    enum err err = OK;
    bool is_known =
        object->world == WORLD_NONE || reader->out->len >= LINKS_MENTION_MAX;

    for (size_t i = 0; i < reader->out->len && !is_known; i++)
        is_known =
            str_eq(buf_str(&reader->out->items[i].gid), buf_str(&object->gid));
    if (!is_known)
        err = object_list_add(reader->out, object);
    object_fini(object);
    return err;
}

static enum err
take_node(struct reader *reader, uint32_t node)
{
    struct object object;
    enum err err = object_of_node(reader->moment, node, &object);

    return err ? err : take(reader, &object);
}

static str
name_of(const struct reader *reader, uint32_t node)
{
    return query_node(reader->moment->view, node)->name;
}

static enum err
take_all_called(struct reader *reader, const struct ids *ids, str name,
                bool *is_found)
{
    enum err err = OK;

    for (size_t i = 0; i < ids->len && !err; i++)
        if (str_eq(name_of(reader, ids->ids[i]), name)) {
            *is_found = true;
            err = take_node(reader, ids->ids[i]);
        }
    return err;
}

static bool
is_method(str word)
{
    static const char *const methods[] = {"GET",    "POST", "PUT",     "PATCH",
                                          "DELETE", "HEAD", "OPTIONS", "ANY"};

    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (str_eq(word, str_of(methods[i])))
            return true;
    return false;
}

/* A declared route that was never seen has no node: the resolver knows it. */
static enum err
read_route(struct reader *reader, str method, str path)
{
    struct object object = {0};
    bool is_found = false;
    enum err err;

    buf_reset(&reader->form);
    buf_add(&reader->form, method);
    buf_add_char(&reader->form, ' ');
    text_plain_route(path, &reader->form);
    str name = buf_str(&reader->form);
    err = take_all_called(reader, &reader->routes, name, &is_found);
    if (err || is_found)
        return err;
    struct buf id = {0};
    buf_printf(&id, "route:%.*s", (int)name.len, name.ptr);
    err = object_find(reader->moment, buf_str(&id), IN_WORLD(WORLD_RUNTIME),
                      &object, NULL);
    buf_fini(&id);
    if (err == ERR_NOT_FOUND || err == ERR_AMBIGUOUS)
        err = OK;
    return err ? err : take(reader, &object);
}

static bool
is_symbol_like(str word, bool is_call)
{
    bool has_sign = is_call;

    if (word.len < SYMBOL_MIN || !isalpha((unsigned char)word.ptr[0]))
        return false;
    for (size_t i = 1; i < word.len && !has_sign; i++)
        has_sign = strchr("_.:#", word.ptr[i]) ||
                   (isupper((unsigned char)word.ptr[i]) &&
                    islower((unsigned char)word.ptr[i - 1]));
    return has_sign;
}

enum {
    SYMBOLS = 1 << CODE_FUNCTION | 1 << CODE_METHOD | 1 << CODE_TYPE |
              1 << CODE_INTERFACE
};

static enum err
read_symbol(struct reader *reader, str word, bool *is_found)
{
    const struct code *code = reader->moment->joined->code;
    struct ids ids = {0};
    struct object object = {0};
    enum err err = code_by_suffix(code, word, SYMBOLS, &ids);

    *is_found = ids.len > 0;
    if (!err && ids.len == 1)
        err = object_of_vertex(reader->moment, ids.ids[0], &object);
    ids_fini(&ids);
    return err ? err : take(reader, &object);
}

static enum err
read_by_id(struct reader *reader, str word, const char *before, unsigned worlds)
{
    struct buf id = {0};
    struct object object = {0};
    enum err err;

    buf_printf(&id, "%s%.*s", before, (int)word.len, word.ptr);
    err = object_find(reader->moment, buf_str(&id), worlds, &object, NULL);
    buf_fini(&id);
    if (err == ERR_NOT_FOUND || err == ERR_AMBIGUOUS)
        err = OK;
    return err ? err : take(reader, &object);
}

static bool
is_entity_id(str word)
{
    str tail = entity_id_tail(word);

    if (tail.len != 16 || tail.len + 1 >= word.len)
        return false;
    for (size_t i = 0; i < tail.len; i++)
        if (!isxdigit((unsigned char)tail.ptr[i]))
            return false;
    return entity_type_of(str_cut(word, 0, word.len - tail.len - 1)) != NULL;
}

/* Without a folder before it: `stock.js`.  Only such words are looked up among
 * all files, of which there are many. */
static bool
is_source_file(str word)
{
    static const char *const endings[] = {
        ".c",   ".cc",  ".cjs", ".cpp",    ".cs",   ".cts",   ".cxx",
        ".go",  ".h",   ".hh",  ".hpp",    ".java", ".js",    ".jsx",
        ".kt",  ".kts", ".mjs", ".mts",    ".php",  ".proto", ".py",
        ".pyi", ".rb",  ".rs",  ".thrift", ".ts",   ".tsx"};

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        str end = str_of(endings[i]);

        if (word.len > end.len && str_ends(word, end))
            return true;
    }
    return false;
}

static enum err
read_word(struct reader *reader, str word, bool is_call)
{
    bool has_slash = word.len && memchr(word.ptr, '/', word.len);
    bool has_dot = word.len && memchr(word.ptr, '.', word.len);
    bool is_found = false;
    enum err err = OK;

    if (is_entity_id(word))
        return read_by_id(reader, word, "", IN_KNOWLEDGE);
    if (word.len >= SERVICE_MIN)
        err = take_all_called(reader, &reader->services, word, &is_found);
    if (err || is_found || !reader->moment->joined)
        return err;
    if (!has_slash && is_symbol_like(word, is_call))
        err = read_symbol(reader, word, &is_found);
    if (err || is_found || (has_slash ? !has_dot : !is_source_file(word)))
        return err;
    return read_by_id(reader, word, "file:", IN_WORLD(WORLD_CODE));
}

static enum err
read_text(struct reader *reader)
{
    str text = reader->text;
    size_t at = 0;
    str token;
    enum err err = OK;

    while (!err && reader->out->len < LINKS_MENTION_MAX &&
           next_token(text, &at, &token)) {
        size_t next = at;
        str path;

        if (is_method(token) && next_token(text, &next, &path) &&
            path.ptr[0] == '/') {
            at = next;
            err = read_route(reader, token, strip(path));
            continue;
        }
        err = read_word(reader, strip(token),
                        at < text.len && text.ptr[at] == '(');
    }
    return err;
}

enum err
mention_find(struct moment *moment, str text, struct object_list *out)
{
    static const uint32_t parties =
        1U << NODE_SERVICE | 1U << NODE_TOPIC | 1U << NODE_DATABASE;
    const struct query_find services = {.kinds = parties};
    const struct query_find routes = {.kinds = 1U << NODE_ROUTE};
    struct reader reader = {.moment = moment, .text = text, .out = out};
    enum err err = OK;

    if (moment->view) {
        err = query_find(moment->view, &services, &reader.services);
        if (!err)
            err = query_find(moment->view, &routes, &reader.routes);
    }
    if (!err)
        err = read_text(&reader);
    ids_fini(&reader.services);
    ids_fini(&reader.routes);
    buf_fini(&reader.form);
    return err;
}
