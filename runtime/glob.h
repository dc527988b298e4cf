/*
 * glob - does a text fit a pattern in which `*` is any characters.
 *
 * Threads    Any thread; no state.
 */
#ifndef RUNTIME_GLOB_H
#define RUNTIME_GLOB_H

#include <stdbool.h>

#include "base/str.h"

/* glob_match compares all of |text|; only `*` is special, and letters count
 * as they are.  O(pattern * text) at worst. */
bool glob_match(str pattern, str text);

#endif
