/*
 * version - of the program, as `version`, serverInfo and metrics say it.
 */
#ifndef CMD_VERSION_H
#define CMD_VERSION_H

#define SPANGRAPH_VERSION "0.1.0"
/* Of the manual page; the same for who builds it later. */
#define SPANGRAPH_DATE "2026-11-22"

#endif
