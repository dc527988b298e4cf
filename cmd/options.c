#include "cmd/options.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cmd/duration.h"

static void
print_default(const struct option_spec *spec)
{
    const char *text;

    switch (spec->type) {
    case OPTION_FLAG:
    case OPTION_LIST:
        return;
    case OPTION_STR:
        memcpy(&text, spec->out, sizeof(text));
        if (text && *text)
            printf(" (default %s)", text);
        return;
    case OPTION_INT:
        if (*(long long *)spec->out != 0) /* else: none */
            printf(" (default %lld)", *(long long *)spec->out);
        return;
    case OPTION_DURATION: {
        char buf[DURATION_TEXT_CAP];
        if (*(uint64_t *)spec->out != 0)
            printf(" (default %s)", duration_text(*(uint64_t *)spec->out, buf));
        return;
    }
    }
}

static void
print_help(const struct command *command, const struct option_spec *specs,
           size_t len)
{
    printf("usage: spangraph %s\n\n%s\n\n", command->usage, command->summary);
    if (len)
        printf("options:\n");
    for (size_t i = 0; i < len; i++) {
        char left[64];
        (void)snprintf(left, sizeof(left), "--%s%s%s", specs[i].name,
                       specs[i].value ? " " : "",
                       specs[i].value ? specs[i].value : "");
        printf("  %-26s %s", left, specs[i].help);
        print_default(&specs[i]);
        putchar('\n');
    }
}

static const struct option_spec *
find(const struct option_spec *specs, size_t len, const char *name,
     size_t name_len)
{
    for (size_t i = 0; i < len; i++) {
        if (strlen(specs[i].name) == name_len &&
            memcmp(specs[i].name, name, name_len) == 0)
            return &specs[i];
    }
    return NULL;
}

static void
complain_unknown(const struct command *command, const struct option_spec *specs,
                 size_t len, const char *word)
{
    const char *names[64];
    size_t count = 0;

    while (count < len && count < sizeof(names) / sizeof(names[0])) {
        names[count] = specs[count].name;
        count++;
    }
    const char *near = nearest_name(names, count, str_of(word));
    fprintf(stderr, "spangraph %s: unknown option --%s", command->name, word);
    if (near)
        fprintf(stderr, "; did you mean --%s?", near);
    fprintf(stderr, "\nSee spangraph %s --help.\n", command->name);
}

/* Cuts |value| at its commas, in place: it is a word of main's argv. */
static enum err
store_list(struct option_list *list, char *value)
{
    char *save = NULL;

    for (char *word = strtok_r(value, ",", &save); word;
         word = strtok_r(NULL, ",", &save)) {
        if (list->len == OPTION_LIST_MAX)
            return ERR_FULL;
        list->item[list->len++] = word;
    }
    return OK;
}

static enum err
store_value(const struct option_spec *spec, char *value)
{
    switch (spec->type) {
    case OPTION_FLAG:
        *(bool *)spec->out = true;
        return OK;
    case OPTION_STR:
        memcpy(spec->out, &value, sizeof(value));
        return OK;
    case OPTION_INT: {
        char *end = NULL;
        long long number = strtoll(value, &end, 10);
        if (end == value || *end)
            return ERR_INVALID;
        *(long long *)spec->out = number;
        return OK;
    }
    case OPTION_DURATION:
        return duration_parse(str_of(value), spec->out);
    case OPTION_LIST:
        return store_list(spec->out, value);
    }
    return ERR_INVALID;
}

static const char *
expected(enum option_type type)
{
    if (type == OPTION_LIST)
        return "at most 256 words";
    return type == OPTION_INT ? "a whole number"
                              : "a duration such as 90s, 15m, 24h or 30d";
}

/* Takes the option at argv[*at], and its value. */
static enum err
take_option(const struct command *command, const struct option_spec *specs,
            size_t len, int argc, char **argv, int *at)
{
    char *word = argv[*at] + 2;
    char *equals = strchr(word, '=');
    size_t name_len = equals ? (size_t)(equals - word) : strlen(word);
    const struct option_spec *spec = find(specs, len, word, name_len);
    char *value = equals ? equals + 1 : NULL;

    if (!spec) {
        complain_unknown(command, specs, len, word);
        return ERR_INVALID;
    }
    if (spec->type == OPTION_FLAG && value) {
        fprintf(stderr, "spangraph %s: --%s takes no value\n", command->name,
                spec->name);
        return ERR_INVALID;
    }
    if (spec->type != OPTION_FLAG && !value) {
        if (*at + 1 >= argc) {
            fprintf(stderr, "spangraph %s: --%s needs a value: --%s %s\n",
                    command->name, spec->name, spec->name,
                    spec->value ? spec->value : "VALUE");
            return ERR_INVALID;
        }
        value = argv[++*at];
    }
    if (store_value(spec, value)) {
        fprintf(stderr, "spangraph %s: --%s takes %s, not \"%s\"\n",
                command->name, spec->name, expected(spec->type), value);
        return ERR_INVALID;
    }
    return OK;
}

enum err
options_parse(const struct command *command, const struct option_spec *specs,
              size_t len, int *argc, char **argv)
{
    enum options_style how;
    int kept = 1;
    bool only_words = false;

    if (*argc == 2 && options_is_asked(argv[1], &how)) {
        options_print(command, specs, len, how);
        return ERR_INVALID;
    }

    for (int i = 1; i < *argc; i++) {
        if (!only_words &&
            (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
            print_help(command, specs, len);
            return ERR_CANCELLED;
        }
        if (only_words || strncmp(argv[i], "--", 2) != 0) {
            argv[kept++] = argv[i];
            continue;
        }
        if (argv[i][2] == '\0') {
            only_words = true;
            continue;
        }
        if (take_option(command, specs, len, *argc, argv, &i))
            return ERR_INVALID;
    }
    *argc = kept;
    return OK;
}
