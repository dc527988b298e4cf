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
        {"data", OPTION_STR, &dir, "DIR", "is not looked at"},
        {"json", OPTION_FLAG, &json, NULL, "print it as JSON"},
    };

    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (json)
        printf("{\"name\":\"spangraph\",\"version\":\"%s\"}\n",
               SPANGRAPH_VERSION);
    else
        printf("spangraph %s\n", SPANGRAPH_VERSION);
    return EXIT_CLEAN;
}
