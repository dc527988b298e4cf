#include "cmd/header_lines.h"

#include <string.h>
#include <strings.h>

/* Of a list, |len| bytes at |text|. */
static bool
is_token(const char *text, size_t len)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789"
                                "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    return len > 0 && strspn(text, token) >= len;
}

bool
header_lines_is_name(const char *text)
{
    return is_token(text, strlen(text));
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool
header_lines_cut(const char *line, struct header *out)
{
    size_t name = strcspn(line, ":");
    str value = str_of(line + name + (line[name] == ':'));

    while (value.len && is_blank(value.ptr[0]))
        value = str_cut(value, 1, value.len);
    while (value.len && is_blank(value.ptr[value.len - 1]))
        value.len--;
    *out = (struct header){{line, name}, value};
    if (line[name] != ':' || !is_token(line, name))
        return false;
    for (size_t i = 0; i < value.len; i++)
        if ((unsigned char)value.ptr[i] == 0x7f ||
            ((unsigned char)value.ptr[i] < ' ' && value.ptr[i] != '\t'))
            return false;
    return true;
}

/* |number| counts from 1: the value may be a secret. */
static enum err
refuse(const char *key, size_t number, struct buf *why)
{
    buf_printf(why, "%s: number %zu is not \"Name: value\"", key, number);
    return ERR_INVALID;
}

enum err
header_lines_check(const struct config_list *list, const char *key,
                   struct buf *why)
{
    struct header header;

    for (size_t i = 0; i < list->len; i++)
        if (!header_lines_cut(list->item[i], &header))
            return refuse(key, i + 1, why);
    return OK;
}

static bool
is_ours(str name)
{
    static const char *const ours[] = {
        "connection", "content-encoding",  "content-length",   "content-type",
        "date",       "keep-alive",        "proxy-connection", "te",
        "trailer",    "transfer-encoding", "upgrade",
    };
    static const char cors[] = "access-control-";

    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        if (strlen(ours[i]) == name.len &&
            strncasecmp(ours[i], name.ptr, name.len) == 0)
            return true;
    return name.len >= sizeof(cors) - 1 &&
           strncasecmp(cors, name.ptr, sizeof(cors) - 1) == 0;
}

enum err
header_lines_check_answer(const struct config_list *list, const char *key,
                          struct buf *why)
{
    struct header header;

    for (size_t i = 0; i < list->len; i++) {
        if (!header_lines_cut(list->item[i], &header))
            return refuse(key, i + 1, why);
        if (!is_ours(header.name))
            continue;
        buf_printf(why, "%s: %.*s is what the service says by itself", key,
                   (int)header.name.len, header.name.ptr);
        return ERR_INVALID;
    }
    return OK;
}

enum err
header_lines_check_names(const struct config_list *list, const char *key,
                         struct buf *why)
{
    for (size_t i = 0; i < list->len; i++) {
        if (header_lines_is_name(list->item[i]))
            continue;
        buf_printf(why, "%s: number %zu is not the name of a header", key,
                   i + 1);
        return ERR_INVALID;
    }
    return OK;
}
