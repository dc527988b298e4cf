/*
 * spare - descriptors that connections may not have.
 *
 * Whoever connects often enough would have them all: then no file can be
 * opened, and nobody else connects, at no other port either.  The system hands
 * out the lowest number that is free, so a number says how many are taken.
 *
 * Threads    Any.
 */
#ifndef NET_SPARE_H
#define NET_SPARE_H

#include <stdbool.h>

/* SPARE_FILES are left to others, or a part of SPARE_PART where there are few.
 */
enum { SPARE_FILES = 64, SPARE_PART = 8 };

/* spare_is_left: may a connection have the descriptor |fd|, when it is to leave
 * |times| as many?  Twice as many leave some to other ports, too. */
bool spare_is_left(int fd, unsigned times);

#endif
