# Rust, C and C++ of run.sh, which reads this: rustc and clang, each asked
# where it is at hand.

# Sources of crates, those of C among them, as Cargo.lock pins them.
vendor() {
    [ -d "$work/rust/vendor" ] && return
    rm -rf "$work/rust" && mkdir -p "$work/rust/.cargo"
    cp "$here/rustcalls/Cargo.toml" "$here/rustcalls/Cargo.lock" "$work/rust/"
    : >"$work/rust/lib.rs"
    (cd "$work/rust" && cargo vendor --quiet --locked --versioned-dirs new \
        >/dev/null && mv new vendor) || return
    cat >"$work/rust/.cargo/config.toml" <<CONFIG
[source.crates-io]
replace-with = "vendored-sources"
[source.vendored-sources]
directory = "vendor"
CONFIG
}

# What rustc's type checker made of each call of a crate.
rust() {
    name=$1
    from=$work/rust/vendor/$1-$2
    [ -s "$work/$name.truth" ] || (cd "$work/rust" &&
        timeout 900 python3 "$here/rust_truth.py" "$from" -- cargo rustc \
            --quiet --offline --locked --package "$1" --lib --) \
        >"$work/$name.truth" || {
        rm -f "$work/$name.truth"
        return
    }
    timeout 60 "$call_sites" "$from" >"$work/$name.found"
    compare "$name"
}

# clang_of NAME FROM SOURCES... -- FLAGS...
clang_of() {
    name=$1
    from=$2
    shift 2
    if [ ! -d "$work/$name" ]; then
        cp -r "$from" "$work/$name"
    fi
    [ "$name" != libgit2 ] || git2_features "$work/libgit2/src/util"
    [ "$name" != nghttp2 ] || nghttp2_version "$work/nghttp2/lib/includes"
    [ -s "$work/$name.truth" ] || (cd "$work/$name" &&
        PYTHONPATH=$work/clang timeout 600 python3 "$here/clang_truth.py" . \
            "$@" -isystem "$headers" -D_GNU_SOURCE) >"$work/$name.truth" \
        2>"$work/$name.log" || {
        echo "$name: nothing from clang, see $work/$name.log" >&2
        rm -f "$work/$name.truth"
        return
    }
    timeout 60 "$call_sites" "$work/$name" >"$work/$name.found"
    compare "$name"
}

# What their builds would write.
git2_features() {
    cat >"$1/git2_features.h" <<CONFIG
#define GIT_THREADS 1
#define GIT_TRACE 1
#define GIT_HTTPPARSER_BUILTIN 1
#define GIT_USE_NSEC 1
#define GIT_USE_STAT_MTIM 1
#define GIT_IO_POLL 1
#define GIT_IO_SELECT 1
#define GIT_ARCH_64 1
#define GIT_SHA1_COLLISIONDETECT 1
#define GIT_SHA256_BUILTIN 1
#define GIT_REGEX_BUILTIN 1
CONFIG
}

nghttp2_version() {
    sed 's/@PACKAGE_VERSION@/1.61.0/;s/@PACKAGE_VERSION_NUM@/0x013d00/' \
        "$1/nghttp2/nghttp2ver.h.in" >"$1/nghttp2/nghttp2ver.h"
}

clang_sources() {
    if [ ! -d "$work/clang" ]; then
        python3 -m pip install --quiet --no-deps --require-hashes --target \
            "$work/clang.new" -r "$here/requirements-clang.txt" &&
            mv "$work/clang.new" "$work/clang" || return
    fi
    [ -d "$work/classic-level" ] && [ -d "$work/re2-npm" ] && return
    (cd "$work" && npm pack --silent classic-level@1.4.1 re2@1.21.4 >/dev/null &&
        sha256sum --quiet -c "$here/npm-sources.sha256" &&
        mkdir -p classic-level re2-npm &&
        tar xzf classic-level-1.4.1.tgz -C classic-level --strip-components=1 &&
        tar xzf re2-1.21.4.tgz -C re2-npm --strip-components=1)
}

native_rust() {
    header rust
    rust globset 0.4.15
    rust serde_json 1.0.133
    rust ignore 0.4.23
    rust clap_builder 4.5.23
    rust axum 0.7.9
    rust h2 0.4.7
    rust tokio 1.42.0
    rust hyper 1.12.0
    rust regex-automata 0.4.19
    rust indexmap 2.14.2
}

native_c() {
    crates=$work/rust/vendor
    header c
    clang_of zlib "$crates/libz-sys-1.1.20/src/zlib" '*.c' -- -DHAVE_UNISTD_H
    clang_of zstd "$crates/zstd-sys-2.0.13+zstd.1.5.6/zstd" 'lib/*/*.c' -- \
        -DZSTD_LEGACY_SUPPORT=0 -DZSTD_DISABLE_ASM
    clang_of nghttp2 "$crates/libnghttp2-sys-0.1.10+1.61.0/nghttp2" \
        'lib/*.c' -- -Ilib/includes -Ilib -DHAVE_NETINET_IN_H \
        -DHAVE_ARPA_INET_H -DHAVE_TIME_H
    unix=
    for file in async core dl fs getaddrinfo getnameinfo linux loop \
        loop-watcher pipe poll process procfs-exepath proctitle \
        random-devurandom random-getrandom random-sysctl-linux signal stream \
        tcp thread tty udp; do
        unix="$unix src/unix/$file.c"
    done
    # shellcheck disable=SC2086 # a list
    clang_of libuv "$crates/libuv-sys2-1.53.1/libuv" 'src/*.c' $unix -- \
        -Iinclude -Isrc
    clang_of libgit2 "$crates/libgit2-sys-0.17.0+1.8.1/libgit2" \
        'src/libgit2/**/*.c' 'src/util/*.c' 'src/util/unix/*.c' \
        'src/util/allocators/*.c' src/util/hash/collisiondetect.c \
        src/util/hash/builtin.c -- -Isrc/libgit2 -Isrc/util -Iinclude \
        -Ideps/zlib -Ideps/pcre -Ideps/xdiff -Ideps/llhttp -DHAVE_QSORT_R_GNU
    header c++
    clang_of leveldb "$work/classic-level/deps/leveldb/leveldb-1.20" \
        '**/*.cc' -- -xc++ -std=c++17 -Iinclude -I. -DOS_LINUX \
        -DLEVELDB_PLATFORM_POSIX -DLEVELDB_ATOMIC_PRESENT
    clang_of re2 "$work/re2-npm/vendor/re2" 're2/*.cc' 'util/*.cc' -- -xc++ \
        -std=c++17 -I. "-I$work/re2-npm/vendor/abseil-cpp"
}

if have cargo rustc && vendor; then
    native_rust
    if headers=$(clang-14 -print-resource-dir 2>/dev/null); then
        headers=$headers/include
    else
        headers=$(cc -print-file-name=include)
    fi
    if have npm && clang_sources; then
        native_c
    else
        echo "c and c++: left out" >&2
    fi
else
    echo "rust, c and c++: left out" >&2
fi
