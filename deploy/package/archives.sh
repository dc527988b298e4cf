#!/bin/sh
# The Debian packages whose archives are linked into a program, a line each:
# gRPC core and what it asks for, or none.  The Makefile exports the one name of
# them that is asked for here; it is there in a stripped program, too.
#
#   deploy/package/archives.sh PROGRAM
set -eu
if nm --dynamic --defined-only "$1" | grep -q SetMutexDeadlockDetectionMode; then
    printf '%s\n' libabsl-dev libc-ares-dev libgrpc-dev libre2-dev
fi
