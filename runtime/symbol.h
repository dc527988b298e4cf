/*
 * symbol - the function a span names.
 *
 * A span may say in which function it was made, by name or by file and line.
 * What it says is kept as it is, whether or not the code is known; it is joined
 * to the code when the graph is read.
 *
 * Threads    As lane.h.
 */
#ifndef RUNTIME_SYMBOL_H
#define RUNTIME_SYMBOL_H

#include "runtime/lane.h"

/* symbol_of_span is the NODE_SYMBOL of the lane's service named
 * `namespace.function`, `Controller.callback`, `function` or, where there is
 * no name, `path:line`; 0 if |attrs| say nothing of it.  What cannot be a name,
 * because a value is in it (a=1, a@b.c, quotes), is not looked at, nor what is
 * of a package that is installed and not named as the service: the function
 * around it is meant then.  A bare `function` whose file is told is
 * `path:function`. */
uint32_t symbol_of_span(struct intake_lane *lane, const struct attr_set *attrs);

#endif
