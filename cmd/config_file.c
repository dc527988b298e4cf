/*
 * Reading and printing the file.  libyaml gives events; a stack of mapping
 * keys makes them paths.  Anchors and tags have no business here and are
 * refused by not being understood.
 */
#include "cmd/config.h"
#include "cmd/config_keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "cmd/duration.h"

enum { DEPTH_MAX = 8, PATH_CAP = 512, KEYS_MAX = 256 };

struct reader {
    struct config *cfg;
    const char *file;
    struct buf *why;
    FILE *in;
    yaml_parser_t parser;
    char path[PATH_CAP];
    size_t path_len[DEPTH_MAX]; /* of the mapping at each depth */
    size_t depth;
    bool has_key; /* a key was read; its value comes next */
    bool in_list;
    bool in_headers; /* a mapping of names to values */
    struct buf name; /* of the header whose value comes next; empty: none */
    const struct config_key *said[KEYS_MAX];
    size_t said_len;
};

static bool
is_name_char(char c, bool is_first)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (!is_first && c >= '0' && c <= '9');
}

/* Appends what |inner|, between `${` and `}`, stands for: `env:NAME` or `NAME`,
 * and perhaps `:-default`. */
static enum err
put_variable(str inner, struct buf *out, struct buf *why)
{
    bool has_env = str_starts(inner, STR("env:"));
    str rest = has_env ? str_cut(inner, 4, inner.len) : inner;
    size_t len = 0;

    while (len < rest.len && is_name_char(rest.ptr[len], len == 0))
        len++;
    str fallback = str_cut(rest, len, rest.len);
    bool has_fallback = str_starts(fallback, STR(":-"));
    if (len == 0 || (fallback.len > 0 && !has_fallback)) {
        buf_add(why, STR("${"));
        utf8_clean(why, inner, CONFIG_QUOTED_MAX);
        buf_add(why, STR("} is no variable of the environment: write "
                         "${env:NAME} or ${env:NAME:-default}"));
        return ERR_INVALID;
    }
    char *name = strndup(rest.ptr, len);
    if (!name)
        return ERR_NOMEM;
    const char *value = getenv(name);
    enum err err = value || has_fallback ? OK : ERR_INVALID;

    if (err)
        buf_printf(why, "the environment has no %s", name);
    else if (value && *value)
        buf_add(out, str_of(value));
    else if (has_fallback)
        buf_add(out, str_cut(fallback, 2, fallback.len));
    free(name);
    return err;
}

/* Appends |text| to |out| with its variables replaced. */
static enum err
expand(str text, struct buf *out, struct buf *why)
{
    enum err err = OK;

    for (size_t at = 0; at < text.len && !err;) {
        str rest = str_cut(text, at, text.len);
        if (!str_starts(rest, STR("${"))) {
            buf_add_char(out, text.ptr[at++]);
            continue;
        }
        const char *close = memchr(rest.ptr, '}', rest.len);
        if (!close) {
            buf_add(why, STR("${ without a closing brace"));
            return ERR_INVALID;
        }
        size_t end = (size_t)(close - rest.ptr);
        err = put_variable(str_cut(rest, 2, end), out, why);
        at += end + 1;
    }
    return err;
}

static bool
is_below(const char *key, const char *path)
{
    size_t len = strlen(path);

    return strncmp(key, path, len) == 0 && key[len] == '.';
}

/* Whether some key lies below |path|. */
static bool
is_section(const char *path)
{
    for (size_t i = 0; i < config_key_len; i++) {
        if (is_below(config_keys[i].path, path))
            return true;
    }
    for (size_t i = 0; i < config_alias_len; i++) {
        if (is_below(config_aliases[i].path, path))
            return true;
    }
    return false;
}

/* Which of two values was meant nobody can know. */
static enum err
say_once(struct reader *reader)
{
    const struct config_key *key = config_find(reader->path);

    for (size_t i = 0; key && i < reader->said_len; i++) {
        if (reader->said[i] == key) {
            buf_printf(reader->why, "%s is said twice", key->path);
            return ERR_INVALID;
        }
    }
    if (key && reader->said_len < KEYS_MAX)
        reader->said[reader->said_len++] = key;
    return OK;
}

