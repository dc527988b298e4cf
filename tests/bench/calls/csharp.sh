# C# of run.sh, which reads this: Mono's compiler, on packages of source of
# Debian 12 whose hashes are in csharpcalls/sources.sha256.

. "$here/apt.sh"

csharp_sources() {
    [ -d "$work/csharp" ] && return
    rm -rf "$work/csharp.new" && mkdir -p "$work/csharp.new/got"
    apt_lists || return
    (
        cd "$work/csharp.new/got" &&
            apt source --tar-only dbus-sharp newtonsoft-json nunit \
                keepass2 hyena dnlib &&
            sha256sum --quiet --strict -c "$here/csharpcalls/sources.sha256" ||
            exit
        for sources in *.orig.tar.*; do
            mkdir "../${sources%%_*}" &&
                tar xf "$sources" -C "../${sources%%_*}" \
                    --strip-components=1 || exit
        done
    ) || return
    # They need the framework beside, and a library of mocks.
    rm -r "$work/csharp.new/nunit/src/NUnitCore/tests"
    mv "$work/csharp.new" "$work/csharp"
}

# csharp_package NAME FOLDER OPTIONS...: as mcs takes them; what there is below
# FOLDER is compiled.
csharp_package() {
    name=$1
    from=$work/csharp/$2
    shift 2
    [ -s "$work/$name.truth" ] || timeout 600 mono "$work/csharpcalls.exe" \
        "$from" -unsafe -r:System.dll -r:System.Core.dll -r:System.Xml.dll \
        "$@" -recurse:"$from/*.cs" >"$work/$name.truth" 2>"$work/$name.log" || {
        rm -f "$work/$name.truth"
        echo "$name: no truth, see $work/$name.log" >&2
        return
    }
    timeout 60 "$call_sites" "$from" >"$work/$name.found"
    compare "$name"
}

csharp_packages() {
    mcs -nologo -r:Mono.CSharp "-out:$work/csharpcalls.exe" \
        "$here/csharpcalls/CSharpCalls.cs" || return
    header csharp
    csharp_package dbus-sharp dbus-sharp/src -d:NET35 -r:Mono.Posix.dll
    csharp_package newtonsoft-json newtonsoft-json/Src/Newtonsoft.Json \
        -d:NET45 -r:System.Numerics.dll -r:System.Runtime.Serialization.dll \
        -r:System.Xml.Linq.dll -r:System.Data.dll
    csharp_package nunit-framework nunit/src/NUnitFramework/framework \
        -r:System.Web.dll
    csharp_package nunit-core nunit/src/NUnitCore \
        -r:System.Runtime.Remoting.dll -r:System.Configuration.dll
    csharp_package keepass2 keepass2 -r:System.Security.dll \
        -r:System.Drawing.dll -r:System.Windows.Forms.dll \
        -r:System.Management.dll -r:System.Configuration.dll
    csharp_package hyena hyena/Hyena -d:NET_2_0 -r:Mono.Posix.dll
    csharp_package dnlib dnlib/src
}

if have apt-get mono mcs && csharp_sources; then
    csharp_packages
else
    echo "csharp: left out, it needs mono, mcs and Debian 12's packages" >&2
fi
