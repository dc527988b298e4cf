/*
 * What a command says of its options, for shells and the manual: the words are
 * ours, but each reader has signs that mean something to it.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/options.h"

static const char *const words[OPTIONS_STYLE_COUNT] = {
    "--describe=words", "--describe=files", "--describe=values",
    "--describe=zsh",   "--describe=fish",  "--describe=roff",
};

void
options_describe(const struct command *command, enum options_style how)
{
    char name[32];
    char word[32];
    char *argv[] = {name, word, NULL};

    (void)snprintf(name, sizeof(name), "%s", command->name);
    (void)snprintf(word, sizeof(word), "%s", words[how]);
    (void)command->run(command, 2, argv);
}

bool
options_is_asked(const char *word, enum options_style *how)
{
    for (int i = 0; i < OPTIONS_STYLE_COUNT; i++) {
        if (strcmp(word, words[i]) == 0) {
            *how = (enum options_style)i;
            return true;
        }
    }
    return false;
}

/* A sign that means something to roff takes two bytes.  The lines are filled by
 * the reader; what begins one with a dot or a quote would be a command. */
void
options_print_roff(const char *text)
{
    enum { WIDTH = 78 };
    size_t column = 0;

    while (*text) {
        size_t len = strcspn(text, " ");
        size_t width = len;

        for (size_t i = 0; i < len; i++)
            width += text[i] == '-' || text[i] == '\\';
        if (column)
            fputs(column + 1 + width > WIDTH ? "\n" : " ", stdout);
        column = column && column + 1 + width <= WIDTH ? column + 1 : 0;
        if (column == 0 && strchr(".'", *text))
            fputs("\\&", stdout);
        for (size_t i = 0; i < len; i++)
            printf(text[i] == '-'    ? "\\-"
                   : text[i] == '\\' ? "\\e"
                                     : "%c",
                   text[i]);
        column += width;
        text += len;
        text += strspn(text, " ");
    }
}

/* Prints |text| with what |how| must put before some signs. */
static void
print_text(const char *text, enum options_style how)
{
    for (; *text; text++) {
        if (how == OPTIONS_ZSH && *text == '\'')
            fputs("'\\''", stdout);
        else if ((how == OPTIONS_ZSH && strchr("[]:\\", *text)) ||
                 (how == OPTIONS_FISH && strchr("\\'", *text)))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static bool
is_file(const struct option_spec *spec)
{
    return spec->value && (strcmp(spec->value, "DIR") == 0 ||
                           strcmp(spec->value, "FILE") == 0 ||
                           strcmp(spec->value, "FOLDER") == 0);
}

static void
print_zsh(const struct option_spec *spec)
{
    printf("            '%s--%s[", spec->type == OPTION_LIST ? "*" : "",
           spec->name);
    print_text(spec->help, OPTIONS_ZSH);
    printf("]%s%s%s' \\\n", spec->value ? ":" : "",
           spec->value ? spec->value : "",
           is_file(spec) ? ":_files"
           : spec->value ? ": "
                         : "");
}

static void
print_one(const struct command *command, const struct option_spec *spec,
          enum options_style how)
{
    switch (how) {
    case OPTIONS_WORDS:
        printf(" --%s", spec->name);
        break;
    case OPTIONS_FILES:
    case OPTIONS_VALUES:
        if (spec->value && is_file(spec) == (how == OPTIONS_FILES))
            printf(" --%s", spec->name);
        break;
    case OPTIONS_ZSH:
        print_zsh(spec);
        break;
    case OPTIONS_FISH:
        printf("complete -c spangraph -n '__fish_seen_subcommand_from %s' "
               "-l %s%s -d '",
               command->name, spec->name,
               is_file(spec) ? " -r -F"
               : spec->value ? " -x"
                             : "");
        print_text(spec->help, OPTIONS_FISH);
        printf("'\n");
        break;
    case OPTIONS_ROFF:
        printf(".TP\n.B \\-\\-");
        options_print_roff(spec->name);
        printf("%s%s\n", spec->value ? " \\fI" : "",
               spec->value ? spec->value : "");
        options_print_roff(spec->help);
        printf("\n");
        break;
    case OPTIONS_STYLE_COUNT:
        break;
    }
}

void
options_print(const struct command *command, const struct option_spec *specs,
              size_t len, enum options_style how)
{
    const struct option_spec help = {"help", OPTION_FLAG, NULL, NULL,
                                     "what it does, and its options"};

    for (size_t i = 0; i < len; i++)
        print_one(command, &specs[i], how);
    print_one(command, &help, how);
}