static enum err
take_value(struct reader *reader, str text)
{
    struct buf value = {0};
    enum err err = expand(text, &value, reader->why);

    /* `grpc:` with nothing below it: as the Collector does, its defaults. */
    if (!err && is_section(reader->path)) {
        if (value.len) {
            buf_printf(reader->why, "%s holds keys, and takes no value",
                       reader->path);
            err = ERR_INVALID;
        }
    } else if (!err) {
        err = reader->in_list ? OK : say_once(reader);
        if (!err)
            err = config_set(reader->cfg, reader->path, buf_cstr(&value),
                             reader->why);
    }
    buf_fini(&value);
    reader->has_key = reader->in_list;
    return err;
}

/* A name, or the value of the one before. */
static enum err
take_header(struct reader *reader, str text)
{
    struct buf line = {0};
    enum err err = OK;

    if (!reader->name.len) {
        buf_add(&reader->name, text);
        return text.len && !reader->name.failed ? OK : ERR_INVALID;
    }
    buf_printf(&line, "%s: ", buf_cstr(&reader->name));
    if (!(err = expand(text, &line, reader->why)))
        err =
            config_set(reader->cfg, reader->path, buf_cstr(&line), reader->why);
    buf_reset(&reader->name);
    buf_fini(&line);
    return err;
}

static enum err
take_scalar(struct reader *reader, str text)
{
    if (reader->in_headers)
        return take_header(reader, text);

    size_t base = reader->path_len[reader->depth];

    if (!reader->has_key) {
        if (base + text.len + 2 > PATH_CAP)
            return ERR_INVALID;
        if (base)
            reader->path[base++] = '.';
        memcpy(reader->path + base, text.ptr, text.len);
        reader->path[base + text.len] = '\0';
        reader->has_key = true;
        return OK;
    }
    return take_value(reader, text);
}

static enum err
begin_mapping(struct reader *reader)
{
    const struct config_key *key =
        reader->has_key ? config_find(reader->path) : NULL;

    if (reader->in_list || reader->in_headers || reader->depth + 1 == DEPTH_MAX)
        return ERR_INVALID;
    if (key && key->type == CONFIG_HEADERS) {
        reader->in_headers = true;
        return say_once(reader);
    }
    if (key) {
        buf_printf(reader->why, "%s takes one value, not a mapping",
                   reader->path);
        return ERR_INVALID;
    }
    if (reader->has_key && !is_section(reader->path))
        return config_set(reader->cfg, reader->path, "", reader->why);
    if (reader->has_key)
        reader->path_len[++reader->depth] = strlen(reader->path);
    reader->has_key = false;
    return OK;
}

static enum err
begin_list(struct reader *reader)
{
    const struct config_key *key = config_find(reader->path);

    if (!reader->has_key || reader->in_list || reader->in_headers)
        return ERR_INVALID;
    if (key && key->type != CONFIG_LIST && key->type != CONFIG_HEADERS) {
        buf_printf(reader->why, "%s takes one value, not a list", key->path);
        return ERR_INVALID;
    }
    reader->in_list = true;
    return say_once(reader);
}

static enum err
take_event(struct reader *reader, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return take_scalar(reader, (str){(const char *)event->data.scalar.value,
                                         event->data.scalar.length});
    case YAML_MAPPING_START_EVENT:
        return begin_mapping(reader);
    case YAML_MAPPING_END_EVENT:
        if (reader->depth && !reader->in_headers)
            reader->depth--;
        reader->in_headers = false;
        reader->has_key = false;
        return OK;
    case YAML_SEQUENCE_START_EVENT:
        return begin_list(reader);
    case YAML_SEQUENCE_END_EVENT:
        reader->in_list = reader->has_key = false;
        return OK;
    case YAML_ALIAS_EVENT:
        buf_add(reader->why, STR("aliases are not understood"));
        return ERR_INVALID;
    case YAML_DOCUMENT_END_EVENT:
        if (!reader->has_key || !*reader->path) /* nothing, or `---` alone */
            return OK;
        buf_printf(reader->why, "a key and a value, not \"%s\" alone",
                   reader->path);
        return ERR_INVALID;
    default:
        return OK;
    }
}

/* A folder, too, can be opened and not read. */
static enum err
complain_unparsed(const struct reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;

    if (parser->error == YAML_READER_ERROR && ferror(reader->in)) {
        buf_printf(reader->why, "%s: %s", reader->file, strerror(errno));
        return ERR_IO;
    }
    buf_printf(reader->why, "%s:%zu: %s", reader->file,
               parser->problem_mark.line + 1,
               parser->problem ? parser->problem : "not YAML");
    return ERR_INVALID;
}

