/*
 * manifest_impl - the readers of manifests, for index/manifest*.c only.
 *
 * Threads    None.
 */
#ifndef INDEX_MANIFEST_IMPL_H
#define INDEX_MANIFEST_IMPL_H

#include <cjson/cJSON.h>

#include "index/manifest.h"

/* One file being read. */
struct manifest_file {
    struct manifests *m;
    str path;
    str folder;
    str base;
    str content;
    enum err err;
};

/* Each sets file->err to ERR_NOMEM at most; empty names are ignored. */
void manifest_service(struct manifest_file *file, enum manifest_rank rank,
                      str name, str folder, str image);
void manifest_exposure(struct manifest_file *file, str host, str prefix,
                       str rewrite, str service);
void manifest_owner(struct manifest_file *file, str pattern, str owner,
                    uint32_t line);
void manifest_folder(struct manifest_file *file, str folder);

/* manifest_line takes the next line off |rest|, without its end. */
bool manifest_line(str *rest, str *line);
str manifest_trim(str text);
/* manifest_value is what follows |key| and `=` or `:`, unquoted; empty: the
 * line is another. */
str manifest_value(str line, const char *key);
bool manifest_ends(str text, const char *end);

typedef void manifest_reader(struct manifest_file *file);
manifest_reader manifest_yaml; /* compose, Kubernetes, Spring */
manifest_reader manifest_dockerfile;
manifest_reader manifest_properties;
manifest_reader manifest_package; /* package.json, composer.json */
manifest_reader manifest_toml;    /* pyproject.toml, Cargo.toml, setup.cfg */
manifest_reader manifest_go_mod;
manifest_reader manifest_pom;
manifest_reader manifest_nginx;
manifest_reader manifest_codeowners;
manifest_reader manifest_program; /* nothing but a sign that it is one */

#endif
