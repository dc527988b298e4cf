/* `serve`: the command line of the service, of its demo and of a sidecar. */
#include <stdio.h>

#include "base/clock.h"
#include "base/metrics.h"
#include "cmd/demo_home.h"
#include "cmd/inlet.h"
#include "cmd/options.h"
#include "cmd/service.h"
#include "cmd/session.h"
#include "cmd/sidecar.h"

/* What is asked for on the command line. */
struct ask_serve {
    const char *dir;
    const char *file;
    bool json;
    bool demo;
    bool force;
};

static int
serve(const struct command *self, const struct ask_serve *ask,
      struct demo_home *demo_home)
{
    struct config cfg;

    if (session_load_config(&cfg, self->name, ask->file,
                            demo_home ? buf_cstr(&demo_home->dir) : ask->dir))
        return EXIT_USAGE;
    if (demo_home && !ask->file) {
        demo_home_configure(&cfg);
        session_log(&cfg, self->name, false);
    }
    cfg.asked.log_format = ask->json;
    if (ask->json)
        session_log(&cfg, self->name, true);
    metrics_set(METRIC_START_SECONDS, (int64_t)(clock_wall_ns() / NS_PER_S));
    int status = EXIT_USAGE;
    if (inlet_set_up(&cfg)) {
        fprintf(stderr, "spangraph serve: %s\n", err_str(ERR_NOMEM));
        status = EXIT_CANNOT_RUN;
    } else if (!sidecar_is_wanted(&cfg))
        status = service_run(&cfg, demo_home);
    else if (!demo_home)
        status = sidecar_run(&cfg);
    else
        fprintf(stderr, "spangraph serve: a sidecar (forward.endpoint) keeps "
                        "no graph to show; leave --demo out\n");
    config_fini(&cfg);
    return status;
}

static int
serve_demo(const struct command *self, const struct ask_serve *ask)
{
    struct demo_home home;
    enum err err = demo_home_open(&home, ask->dir, ask->force);
    int rc = err == ERR_INVALID ? EXIT_USAGE : EXIT_CANNOT_RUN;

    if (!err && demo_home_guard(&home, &rc) == OK) {
        rc = demo_home_declare(&home);
        if (rc == EXIT_CLEAN)
            rc = serve(self, ask, &home);
    }
    demo_home_fini(&home);
    return rc;
}

int
cmd_serve(const struct command *self, int argc, char **argv)
{
    struct ask_serve ask = {0};
    const struct option_spec specs[] = {
        {"config", OPTION_STR, &ask.file, "FILE",
         "configuration, YAML; without one everything has a default"},
        {"data", OPTION_STR, &ask.dir, "DIR",
         "folder of the database, instead of store.dir (data)"},
        {"json", OPTION_FLAG, &ask.json, NULL,
         "log JSON, instead of service.log.format"},
        {"demo", OPTION_FLAG, &ask.demo, NULL,
         "replay a recorded trace, in a temporary folder unless --data is "
         "given"},
        {"force", OPTION_FLAG, &ask.force, NULL,
         "with --demo: also into a store that is there"},
    };
    enum err err = options_parse(self, specs, sizeof(specs) / sizeof(specs[0]),
                                 &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1) {
        fprintf(stderr, "spangraph serve: \"%s\" is one word too many\n",
                argv[1]);
        return EXIT_USAGE;
    }
    if (ask.force && !ask.demo) {
        fprintf(stderr, "spangraph serve: --force is for --demo\n");
        return EXIT_USAGE;
    }
    return ask.demo ? serve_demo(self, &ask) : serve(self, &ask, NULL);
}
