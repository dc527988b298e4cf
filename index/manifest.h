/*
 * manifest - what files beside the source say: which folder is which service,
 * what reaches it from outside under which prefix, who owns what.
 *
 * Reads docker-compose, Kubernetes manifests, Dockerfiles, the application
 * files of Spring, Quarkus and Micronaut, package.json, pom.xml and their like,
 * serverless.yml and AWS SAM's templates, Ingress, HTTPRoute, VirtualService,
 * Spring Cloud Gateway, nginx, CODEOWNERS.  What names the service an SDK will
 * tell (OTEL_SERVICE_NAME, spring.application.name) goes before what names it
 * for others (compose, Kubernetes), and that before the names of packages and
 * folders.
 *
 *     manifests_init(&m);
 *     manifests_take(&m, path, content);     each file that is wanted
 *     manifests_finish(&m, build);           what they say together
 *
 * Memory     manifests_fini.
 * Limits     MANIFEST_BYTES_MAX a file.  What is malformed or is a template
 *            (Helm) says nothing.
 * Threads    None.
 */
#ifndef INDEX_MANIFEST_H
#define INDEX_MANIFEST_H

#include <stdbool.h>

#include "base/err.h"
#include "base/texts.h"
#include "graph/code_build.h"

enum { MANIFEST_BYTES_MAX = 1 << 20 };

/* build_service.rank: less is better; --service is 0. */
enum manifest_rank {
    RANK_PERSON = 0,
    RANK_SDK = 1,      /* OTEL_SERVICE_NAME, spring.application.name */
    RANK_DEPLOYED = 2, /* the name in compose or Kubernetes */
    RANK_PACKAGE = 3,  /* package.json, pyproject.toml, go.mod, ... */
    RANK_FOLDER = 4,   /* the name of a folder that holds a program */
};

/* A service whose folder is not known yet: only a name near it, of an image or
 * a deployment. */
struct manifest_row {
    text_id name;
    text_id folder;
    text_id image; /* not empty: the folder is to be found by it */
    text_id evidence;
    uint8_t rank;
};

struct manifests {
    struct texts texts;
    struct manifest_row *services;
    struct build_exposure *exposures; /* texts of |texts| */
    struct build_owner *owners;
    text_id *folders; /* that hold a program */
    size_t service_len, exposure_len, owner_len, folder_len;
    size_t service_cap, exposure_cap, owner_cap, folder_cap;
    uint8_t owners_from; /* which of the places of CODEOWNERS was read */
};

enum err manifests_init(struct manifests *m);
void manifests_fini(struct manifests *m);

/* manifests_wants says whether a file of that path may be one. */
bool manifests_wants(str path);

/* manifests_take reads one.  ERR_INVALID: it says nothing; ERR_NOMEM. */
enum err manifests_take(struct manifests *m, str path, str content);

/* manifests_finish appends services, exposures and owners to |build|. */
enum err manifests_finish(struct manifests *m, struct code_build *build);

#endif
