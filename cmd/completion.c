/*
 * `spangraph completion SHELL` and `spangraph man`: the table of commands, and
 * what each says of its options, as shells and man read them.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/version.h"

static void
print_names(void)
{
    for (size_t i = 0; i < command_len; i++)
        if (commands[i].summary)
            printf(" %s", commands[i].name);
}

static void
print_bash(void)
{
    printf("# bash completion of spangraph: source it, or put it into\n"
           "# ~/.local/share/bash-completion/completions/spangraph\n"
           "_spangraph() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} "
           "prev=${COMP_WORDS[COMP_CWORD-1]} words= files= values=\n"
           "    COMPREPLY=()\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W \"");
    print_names();
    printf(" --help --version\" -- \"$cur\"))\n        return\n    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < command_len; i++) {
        if (!commands[i].summary)
            continue;
        printf("    %s)\n        words='", commands[i].name);
        options_describe(&commands[i], OPTIONS_WORDS);
        printf("'\n        files=' ");
        options_describe(&commands[i], OPTIONS_FILES);
        printf(" '\n        values=' ");
        options_describe(&commands[i], OPTIONS_VALUES);
        printf(" '\n        ;;\n");
    }
    printf("    esac\n"
           "    [ \"${COMP_WORDS[1]}\" != completion ] || "
           "words=\"bash zsh fish\"\n"
           "    case $values in *\" $prev \"*) return ;; esac\n"
           "    case $files in\n"
           "    *\" $prev \"*) ;;\n"
           "    *) COMPREPLY=($(compgen -W \"$words\" -- \"$cur\")) ;;\n"
           "    esac\n"
           "    case $cur in -*) ;; *) [ ${#COMPREPLY[@]} -gt 0 ] || "
           "mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;; esac\n"
           "}\n"
           "complete -o filenames -F _spangraph spangraph\n");
}

static void
print_zsh(void)
{
    printf("#compdef spangraph\n"
           "# zsh completion of spangraph: put it into a folder of $fpath as "
           "_spangraph\n"
           "_spangraph() {\n"
           "    local -a names\n"
           "    if (( CURRENT == 2 )); then\n"
           "        names=(");
    print_names();
    printf(")\n        _describe command names\n        return\n    fi\n"
           "    local name=$words[2]\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    case $name in\n");
    for (size_t i = 0; i < command_len; i++) {
        if (!commands[i].summary)
            continue;
        printf("    %s)\n        _arguments \\\n", commands[i].name);
        options_describe(&commands[i], OPTIONS_ZSH);
        printf("            '%s'\n        ;;\n",
               strcmp(commands[i].name, "completion") == 0
                   ? ":shell:(bash zsh fish)"
                   : "*:file:_files");
    }
    printf("    esac\n}\n"
           "if [ \"$funcstack[1]\" = _spangraph ]; then\n"
           "    _spangraph \"$@\"\nelse\n    compdef _spangraph spangraph\n"
           "fi\n");
}

static void
print_fish(void)
{
    printf("# fish completion of spangraph: put it into\n"
           "# ~/.config/fish/completions/spangraph.fish\n");
    for (size_t i = 0; i < command_len; i++) {
        if (!commands[i].summary)
            continue;
        printf("complete -c spangraph -n __fish_use_subcommand -f -a %s -d '",
               commands[i].name);
        for (const char *p = commands[i].summary; *p; p++)
            printf(*p == '\'' || *p == '\\' ? "\\%c" : "%c", *p);
        printf("'\n");
        options_describe(&commands[i], OPTIONS_FISH);
    }
    printf("complete -c spangraph -n '__fish_seen_subcommand_from completion' "
           "-f -a 'bash zsh fish'\n");
}

int
cmd_completion(const struct command *self, int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {
        {"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    enum err err = options_parse(self, NULL, 0, &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    for (size_t i = 0; argc == 2 && i < sizeof(shells) / sizeof(*shells); i++) {
        if (strcmp(argv[1], shells[i].name) != 0)
            continue;
        shells[i].print();
        return EXIT_CLEAN;
    }
    fprintf(stderr, "usage: spangraph %s\n", self->usage);
    return EXIT_USAGE;
}

/* ---- the manual page ---- */

static const char man_head[] =
    ".SH NAME\nspangraph \\- the call graph that traces draw\n"
    ".SH SYNOPSIS\n.B spangraph\n.I COMMAND\n[options]\n"
    ".SH DESCRIPTION\n"
    "spangraph receives OpenTelemetry traces and keeps the call graph they\n"
    "show: which service and which route calls which, how often, when last.\n"
    "It is asked on the command line, over MCP by agents, and over HTTP by\n"
    "Prometheus, Grafana and Jaeger's tools.\n"
    ".SH COMMANDS\n";

static const char man_tail[] =
    ".SH EXIT STATUS\n"
    ".TP\n.B 0\nclean\n.TP\n.B 1\nfindings\n.TP\n.B 2\nusage\n"
    ".TP\n.B 3\nnot enough evidence\n.TP\n.B 4\ncannot run\n"
    ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colours, if it is not empty\n"
    ".SH FILES\n.TP\n.I /etc/spangraph/spangraph.yaml\n"
    "configuration of the system's service; all keys: spangraph "
    "check\\-config\n"
    ".TP\n.I data\nfolder of the databases, unless told otherwise\n"
    ".SH EXAMPLES\n.nf\n"
    "spangraph serve\n"
    "spangraph edges \\-\\-level endpoint\n"
    "spangraph dead\\-routes \\-\\-since 30d \\-\\-service shop\n"
    ".fi\n";

int
cmd_man(const struct command *self, int argc, char **argv)
{
    enum err err = options_parse(self, NULL, 0, &argc, argv);

    if (err)
        return err == ERR_CANCELLED ? EXIT_CLEAN : EXIT_USAGE;
    if (argc > 1) {
        fprintf(stderr, "usage: spangraph %s\n", self->usage);
        return EXIT_USAGE;
    }
    printf(".TH SPANGRAPH 1 %s \"spangraph %s\" \"User Commands\"\n%s",
           SPANGRAPH_DATE, SPANGRAPH_VERSION, man_head);
    for (size_t i = 0; i < command_len; i++) {
        if (!commands[i].summary)
            continue;
        printf(".SS \"spangraph ");
        options_print_roff(commands[i].usage);
        printf("\"\n");
        options_print_roff(commands[i].summary);
        printf("\n");
        options_describe(&commands[i], OPTIONS_ROFF);
    }
    printf("%s", man_tail);
    return EXIT_CLEAN;
}
