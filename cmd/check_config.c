#include <stdbool.h>
#include <stdio.h>

#include "cmd/admin.h"
#include "cmd/agent.h"
#include "cmd/config.h"
#include "cmd/config_keys.h"
#include "cmd/options.h"
#include "cmd/session.h"
#include "cmd/sidecar.h"

/* `serve` looks into the file of tokens, too; it may be another machine's. */
static enum err
check_doors(const struct config *cfg, struct buf *why)
{
    bool has_tokens =
        cfg->query_tokens.len || config_text(cfg->query_tokens_file);

    enum err err = admin_check(cfg, why);
    if (err || sidecar_is_wanted(cfg))
        return err;
    return agent_check_exposure(cfg, has_tokens, why);
}

int
cmd_check_config(const struct command *self, int argc, char **argv)
{
    struct config cfg;
    struct buf out = {0};

    const char *dir = NULL;
    bool json = false;
    bool reference = false;
    const struct option_spec specs[] = {
        {"data", OPTION_STR, &dir, "DIR",
         "folder of the database, instead of store.dir (data)"},
        {"json", OPTION_FLAG, &json, NULL, "print JSON, keys by whole path"},
        {"reference", OPTION_FLAG, &reference, NULL,
         "print every key with its meaning, as Markdown, and end"},
    };

    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (reference) {
        config_reference(&out);
        fputs(buf_cstr(&out), stdout);
        buf_fini(&out);
        return fflush(stdout) == 0 ? EXIT_CLEAN : EXIT_CANNOT_RUN;
    }
    if (argc > 2) {
        fprintf(stderr, "spangraph check-config: one file at a time\n");
        return EXIT_USAGE;
    }
    if (session_load_config(&cfg, self->name, argc == 2 ? argv[1] : NULL, dir))
        return EXIT_USAGE;
    err = check_doors(&cfg, &out);
    if (err) {
        fprintf(stderr, "spangraph check-config: %s\n", buf_cstr(&out));
    } else {
        (json ? config_print_json : config_print)(&cfg, &out);
        fputs(buf_cstr(&out), stdout);
    }
    buf_fini(&out);
    config_fini(&cfg);
    return err ? EXIT_USAGE : EXIT_CLEAN;
}
