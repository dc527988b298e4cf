/*
 * lang - the languages: which files, which grammar, which extractor.
 *
 * One row a language.  An extractor walks a tree once, top down, and writes
 * facts; it resolves nothing and knows no framework.
 *
 * Threads    The table is constant; extractors run on any thread, each with its
 *            own struct extract.
 */
#ifndef INDEX_LANG_H
#define INDEX_LANG_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "index/facts.h"

struct grammar;
struct extract;
struct extract_name;
typedef void lang_extract_fn(struct extract *x);

/* The kinds and fields of the grammar that an extractor knows, and by which
 * numbers (index/extract.h). */
struct lang_names {
    const struct extract_name *kinds;
    const struct extract_name *fields;
    uint16_t kind_len;
    uint16_t field_len;
};

struct lang {
    enum lang_id id;
    const char *name;              /* "go", as printed */
    const char *const *extensions; /* ".go", ...; NULL ends them */
    const struct grammar *grammar; /* NULL: reads text itself */
    const struct lang_names *names;
    lang_extract_fn *extract;
};

const struct lang *lang_get(enum lang_id id);
/* lang_of_path goes by extension, and the first line (`#!`) where there is
 * none; NULL: not a language of ours. */
const struct lang *lang_of_path(str path, str content);

/* lang_is_cpp says whether a header, of C by its name, holds C++. */
bool lang_is_cpp(str content);

/* lang_is_test says whether tests are what a file of that path holds. */
bool lang_is_test(enum lang_id id, str path);
/* lang_is_generated looks at the path and the first lines. */
bool lang_is_generated(enum lang_id id, str path, str content);
/* lang_is_minified: lines far too long to be written by a person. */
bool lang_is_minified(str content);

struct lang_limits {
    uint64_t timeout_ns; /* of parsing one file; 5 s */
    uint32_t max_bytes;  /* of one file; 2 MiB */
};
extern const struct lang_limits lang_limits_default;

/*
 * lang_facts parses |content| and writes what it says to |facts| (which it
 * initialises; facts_fini frees, whatever is returned).
 *
 * ERR_TOO_LARGE    over max_bytes
 * ERR_CANCELLED    took longer than timeout_ns
 * ERR_UNSUPPORTED  the grammar is not the one this was built for
 * ERR_NOMEM
 */
enum err lang_facts(const struct lang *lang, str path, str content,
                    const struct lang_limits *limits, struct facts *facts);

/* One an extractor file: index/lang_<name>.c. */
lang_extract_fn lang_extract_go;
lang_extract_fn lang_extract_python;
lang_extract_fn lang_extract_javascript; /* TypeScript and TSX too */
lang_extract_fn lang_extract_java;
lang_extract_fn lang_extract_csharp;
lang_extract_fn lang_extract_ruby;
lang_extract_fn lang_extract_php;
lang_extract_fn lang_extract_rust;
lang_extract_fn lang_extract_c; /* C++ too */
lang_extract_fn lang_extract_kotlin;
lang_extract_fn lang_extract_proto; /* Thrift too */

extern const struct lang_names lang_names_go;
extern const struct lang_names lang_names_python;
extern const struct lang_names lang_names_javascript;
extern const struct lang_names lang_names_java;
extern const struct lang_names lang_names_csharp;
extern const struct lang_names lang_names_ruby;
extern const struct lang_names lang_names_php;
extern const struct lang_names lang_names_rust;
extern const struct lang_names lang_names_c;
extern const struct lang_names lang_names_kotlin;

#endif
