/*
 * Maven's pom.xml: the project's own artifactId, which Quarkus and the names of
 * jars go by.  Tags are counted, nothing else of XML is read: those of a
 * parent, of dependencies and of plugins stand deeper.
 */
#include <string.h>

#include "index/manifest_impl.h"

enum { DEPTH_OF_PROJECT = 1 };

struct tags {
    str rest;
    uint32_t depth; /* of what is open */
};

/* Behind the next |end|; nothing is left where there is none. */
static void
skip_past(struct tags *tags, str end)
{
    const char *at = tags->rest.len ? memmem(tags->rest.ptr, tags->rest.len,
                                             end.ptr, end.len)
                                    : NULL;
    size_t len = at ? (size_t)(at - tags->rest.ptr) + end.len : tags->rest.len;

    tags->rest = str_cut(tags->rest, len, tags->rest.len);
}

static str
name_of_tag(str rest)
{
    size_t len = 0;

    while (len < rest.len && !strchr(" \t\r\n/>", rest.ptr[len]))
        len++;
    return str_cut(rest, 0, len);
}

/* Opens or closes the next tag; empty: it was no opening one. */
static str
next_tag(struct tags *tags)
{
    skip_past(tags, STR("<"));
    str rest = tags->rest;
    str name = {"", 0};

    if (str_starts(rest, STR("!--"))) {
        skip_past(tags, STR("-->"));
        return name;
    }
    if (str_starts(rest, STR("![CDATA["))) {
        skip_past(tags, STR("]]>"));
        return name;
    }
    skip_past(tags, STR(">"));
    if (rest.len == 0 || strchr("!?", rest.ptr[0]))
        return name;
    if (rest.ptr[0] == '/') {
        tags->depth -= tags->depth > 0;
        return name;
    }
    size_t len = rest.len - tags->rest.len;
    if (len >= 2 && rest.ptr[len - 2] == '/')
        return name;
    tags->depth++;
    return name_of_tag(rest);
}

static str
text_of_tag(const struct tags *tags)
{
    const char *end =
        tags->rest.len ? memchr(tags->rest.ptr, '<', tags->rest.len) : NULL;

    return end ? manifest_trim(
                     str_cut(tags->rest, 0, (size_t)(end - tags->rest.ptr)))
               : (str){"", 0};
}

void
manifest_pom(struct manifest_file *file)
{
    struct tags tags = {file->content, 0};
    str artifact = {"", 0};
    str packaging = {"", 0};

    manifest_folder(file, file->folder);
    while (tags.rest.len > 0) {
        str name = next_tag(&tags);
        if (tags.depth != DEPTH_OF_PROJECT + 1)
            continue;
        if (str_eq(name, STR("artifactId")))
            artifact = text_of_tag(&tags);
        else if (str_eq(name, STR("packaging")))
            packaging = text_of_tag(&tags);
    }
    /* One that only holds others is no service. */
    if (!str_eq(packaging, STR("pom")))
        manifest_service(file, RANK_PACKAGE, artifact, file->folder,
                         (str){"", 0});
}
