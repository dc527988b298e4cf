#include <stdbool.h>
#include <stdio.h>

#include "cmd/config.h"
#include "cmd/options.h"
#include "cmd/session.h"

int
cmd_check_config(const struct command *self, int argc, char **argv)
{
    const char *dir = NULL;
    bool json = false;
    const struct option_spec specs[] = {
        {"data", OPTION_STR, &dir, "DIR",
         "folder of the database, instead of store.dir"},
        {"json", OPTION_FLAG, &json, NULL, "print what is in force as JSON"},
    };
    struct config cfg;
    struct buf out = {0};

    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 2) {
        fprintf(stderr, "spangraph check-config: one file at a time\n");
        return EXIT_USAGE;
    }
    if (session_load_config(&cfg, self->name, argc == 2 ? argv[1] : NULL, dir))
        return EXIT_USAGE;
    if (json)
        config_print_json(&cfg, &out);
    else
        config_print(&cfg, &out);
    fputs(buf_cstr(&out), stdout);
    buf_fini(&out);
    config_fini(&cfg);
    return EXIT_CLEAN;
}
