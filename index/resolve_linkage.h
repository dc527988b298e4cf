/*
 * resolve_linkage - which of several definitions of one name a file of C or C++
 * sees.
 *
 * Threads    None.
 */
#ifndef INDEX_RESOLVE_LINKAGE_H
#define INDEX_RESOLVE_LINKAGE_H

#include "index/resolve_impl.h"

static inline bool
is_c_family(uint8_t lang)
{
    return lang == LANG_C || lang == LANG_CPP;
}

/* So many includes of included files are followed for a file; where there are
 * more, it sees what it includes itself, and what else a name may mean there is
 * not told. */
enum { LINKAGE_STEPS_MAX = 16384 };

/* What more definitions than these mean to a file is kept. */
enum { LINKAGE_ROWS_FEW = 8 };

/* is_defined says whether definitions are all there is of |rows|. */
bool is_defined(struct rows rows);

/* linkage_prepare makes the tables; false without memory.  linkage_fini frees
 * them, made or not. */
bool linkage_prepare(struct resolver *r);
void linkage_fini(struct resolver *r);

/* linkage_included is the nearest file whose path ends with |path|, as an
 * include of |file| has it, + 1; 0: there is none. */
uint32_t linkage_included(struct resolver *r, uint32_t file, str path);

/* linkage_pick is the value of the one definition of |rows| that |file| sees,
 * or of a declaration where nothing is defined; none where two would do. */
struct val linkage_pick(struct resolver *r, struct rows rows, uint32_t file);

/* linkage_pick_member is the same of the members of a type that stands in
 * |file|: whoever has the type sees them. */
struct val
linkage_pick_member(struct resolver *r, struct rows rows, uint32_t file);

/* path_nearness is how much of the paths of two files is the same, by folder.
 */
size_t path_nearness(const struct resolver *r, uint32_t a, uint32_t b);

#endif
