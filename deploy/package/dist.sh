#!/bin/sh
# The tarball of the sources of a commit: the same bytes, whoever makes it.
#
#   deploy/package/dist.sh [COMMIT] [FOLDER]
#
# git archive sorts names and gives every file the commit's time; gzip -n keeps
# its own time and name out.  The mode of files must not hang on a umask.
set -eu
cd "$(dirname "$0")/../.."
commit=${1:-HEAD}
to=${2:-build/dist}
version=$(sed -n 's/^#define SPANGRAPH_VERSION "\(.*\)"/\1/p' cmd/version.h)
name=spangraph-$version

mkdir -p "$to"
git -c tar.umask=0022 archive --format=tar --prefix="$name/" "$commit" |
    gzip -9n >"$to/$name.tar.gz.part"
mv "$to/$name.tar.gz.part" "$to/$name.tar.gz"
echo "$to/$name.tar.gz"
