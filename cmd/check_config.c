#include <stdio.h>

#include "cmd/config.h"
#include "cmd/options.h"
#include "cmd/session.h"

int
cmd_check_config(const struct command *self, int argc, char **argv)
{
    struct config cfg;
    struct buf out = {0};

    switch (options_parse(self, NULL, 0, &argc, argv)) {
    case OK:
        break;
    case ERR_CANCELLED:
        return EXIT_CLEAN;
    default:
        return EXIT_USAGE;
    }
    if (argc > 2) {
        fprintf(stderr, "spangraph check-config: one file at a time\n");
        return EXIT_USAGE;
    }
    if (session_load_config(&cfg, self->name, argc == 2 ? argv[1] : NULL, NULL))
        return EXIT_USAGE;
    config_print(&cfg, &out);
    fputs(buf_cstr(&out), stdout);
    buf_fini(&out);
    config_fini(&cfg);
    return EXIT_CLEAN;
}
