/*
 * docs/configuration.md, printed from the table of keys; a test says that the
 * page is what is printed.
 */
#include <string.h>

#include "cmd/config.h"
#include "cmd/config_keys.h"
#include "cmd/duration.h"

static const char head[] =
    "# Configuration\n\n"
    "`spangraph check-config --reference` prints this page from the table "
    "that\n"
    "parses the file, `cmd/config_keys.c`.\n\n"
    "Without a file everything has the default below: spangraph listens on\n"
    "localhost and keeps its data in `./data`. `serve --config FILE` reads one "
    "YAML\nfile in the shape of the Collector's:\n\n"
    "```yaml save=spangraph.yaml spangraph\n"
    "receivers:\n"
    "  otlp:\n"
    "    protocols:\n"
    "      grpc: {endpoint: \"0.0.0.0:4317\"}\n"
    "      http: {endpoint: \"0.0.0.0:4318\"}\n"
    "query:\n"
    "  endpoint: \"0.0.0.0:8080\"\n"
    "  auth: {tokens_file: \"${env:QUERY_TOKENS:-/etc/spangraph/tokens}\"}\n"
    "store: {dir: /var/lib/spangraph}\n"
    "```\n\n"
    "`spangraph check-config` says what is wrong with a file, and prints what "
    "is in\nforce; tokens are masked:\n\n"
    "```sh\n"
    "spangraph check-config spangraph.yaml\n"
    "```\n\n"
    "- A key that is none is refused, with its line and the nearest key, as is "
    "one that\n  is said twice.\n"
    "- `${env:NAME}`, or `${NAME}`, is replaced by the environment's value, "
    "`${env:NAME:-default}`\n  has a default; without one a missing name is an "
    "error.\n"
    "- A duration is `250ms`, `15m`, `24h`, `30d` or `2w`; without a unit, "
    "seconds.\n"
    "- A size is `64MiB`, `512KiB` or bytes.\n"
    "- Headers are a mapping, `{X-Team: shop}`, or a list, `[\"X-Team: "
    "shop\"]`.\n"
    "- `--data DIR` goes before `store.dir`.\n"
    "- SIGHUP reads this file again, and the files of certificates and tokens. "
    "Where\n  *reloads* stands a new value, or what the file now holds, is "
    "taken over; the log\n  names other keys that have changed and need a "
    "restart. No connection is lost; if a\n  file is wrong, the old one stays "
    "and the log says so. A list of tokens does not\n  become empty that "
    "way.\n"
    "- Every key is there since 0.1.0, the first version.\n"
    "- These names of the Collector's are taken, too:\n";

static void
add_size(struct buf *out, uint64_t bytes)
{
    static const char *const units[] = {"", "KiB", "MiB", "GiB"};
    size_t unit = 0;

    while (unit < 3 && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    buf_add_u64(out, bytes);
    buf_add(out, str_of(units[unit]));
}

static void
add_range(struct buf *out, const struct config_key *key)
{
    char text[DURATION_TEXT_CAP];

    for (int most = 0; most < 2; most++) {
        uint64_t number = most ? key->most : key->least;

        buf_add(out, most ? STR(" to ") : STR(", "));
        if (key->type == CONFIG_DURATION)
            buf_add(out, str_of(duration_text(number, text)));
        else if (key->type == CONFIG_BYTES)
            add_size(out, number);
        else
            buf_add_u64(out, number);
    }
}

static void
add_choices(struct buf *out, const char *choices)
{
    for (const char *at = choices; *at;) {
        size_t len = strcspn(at, " ");

        buf_printf(out, "%s`%.*s`", at == choices ? "" : ", ", (int)len, at);
        at += len + (at[len] == ' ');
    }
}

static void
add_type(struct buf *out, const struct config_key *key)
{
    static const char *const names[] = {
        [CONFIG_BOOL] = "`true`, `false`",
        [CONFIG_UINT] = "number",
        [CONFIG_BYTES] = "size",
        [CONFIG_DURATION] = "duration",
        [CONFIG_STR] = "text",
        [CONFIG_FILE] = "file",
        [CONFIG_CHOICE] = "",
        [CONFIG_LIST] = "list",
        [CONFIG_HEADERS] = "headers",
    };

    buf_add(out, str_of(names[key->type]));
    if (key->type == CONFIG_CHOICE)
        add_choices(out, key->choices);
    if (key->type == CONFIG_UINT || key->type == CONFIG_BYTES ||
        key->type == CONFIG_DURATION)
        add_range(out, key);
    if (key->type == CONFIG_FILE || config_is_live(key))
        buf_add(out, STR(", *reloads*"));
}

/* Adds |text| with what Markdown would read as more than text escaped. */
static void
add_text(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("*|<`\\", *text))
            buf_add_char(out, '\\');
        buf_add_char(out, *text);
    }
}

void
config_reference(struct buf *out)
{
    str last = STR("");

    buf_add(out, str_of(head));
    for (size_t i = 0; i < config_alias_len; i++) {
        const struct config_alias *alias = &config_aliases[i];
        const char *key = strrchr(alias->key, '.') + 1;
        size_t len = (size_t)(key - alias->key); /* of both the beginning */
        buf_printf(out, "  - below `%.*s`: `%s`, for `%s`\n", (int)len - 1,
                   alias->key, alias->path + len, key);
    }
    for (size_t i = 0; i < config_key_len; i++) {
        const struct config_key *key = &config_keys[i];
        str section = {key->path, strcspn(key->path, ".")};

        if (!str_eq(section, last))
            buf_printf(out,
                       "\n## %.*s\n\n| key | takes | default | meaning |\n"
                       "|---|---|---|---|\n",
                       (int)section.len, section.ptr);
        last = section;
        buf_printf(out, "| `%s` | ", key->path);
        add_type(out, key);
        buf_add(out, STR(" |"));
        if (*key->fallback)
            buf_printf(out, " `%s`", key->fallback);
        buf_add(out, STR(" | "));
        add_text(out, key->help);
        buf_add(out, STR(" |\n"));
    }
}
