/*
 * grammar - the parse tables of a language, unpacked when they are needed.
 *
 * Tables of thirteen grammars are 20 MB, nine tenths of the program, and pack
 * to a tenth of that; the service never parses.  So they lie packed in the
 * program (deploy/grammars.sh), and the process that indexes unpacks those of
 * the languages it meets, before it starts the parsers, which share them.
 *
 * Memory     What a language's tables take stays until the process ends.
 * Threads    Any.
 */
#ifndef INDEX_GRAMMAR_H
#define INDEX_GRAMMAR_H

#include <stdatomic.h>
#include <stddef.h>

struct TSLanguage;

/* A table, and how long it is. */
struct grammar_part {
    void *table; /* a constant, but for who unpacks it */
    size_t bytes;
};

/* Made by deploy/grammars.sh, one for each language. */
struct grammar {
    const struct TSLanguage *(*language)(void);
    const struct grammar_part *parts;
    size_t part_len;
    const unsigned char *packed; /* a zstd frame a part, in their order */
    const unsigned char *packed_end;
    atomic_bool *is_unpacked;
};

/* grammar_language is the grammar, unpacked; NULL: there is no memory, or what
 * is packed is damaged. */
const struct TSLanguage *grammar_language(const struct grammar *grammar);

#endif
