# PHP and Ruby of run.sh, which reads this: packages of Debian are run, and the
# calls they make are held against ours.  Sources and what runs them are taken
# by apt below build/ and nothing is installed; of what is measured the hashes
# are in debian.sha256.

. "$here/apt.sh"

# What is measured, and with it what a run of it needs.
debian_packages() {
    [ -d "$work/debian/root" ] && return
    rm -rf "$work/debian" && mkdir -p "$work/debian/got" "$work/debian/new"
    apt_lists || return
    (
        cd "$work/debian/got" &&
            apt source --download-only php-parser php-twig php-league-commonmark \
                php-guzzlehttp-psr7 "rails=2:6.1.7.10+dfsg-1~deb12u2" &&
            apt download php8.2-xdebug phpunit php-codecoverage php-parser \
                php-file-iterator php-text-template php-timer php-invoker \
                php-tokenizer php-deepcopy php-doctrine-instantiator \
                php-phar-io-version php-phar-io-manifest phpunit-type \
                phpunit-code-unit-reverse-lookup phpunit-complexity \
                phpunit-environment phpunit-lines-of-code phpunit-version \
                phpunit-cli-parser phpunit-code-unit phpunit-diff \
                phpunit-recursion-context phpunit-exporter \
                phpunit-comparator phpunit-object-reflector \
                phpunit-global-state phpunit-object-enumerator \
                phpunit-resource-operations php-symfony-phpunit-bridge \
                php-symfony-deprecation-contracts php-league-config \
                php-dflydev-dot-access-data php-nette-schema \
                php-nette-utils php-http-interop-http-factory-tests \
                php-psr-http-factory php-psr-http-message php-getallheaders \
                php-psr-event-dispatcher php-psr-log php-psr-container \
                ruby-kramdown ruby-liquid ruby-mail ruby-mini-mime \
                ruby-minitest ruby-i18n ruby-tzinfo ruby-concurrent &&
            sha256sum --quiet --strict -c "$here/debian.sha256" || exit
        for deb in *.deb; do
            dpkg -x "$deb" ../new || exit
        done
        for sources in *.orig.tar.xz; do
            mkdir "../${sources%%_*}" &&
                tar xJf "$sources" -C "../${sources%%_*}" \
                    --strip-components=1 || exit
        done
    ) || return
    mkdir -p "$work/debian/mail/lib"
    cp -r "$work/debian/new/usr/lib/ruby/vendor_ruby"/mail* \
        "$work/debian/mail/lib"
    mv "$work/debian/new" "$work/debian/root"
}

# observed NAME FROM: what a run wrote, joined with the places of our calls.
observed() {
    timeout 60 "$call_sites" "$2" >"$work/$1.found"
    python3 "$here/observed_truth.py" "$2" "$work/$1.found" \
        "$work/$1.observed" "$work/$1.places" >"$work/$1.truth"
    compare "$1"
}

# php_package NAME TESTS: its own tests, under xdebug's trace.
php_package() {
    name=$1
    from=$work/debian/$1
    share=$work/debian/root/usr/share/php
    if [ ! -s "$work/$name.observed" ]; then
        rm -f "$work/$name.xt" && mkfifo "$work/$name.xt"
        awk -F'\t' '$3 == 0 && !(($6, $9, $10) in seen) {
            seen[$6, $9, $10]
            print $9 ":" $10 "\t" $6 "\t-"
        }' "$work/$name.xt" >"$work/$name.observed.new" &
        # shellcheck disable=SC2046 # one file, or none
        (cd "$from" && OBSERVE_ROOT=$from OBSERVE_PLACES=$work/$name.places \
            OBSERVE_NEEDS=$share/Symfony/Contracts/Deprecation/function.php \
            timeout 900 php -d "zend_extension=$xdebug" \
            -d xdebug.mode=trace -d xdebug.start_with_request=yes \
            -d xdebug.trace_format=1 -d xdebug.use_compression=0 \
            -d "xdebug.trace_output_name=$name" \
            -d "xdebug.output_dir=$work" -d xdebug.var_display_max_depth=0 \
            -d xdebug.var_display_max_data=0 \
            -d xdebug.var_display_max_children=0 -d opcache.enable_cli=0 \
            -d memory_limit=4G -d "include_path=$share" \
            -d "auto_prepend_file=$here/phpcalls/observe.php" \
            "$work/debian/root/usr/bin/phpunit" --no-configuration "$2") \
            >"$work/$name.log" 2>&1 || :
        wait
        [ -s "$work/$name.places" ] || {
            echo "$name: no run, see $work/$name.log" >&2
            return
        }
        mv "$work/$name.observed.new" "$work/$name.observed"
    fi
    observed "$name" "$from"
}

# ruby_package NAME FROM ARGUMENTS...: a run of ruby in FROM.
ruby_package() {
    name=$1
    from=$2
    shift 2
    if [ ! -s "$work/$name.observed" ]; then
        rm -f "$work/$name.observed.new" "$work/$name.places"
        (cd "$from" && PARALLEL_WORKERS=1 RUBYLIB=$from/lib:$from/test:$libs \
            OBSERVE_ROOT=$from OBSERVED=$work/$name.observed.new \
            OBSERVE_PLACES=$work/$name.places timeout 900 \
            ruby -W0 "-r$here/rubycalls/observe.rb" "$@") \
            >"$work/$name.log" 2>&1 || :
        [ -s "$work/$name.places" ] || {
            echo "$name: no run, see $work/$name.log" >&2
            return
        }
        mv "$work/$name.observed.new" "$work/$name.observed"
    fi
    observed "$name" "$from"
}

ruby_packages() {
    gems=$work/debian/root/usr/share/rubygems-integration/all/gems
    mkdir -p "$work/debian/without/bundler"
    : >"$work/debian/without/bundler/setup.rb"
    libs=$work/debian/without:$work/debian/root/usr/lib/ruby/vendor_ruby
    for lib in "$gems"/*/lib; do
        libs=$libs:$lib
    done
    header ruby
    ruby_package kramdown "$gems/kramdown-2.4.0" "$here/rubycalls/kramdown.rb" \
        "$work/debian/rails/README.md" \
        "$work/debian/php-league-commonmark/CHANGELOG.md"
    ruby_package liquid "$gems/liquid-5.4.0" "$here/rubycalls/liquid.rb"
    ruby_package mail "$work/debian/mail" "$here/rubycalls/mail.rb"
    ruby_package activesupport "$work/debian/rails/activesupport" \
        "$here/rubycalls/tests.rb"
}

if have apt-get dpkg php ruby && debian_packages; then
    xdebug=$(find "$work/debian/root" -name xdebug.so)
    header php
    php_package php-parser test
    php_package php-twig tests
    php_package php-league-commonmark tests/unit
    php_package php-guzzlehttp-psr7 tests
    ruby_packages
else
    echo "php and ruby: left out, they need Debian 12's packages" >&2
fi
