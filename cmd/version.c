#include <stdio.h>

#include "cmd/options.h"
#include "cmd/version.h"

int
cmd_version(const struct command *self, int argc, char **argv)
{
    switch (options_parse(self, NULL, 0, &argc, argv)) {
    case OK:
        break;
    case ERR_CANCELLED:
        return EXIT_CLEAN;
    default:
        return EXIT_USAGE;
    }
    printf("spangraph %s\n", SPANGRAPH_VERSION);
    return EXIT_CLEAN;
}
