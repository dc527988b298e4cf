#include <stdbool.h>
#include <stdio.h>

#include "cmd/options.h"
#include "cmd/version.h"

int
cmd_version(const struct command *self, int argc, char **argv)
{
    const char *dir = NULL;
    bool json = false;
    const struct option_spec specs[] = {
        {"data", OPTION_STR, &dir, "DIR", "taken as everywhere; not used"},
        {"json", OPTION_FLAG, &json, NULL, "print JSON"},
    };

    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1) {
        fprintf(stderr, "spangraph version: \"%s\" is one word too many\n",
                argv[1]);
        return EXIT_USAGE;
    }
    printf(json ? "{\"name\":\"spangraph\",\"version\":\"%s\"}\n"
                : "spangraph %s\n",
           SPANGRAPH_VERSION);
    return EXIT_CLEAN;
}
