/*
 * commands - the one table of subcommands: help, completion and the manual
 * page come from it, and from what each command says of its options.
 *
 * Threads    The main thread.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include <stddef.h>

#include "cmd/options.h"

extern const struct command commands[];
extern const size_t command_len;

#endif
