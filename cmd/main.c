/*
 * Which subcommand, and nothing else.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "cmd/commands.h"

enum { COMMANDS_MAX = 64 };

static void
print_usage(FILE *to)
{
    fprintf(to, "usage: spangraph COMMAND [options]\n\n"
                "spangraph shows the paths your code actually walks: traces "
                "in, living call graph out.\n\n");
    for (size_t i = 0; i < command_len; i++)
        if (commands[i].summary)
            fprintf(to, "  %-14s %s\n", commands[i].name, commands[i].summary);
    fprintf(to, "\nspangraph COMMAND --help says more.  Start with: "
                "spangraph serve\n");
}

static int
complain(const char *word)
{
    const char *names[COMMANDS_MAX];
    size_t len = command_len < COMMANDS_MAX ? command_len : COMMANDS_MAX;

    for (size_t i = 0; i < len; i++)
        names[i] = commands[i].name;
    const char *near = nearest_name(names, len, str_of(word));
    fprintf(stderr, "spangraph: no command \"%s\"", word);
    if (near)
        fprintf(stderr, "; did you mean %s?", near);
    fprintf(stderr, "\nSee spangraph --help.\n");
    return EXIT_USAGE;
}

static int
run(const char *word, int argc, char **argv)
{
    for (size_t i = 0; i < command_len; i++) {
        if (strcmp(commands[i].name, word) == 0)
            return commands[i].run(&commands[i], argc, argv);
    }
    return complain(word);
}

/* An answer that did not get out whole is none, on a full disk above all. */
static int
end_output(int rc)
{
    bool is_whole = fflush(stdout) == 0 && !ferror(stdout);

    if (is_whole || rc == EXIT_CANNOT_RUN)
        return rc;
    fprintf(stderr, "spangraph: cannot print the answer\n");
    return EXIT_CANNOT_RUN;
}

static int
start(int argc, char **argv)
{
    char help[] = "--help";

    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    bool is_help = strcmp(argv[1], "help") == 0;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        (is_help && argc == 2)) {
        print_usage(stdout);
        return EXIT_CLEAN;
    }
    if (is_help) /* `help edges` is `edges --help` */
        return run(argv[2], 2, (char *[]){argv[2], help, NULL});
    return run(strcmp(argv[1], "--version") == 0 ? "version" : argv[1],
               argc - 1, argv + 1);
}

int
main(int argc, char **argv)
{
    /* A file that may not grow is an error of its write, not the end of us. */
    (void)signal(SIGXFSZ, SIG_IGN);
    return end_output(start(argc, argv));
}
