/*
 * walk_def - definitions of languages that write modifiers, annotations and
 * types the way Java does.
 *
 *     struct walk_marks marks = {0};
 *     ... gather them ...
 *     def = walk_define(w, &(struct walk_place){node, name, body, from}, row);
 *     walk_marks_end(w, def, &marks);
 *     walk_body(w, def, body);
 *
 * Threads    One walk, one thread.
 */
#ifndef INDEX_WALK_DEF_H
#define INDEX_WALK_DEF_H

#include "index/walk.h"

/* What stands before a definition. */
struct walk_marks {
    struct extract_list list;
    uint32_t flags; /* DEF_... */
    bool is_const;
    bool is_private;
    bool is_property;   /* Kotlin: val, var */
    bool is_annotation; /* Kotlin: annotation class */
};

struct walk_word {
    const char *word;
    uint32_t flags; /* DEF_... */
};

/* walk_mark keeps an annotation; its name among |tests| makes a test case. */
void walk_mark(struct walk *w, struct walk_marks *marks, uint32_t expr,
               const char *const *tests);
/* walk_modifier adds the flags of a word; |words| ends with NULL. */
void walk_modifier(struct walk_marks *marks, str word,
                   const struct walk_word *words);
void walk_marks_end(struct walk *w, uint32_t def, struct walk_marks *marks);

struct walk_place {
    TSNode node;
    TSNode name;   /* null: |node| */
    TSNode body;   /* null: none */
    uint32_t from; /* byte at which the signature begins; 0: of |node| */
};
/* walk_define completes |row| with its parent, name, lines and signature; 0 for
 * one without a name that is no lambda. */
uint32_t walk_define(struct walk *w, const struct walk_place *place,
                     struct fact_def row);
void walk_bases(struct walk *w, uint32_t def, struct extract_list *bases,
                uint32_t interfaces);

/* walk_body passes |body| as what stands in |def|. */
void walk_body(struct walk *w, uint32_t def, TSNode body);
/* walk_returned is the value of |body|, an expression, which |def| returns. */
void walk_returned(struct walk *w, uint32_t def, TSNode body);

struct walk_frame {
    uint32_t scope;
    uint32_t nest;
};
struct walk_frame walk_enter(struct walk *w, uint32_t def);
void walk_leave(struct walk *w, struct walk_frame frame);

/* walk_split parts a dotted name at its last dot: the module, and the name. */
str walk_split(str dotted, str *last);

/* walk_wrapped is GENERIC(NAME |base|, inner): arrays. */
uint32_t walk_wrapped(struct walk *w, TSNode at, str base, uint32_t inner);

bool walk_is_type(const struct walk *w, uint32_t def);

/* walk_return binds what `return` gives back. */
void walk_return(struct walk *w, TSNode node, uint32_t value);
/* walk_assign binds what |target| names; a lambda gets the name. */
void walk_assign(struct walk *w, TSNode node, uint32_t target, uint32_t value);
/* walk_hint names a lambda after what it is bound to. */
void walk_hint(struct walk *w, uint32_t value, TSNode name);

#endif
