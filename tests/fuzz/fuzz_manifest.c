/*
 * Any bytes as one of the files beside the source: the first byte chooses
 * which.  Read twice, they say the same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "index/manifest.h"
#include "index/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const paths[] = {
    "docker-compose.yml",
    "k8s/deployment.yaml",
    "Dockerfile",
    "src/main/resources/application.yml",
    "src/main/resources/application.properties",
    "a/package.json",
    "nginx.conf",
    ".github/CODEOWNERS",
    "pyproject.toml",
    "go.mod",
    "tsconfig.json",
    "composer.json",
    "Cargo.toml",
    "pom.xml",
};

enum { PATHS = sizeof(paths) / sizeof(paths[0]) };

static void
require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void
read_manifest(str path, str text, struct buf *out)
{
    struct manifests m;
    struct code_build build;

    require(manifests_init(&m) == OK && code_build_init(&build) == OK,
            "no memory");
    build.repo_url = texts_add(&build.texts, STR("example.com/o/r"));
    if (manifests_wants(path))
        (void)manifests_take(&m, path, text);
    require(manifests_finish(&m, &build) == OK, "it does not finish");
    require(code_build_pack(&build, out) == OK, "it does not pack");
    manifests_fini(&m);
    code_build_fini(&build);
}

static void
read_settings(str path, str text)
{
    struct settings settings;
    struct resolve_settings out;

    require(settings_init(&settings) == OK, "no memory");
    if (settings_wants(path))
        (void)settings_take(&settings, path, text);
    require(settings_get(&settings, &out) == OK, "no memory");
    settings_fini(&settings);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf once = {0};
    struct buf twice = {0};

    if (size == 0)
        return 0;
    str path = str_of(paths[data[0] % PATHS]);
    str text = {(const char *)data + 1, size - 1};
    read_manifest(path, text, &once);
    read_manifest(path, text, &twice);
    require(str_eq(buf_str(&once), buf_str(&twice)),
            "a second reading says something else");
    read_settings(path, text);
    buf_fini(&once);
    buf_fini(&twice);
    return 0;
}
