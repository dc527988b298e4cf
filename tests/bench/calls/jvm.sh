# Java and Kotlin of run.sh, which reads this: their own compilers, on jars of
# sources that a pom names and jars.sha256 pins.  What differs between the two
# is where the jars lie, what asks the compiler, and what that is told.

jvm_fail() {
    echo "$1" >&2
    exit 1
}

# Every jar as pinned, and none besides.
jvm_check() {
    (cd "$1" && sha256sum --quiet --strict -c "$2") ||
        jvm_fail "$1 is not what $2 pins: remove it, it is fetched again"
    (cd "$1" && printf '%s\n' *.jar) | sort >"$1.names"
    sed 's/.*  //' "$2" | sort | diff - "$1.names" ||
        jvm_fail "$1 holds jars (>) that $2 does not pin: remove it"
}

# jvm_jars FOLDER CALLS: what the pom of CALLS names, in FOLDER.
jvm_jars() {
    if [ ! -d "$1" ]; then
        rm -rf "$1.new"
        timeout 600 mvn -q -B -f "$here/$2/pom.xml" \
            org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
            -DoutputDirectory="$1.new" ||
            jvm_fail "$2: mvn got no jars, see above"
        mv "$1.new" "$1"
    fi
    jvm_check "$1" "$here/$2/jars.sha256"
}

# jvm_classes FOLDER [BUT]: the jars of classes, as a class path.
jvm_classes() {
    find "$1" -name '*.jar' ! -name '*-sources.jar' ! -name "${2:-}" | sort |
        tr '\n' ':'
}

# jvm_package JARS NAME JAVA...: java's arguments but the two last, which are
# the folder and the class path it is compiled against.
jvm_package() {
    jars=$1
    name=$2
    shift 2
    if [ ! -d "$work/$name" ]; then
        mkdir -p "$work/$name.new"
        unzip -qo "$jars/$name-sources.jar" -x 'META-INF/*' -d "$work/$name.new"
        mv "$work/$name.new" "$work/$name"
    fi
    if [ ! -s "$work/$name.truth" ]; then
        # The package's own classes would stand beside its sources.
        timeout 600 java -Xmx2g "$@" "$work/$name" \
            "$(jvm_classes "$jars" "$name.jar")" \
            >"$work/$name.truth.new" 2>"$work/$name.log" ||
            jvm_fail "$name: no truth ($?; 124: ten minutes were not enough), see $work/$name.log"
        [ -s "$work/$name.truth.new" ] ||
            jvm_fail "$name: the compiler says nothing, see $work/$name.log"
        mv "$work/$name.truth.new" "$work/$name.truth"
    fi
    timeout 60 "$call_sites" "$work/$name" >"$work/$name.found" ||
        jvm_fail "$name: call_sites failed"
    compare "$name"
}

# jvm_compile CALLS SOURCE CLASSES: what asks the compiler, anew where it or
# what it is made with has changed: its truths are then of yesterday.
jvm_compile() {
    sum=$(cat "$here/$1/$2" "$here/$1/jars.sha256" | sha256sum)
    [ "$sum" != "$(cat "$work/$1.sum" 2>/dev/null)" ] || return 0
    javac -nowarn -cp "$3" -d "$work/$1" "$here/$1/$2" 2>"$work/$1.log" ||
        jvm_fail "$1: javac refused $2, see $work/$1.log"
    sed -n 's/.*  \(.*\)-sources\.jar$/\1/p' "$here/$1/jars.sha256" |
        while read -r package; do
            rm -f "$work/$package.truth"
        done
    echo "$sum" >"$work/$1.sum"
}

java_packages() {
    jvm_jars "$work/jars" javacalls
    jvm_compile javacalls JavaCalls.java ''
    header java
    for package in gson-2.11.0 jsoup-1.18.3 commons-lang3-3.17.0 \
        jackson-databind-2.18.2 picocli-4.7.6 spring-jdbc-6.2.1 \
        guava-33.4.0-jre kafka-clients-3.9.0 commons-collections4-4.4 \
        HikariCP-6.2.1; do
        jvm_package "$work/jars" "$package" -cp "$work/javacalls" JavaCalls
    done
}

kotlin_packages() {
    jvm_jars "$work/kotlin-jars" kotlincalls
    compiler=$(jvm_classes "$work/kotlin-jars")
    jvm_compile kotlincalls KotlinCalls.java "$compiler"
    header kotlin
    for package in okhttp-4.12.0 kotlinpoet-1.14.2 javalin-6.3.0 \
        koin-core-jvm-3.5.6 jackson-module-kotlin-2.18.2 clikt-jvm-4.4.0; do
        jvm_package "$work/kotlin-jars" "$package" \
            -cp "$work/kotlincalls:$compiler" KotlinCalls
    done
}

# jvm_part NAME: either, where there is what it takes.
jvm_part() {
    if have javac java mvn unzip && is_java_17; then
        "$1_packages"
    else
        echo "$1: left out, it needs a JDK of 17 or newer, mvn and unzip" >&2
    fi
}

is_java_17() {
    version=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
    [ "${version:-0}" -ge 17 ]
}
