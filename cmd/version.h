/*
 * version - of the program, as `version`, serverInfo and metrics say it.
 */
#ifndef CMD_VERSION_H
#define CMD_VERSION_H

#define SPANGRAPH_VERSION "0.1.0"

#endif