static enum err
read_events(struct reader *reader)
{
    enum err err = OK;
    bool ended = false;

    while (!err && !ended) {
        yaml_event_t event;
        if (!yaml_parser_parse(&reader->parser, &event))
            return complain_unparsed(reader);
        struct buf what = {0};
        struct buf *why = reader->why;
        reader->why = &what;
        err = take_event(reader, &event);
        reader->why = why;
        if (err)
            buf_printf(why, "%s:%zu: %s", reader->file,
                       event.start_mark.line + 1,
                       what.len ? buf_cstr(&what)
                                : "a mapping or list does not fit here");
        buf_fini(&what);
        ended = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    return err;
}

enum err
config_load(struct config *cfg, const char *file, struct buf *why)
{
    struct reader reader = {.cfg = cfg, .file = file, .why = why};
    FILE *in = fopen(file, "rb");

    cfg->file = file;
    if (!in) {
        buf_printf(why, "%s: %s", file, strerror(errno));
        return ERR_IO;
    }
    if (!yaml_parser_initialize(&reader.parser)) {
        (void)fclose(in);
        return ERR_NOMEM;
    }
    reader.in = in;
    yaml_parser_set_input_file(&reader.parser, in);
    enum err err = read_events(&reader);
    yaml_parser_delete(&reader.parser);
    buf_fini(&reader.name);
    (void)fclose(in);
    return err ? err : config_settle(cfg, why);
}

static void
print_quoted(struct buf *out, const char *text)
{
    buf_add_char(out, '"');
    for (; text && *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == 0x7f) {
            buf_printf(out, "\\u%04x", c);
            continue;
        }
        if (c == '"' || c == '\\')
            buf_add_char(out, '\\');
        buf_add_char(out, *text);
    }
    buf_add_char(out, '"');
}

static bool
is_secret(const struct config_key *key)
{
    return strstr(key->path, "tokens") || key->type == CONFIG_HEADERS;
}

static void
print_value(const struct config *cfg, const struct config_key *key,
            struct buf *out)
{
    const char *at = (const char *)cfg + key->offset;
    char text[DURATION_TEXT_CAP];
    const char *string;
    uint64_t number;
    struct config_list list;

    switch (key->type) {
    case CONFIG_BOOL:
        buf_add(out, *(const bool *)at ? STR("true") : STR("false"));
        return;
    case CONFIG_UINT:
    case CONFIG_BYTES:
        memcpy(&number, at, sizeof(number));
        buf_add_u64(out, number);
        return;
    case CONFIG_DURATION:
        memcpy(&number, at, sizeof(number));
        print_quoted(out, duration_text(number, text));
        return;
    case CONFIG_STR:
    case CONFIG_FILE:
    case CONFIG_CHOICE:
        memcpy(&string, at, sizeof(string));
        print_quoted(out, string);
        return;
    case CONFIG_LIST:
    case CONFIG_HEADERS:
        memcpy(&list, at, sizeof(list));
        buf_add_char(out, '[');
        for (size_t i = 0; i < list.len; i++) {
            buf_add(out, i ? STR(", ") : STR(""));
            print_quoted(out, is_secret(key) ? "****" : list.item[i]);
        }
        buf_add_char(out, ']');
        return;
    }
}

/* Prints the parts of |path| that |last| did not have, a line each but for the
 * last one. */
static void
print_path(const char *path, const char *last, struct buf *out)
{
    size_t same = 0; /* bytes of whole parts shared with |last| */
    int depth = 0;

    for (size_t i = 0; path[i] && path[i] == last[i]; i++) {
        if (path[i] == '.') {
            same = i + 1;
            depth++;
        }
    }
    for (const char *part = path + same; *part; depth++) {
        size_t len = strcspn(part, ".");
        buf_printf(out, "%*s%.*s:", 2 * depth, "", (int)len, part);
        part += len;
        if (*part == '.') {
            buf_add_char(out, '\n');
            part++;
        }
    }
}

void
config_print(const struct config *cfg, struct buf *out)
{
    const char *last = "";

    for (size_t i = 0; i < config_key_len; i++) {
        print_path(config_keys[i].path, last, out);
        buf_add_char(out, ' ');
        print_value(cfg, &config_keys[i], out);
        buf_printf(out, " # %s\n", config_keys[i].help);
        last = config_keys[i].path;
    }
}

void
config_print_json(const struct config *cfg, struct buf *out)
{
    for (size_t i = 0; i < config_key_len; i++) {
        buf_printf(out, "%s\"%s\": ", i ? ",\n  " : "{\n  ",
                   config_keys[i].path);
        print_value(cfg, &config_keys[i], out);
    }
    buf_add(out, STR("\n}\n"));
}
