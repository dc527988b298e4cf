/*
 * lean - what only starting needed is given back.
 *
 * To start, a program reads relocations and symbols of each of its libraries,
 * sets up all of OpenSSL and gRPC, and reads a configuration; a service then
 * runs for months without that.  Pages of code and constants lie in files, so
 * the kernel brings back those that are needed after all.
 *
 * Threads    Any, while nothing loads libraries.
 */
#ifndef CMD_LEAN_H
#define CMD_LEAN_H

#include <stddef.h>

/* lean_start gives pages back, once all has started, and returns how many bytes
 * of files may have been mapped. */
size_t lean_start(void);

#endif
