/*
 * git - libgit2, loaded when a repository is read.
 *
 * The service never reads one: the process that indexes does.  So only that one
 * has the library, and what it asks for, in memory.
 *
 * Threads    Any; the calls are libgit2's.
 */
#ifndef INDEX_GIT_H
#define INDEX_GIT_H

#include <git2.h>

#include "base/buf.h"
#include "base/err.h"

/* What is used of it: |name| is git_|name|. */
#define GIT_CALLS(X)              \
    X(commit_author)              \
    X(commit_free)                \
    X(commit_id)                  \
    X(commit_lookup)              \
    X(commit_parent)              \
    X(commit_parentcount)         \
    X(commit_time)                \
    X(commit_tree)                \
    X(config_free)                \
    X(config_get_string)          \
    X(diff_free)                  \
    X(diff_get_delta)             \
    X(diff_num_deltas)            \
    X(diff_options_init)          \
    X(diff_tree_to_tree)          \
    X(error_last)                 \
    X(libgit2_init)               \
    X(libgit2_opts)               \
    X(libgit2_shutdown)           \
    X(object_free)                \
    X(object_lookup)              \
    X(object_peel)                \
    X(odb_free)                   \
    X(odb_object_data)            \
    X(odb_object_free)            \
    X(odb_object_size)            \
    X(odb_read)                   \
    X(odb_read_header)            \
    X(oid_tostr)                  \
    X(reference_name_to_id)       \
    X(repository_config_snapshot) \
    X(repository_free)            \
    X(repository_is_bare)         \
    X(repository_odb)             \
    X(repository_open_ext)        \
    X(revparse_single)            \
    X(revwalk_free)               \
    X(revwalk_new)                \
    X(revwalk_next)               \
    X(revwalk_push)               \
    X(revwalk_sorting)            \
    X(tree_entry_filemode)        \
    X(tree_entry_id)              \
    X(tree_entry_name)            \
    X(tree_entry_type)            \
    X(tree_free)                  \
    X(tree_walk)

struct git_calls {
/* NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration */
#define GIT_MEMBER(name) __typeof__(git_##name) *name;
    GIT_CALLS(GIT_MEMBER)
#undef GIT_MEMBER
};

/* The library that this program was built for. */
#define GIT_LIBRARY "libgit2.so." LIBGIT2_SOVERSION

/* git_load finds them all in |library|, which stays loaded.  ERR_UNSUPPORTED:
 * it is not there, or lacks one; |why| says what to install. */
enum err git_load(struct git_calls *out, const char *library, struct buf *why);

#endif
