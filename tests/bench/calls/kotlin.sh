# Kotlin's own compiler, on the jars of sources that are pinned; run.sh reads
# this.

# The package's own classes would stand beside its sources.
kotlin_package() {
    name=$1
    if [ ! -d "$work/$name" ]; then
        mkdir -p "$work/$name.new"
        unzip -qo "$work/kotlin-jars/$name-sources.jar" -x 'META-INF/*' \
            -d "$work/$name.new"
        mv "$work/$name.new" "$work/$name"
    fi
    if [ ! -s "$work/$name.truth" ]; then
        classes=$(find "$work/kotlin-jars" -name '*.jar' \
            ! -name '*-sources.jar' ! -name "$name.jar" | sort | tr '\n' ':')
        timeout 600 java -Xmx2g -cp "$work/kotlincalls:$kotlin_compiler" \
            KotlinCalls "$work/$name" "$classes" \
            >"$work/$name.truth.new" 2>"$work/$name.log"
        mv "$work/$name.truth.new" "$work/$name.truth"
    fi
    timeout 60 "$call_sites" "$work/$name" >"$work/$name.found"
    compare "$name"
}

kotlin_packages() {
    if ! command -v javac >/dev/null || ! command -v mvn >/dev/null ||
        ! command -v unzip >/dev/null; then
        echo 'kotlin: skipped, it needs a JDK of 17 or newer, mvn and unzip' >&2
        return
    fi
    if [ ! -d "$work/kotlin-jars" ]; then
        mvn -q -B -f "$here/kotlincalls/pom.xml" \
            org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
            -DoutputDirectory="$work/kotlin-jars.new"
        (cd "$work/kotlin-jars.new" &&
            sha256sum --quiet --strict -c "$here/kotlincalls/jars.sha256")
        mv "$work/kotlin-jars.new" "$work/kotlin-jars"
    fi
    kotlin_compiler=$(find "$work/kotlin-jars" -name '*.jar' \
        ! -name '*-sources.jar' | sort | tr '\n' ':')
    javac -nowarn -cp "$kotlin_compiler" -d "$work/kotlincalls" \
        "$here/kotlincalls/KotlinCalls.java" 2>"$work/kotlincalls.log"
    header kotlin
    for package in okhttp-4.12.0 kotlinpoet-1.14.2 javalin-6.3.0 \
        koin-core-jvm-3.5.6 jackson-module-kotlin-2.18.2; do
        kotlin_package "$package"
    done
}

kotlin_packages
