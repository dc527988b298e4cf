#!/bin/bash
# What is given to others: the tarball, the Debian package, the bill of
# materials.
. "$(dirname "$0")/lib.sh"
if git rev-parse HEAD >/dev/null 2>&1; then
    first=$(deploy/package/dist.sh HEAD "$work/one")
    sleep 1.1
    second=$(umask 077 && TZ=Asia/Tokyo deploy/package/dist.sh HEAD "$work/two")
    check "the tarball is the same bytes twice" cmp "$first" "$second"
    same "it holds what is committed" "$(git ls-tree -r --name-only HEAD | LC_ALL=C sort)" \
        "$(tar -tzf "$first" | grep -v '/$' | cut -d/ -f2- | LC_ALL=C sort)"
else
    echo "# no repository: the tarball is not tried"
fi

export SOURCE_DATE_EPOCH=1700000000
if command -v dpkg-deb >/dev/null; then
    first=$(deploy/package/deb.sh "$spangraph" "$work/one")
    second=$(deploy/package/deb.sh "$spangraph" "$work/two")
    check "the package is the same bytes twice" cmp "$first" "$second"
    same "its name and version" "spangraph $("$spangraph" version | cut -d' ' -f2)" "$(dpkg-deb -W "$first" | tr '\t' ' ')"
    check "its fields are what dpkg wants" dpkg-deb --info "$first"
    same "it names its libraries' packages" "" "$(dpkg-deb -f "$first" Depends | tr ',' '\n' | tr -d ' ' | while read -r name; do dpkg -s "$name" >/dev/null 2>&1 || echo "$name"; done)"
    dpkg-deb -x "$first" "$work/root"
    dpkg-deb -e "$first" "$work/root/DEBIAN"
    same "all is root's" "" "$(dpkg-deb -c "$first" | grep -v ' root/root ')"
    check "the program in it runs" "$work/root/usr/bin/spangraph" version
    check "the configuration in it is one" "$work/root/usr/bin/spangraph" check-config "$work/root/etc/spangraph/spangraph.yaml"
    same "and is kept on upgrades" /etc/spangraph/spangraph.yaml "$(cat "$work/root/DEBIAN/conffiles")"
    notices=$work/root/usr/share/doc/spangraph
    check "our licence is in it" cmp LICENSE "$notices/copyright"
    if [ "$(core_is)" = inside ]; then
        for name in libgrpc-dev libabsl-dev libre2-dev libc-ares-dev; do
            check "so is that of $name" cmp "/usr/share/doc/$name/copyright" "$notices/copyright.$name"
        done
    fi
    check "the sums are right" bash -c "cd '$work/root' && md5sum --quiet -c DEBIAN/md5sums"
    check "the manual is there" bash -c "zcat '$work/root/usr/share/man/man1/spangraph.1.gz' | grep -q '^.TH SPANGRAPH'"
    for script in postinst prerm; do check "$script is a script" sh -n "$work/root/DEBIAN/$script"; done
    if command -v systemd-analyze >/dev/null; then
        sed "s|/usr/bin/spangraph|$work/root/usr/bin/spangraph|" "$work/root/lib/systemd/system/spangraph.service" >"$work/spangraph.service"
        check "the unit is one" systemd-analyze verify --man=no "$work/spangraph.service"
    fi
else
    echo "# no dpkg-deb: the package is not tried"
fi

if command -v dpkg >/dev/null; then
    node deploy/package/sbom.js "$spangraph" >"$work/sbom.json"
    same "the bill of materials is made" 0 $?
    node deploy/package/sbom.js "$spangraph" >"$work/again.json"
    check "the same twice" cmp "$work/sbom.json" "$work/again.json"
    check "it is SPDX 2.3" jq -e '.spdxVersion == "SPDX-2.3" and .dataLicense == "CC0-1.0" and .SPDXID == "SPDXRef-DOCUMENT"
        and (.creationInfo.created | test("^[0-9-]{10}T[0-9:]{8}Z$")) and (.creationInfo.creators[0] | startswith("Tool: "))
        and ([.packages[] | .name and .SPDXID and .downloadLocation and (.SPDXID | test("^SPDXRef-[A-Za-z0-9.-]+$"))] | all)' "$work/sbom.json"
    check "every relation is of packages that are there" jq -e '([.packages[].SPDXID] + ["SPDXRef-DOCUMENT"]) as $ids
        | [.relationships[] | (.spdxElementId, .relatedSpdxElement) as $id | $ids | index($id) != null] | all' "$work/sbom.json"
    [ "${GRPC:-core}" = nghttp2 ] || has "core is in the program or asked for" "$(core_is)" "inside asked"
    if [ "$(core_is)" = inside ]; then
        check "core in the program is told" jq -e '[.relationships[] | select(.relationshipType == "STATIC_LINK").relatedSpdxElement]
            | any(startswith("SPDXRef-deb-libgrpc-dev"))' "$work/sbom.json"
    fi
    check "no id comes twice" jq -e '[.packages[].SPDXID] | length == (unique | length)' "$work/sbom.json"
    check "SQLite and a grammar are in it" jq -e '[.packages[].name] | index("libsqlite3-0") != null and index("tree-sitter-go") != null' "$work/sbom.json"
fi
done_testing
