#include "store/code_rows.h"

#define INTS(count, ...)  .int_len = (count), .ints = {__VA_ARGS__}
#define TEXTS(count, ...) .text_len = (count), .texts = {__VA_ARGS__}

const struct code_table_spec code_tables[CODE_TABLES] = {
    [CODE_FILES] = {"file", INTS(FILE_INTS, "num", "lang", "flags", "bytes"),
                    TEXTS(FILE_TEXTS, "path", "blob", "skipped"),
                    .blobs = 1 << FILE_BLOB},
    [CODE_NODES] = {"node",
                    INTS(SYMBOL_INTS, "num", "kind", "flags", "file", "line",
                         "col", "end_line"),
                    TEXTS(SYMBOL_TEXTS, "hash", "package", "name", "signature"),
                    .blobs = 1 << SYMBOL_HASH},
    [CODE_EDGES] = {"edge",
                    INTS(LINK_INTS, "src", "dst", "type", "provenance",
                         "permille"),
                    TEXTS(LINK_TEXTS, "hash", "sites"),
                    .blobs = 1 << LINK_HASH | 1 << LINK_SITES},
    [CODE_ROUTES] =
        {"route", INTS(PATH_INTS, "node", "handler", "file", "flags", "line"),
         TEXTS(PATH_TEXTS, "method", "raw", "canonical", "framework")},
    [CODE_SERVICES] = {"service", INTS(SERVED_INTS, "rank"),
                       TEXTS(SERVED_TEXTS, "name", "directory", "evidence")},
    [CODE_EXPOSURES] = {"exposure", TEXTS(EXPOSED_TEXTS, "host", "prefix",
                                          "rewrite", "service", "evidence")},
    [CODE_OWNERS] = {"owner", INTS(OWNER_INTS, "position", "line"),
                     TEXTS(OWNER_TEXTS, "pattern", "owner")},
    [CODE_LITERALS] = {"literal", INTS(LITERAL_INTS, "node", "kind"),
                       TEXTS(LITERAL_TEXTS, "text")},
    [CODE_AUTHORS] = {"author", INTS(AUTHOR_INTS, "file", "commits", "last_s"),
                      TEXTS(AUTHOR_TEXTS, "author")},
};
