/*
 * stop_signal - INT and TERM ask a command to come to an end of its own.
 *
 *     stop_signal_catch();
 *     while (there_is_more && !stop_signal_came())
 *         take_a_step();
 *
 * The first asks, and whoever works looks now and then; a second of its kind
 * ends the process at once.
 *
 * Threads    Any may look; the main thread catches, once.
 */
#ifndef CMD_STOP_SIGNAL_H
#define CMD_STOP_SIGNAL_H

#include <stdbool.h>

void stop_signal_catch(void);

/* stop_signal_came stays true. */
bool stop_signal_came(void);

#endif
