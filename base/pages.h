/*
 * pages - large arrays, whose memory is taken as it is touched.
 *
 * Threads    Any thread; no state.
 */
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

/* As large as a huge page is on most machines. */
#define PAGES_HUGE ((size_t)1 << 21)

/* pages_reserve gives |bytes| of zeros that are no memory yet, or NULL; they
 * begin at a multiple of PAGES_HUGE if there are as many.  pages_release takes
 * them back; NULL is none. */
void *pages_reserve(size_t bytes);
void pages_release(void *pages, size_t bytes);

/* pages_drop gives the memory of whole pages back; they are zeros again. */
void pages_drop(void *pages, size_t bytes);

/* pages_be_huge asks for huge pages where none has been touched yet, from now
 * on.  That only makes faster: a kernel that has none, or was told to give
 * none, is as good. */
void pages_be_huge(void *pages, size_t bytes);

/* pages_move moves the memory of whole pages of one reserve to others, which
 * lose theirs, and leaves zeros; neither may overlap.  What is in them then is
 * not said: a kernel that cannot move pages (before 5.7) gives fresh ones. */
void pages_move(void *to, void *from, size_t bytes);

#endif
