<?php
/*
 * Stands before a run of PHP that xdebug traces: finds classes where
 * composer.json or the include path has them, and says at the end where each
 * function stands, then those that it overrides.  xdebug names a method after
 * the class that declares it, a trait's after the one that uses it.
 *
 *     OBSERVE_ROOT    the package, with its composer.json
 *     OBSERVE_PLACES  what is written: `callee <tab> path:line,...`
 *     OBSERVE_NEEDS   files to be read first, with : between
 */
(static function () {
    $root = getenv('OBSERVE_ROOT');
    $composer = json_decode(file_get_contents("$root/composer.json"), true);
    $prefixes = [];
    foreach (['autoload', 'autoload-dev'] as $part) {
        foreach ($composer[$part]['psr-4'] ?? [] as $prefix => $folders) {
            foreach ((array) $folders as $folder) {
                $prefixes[] = [$prefix, "$root/" . rtrim($folder, '/') . '/'];
            }
        }
    }
    $find = static function (string $class) use ($prefixes) {
        foreach ($prefixes as [$prefix, $folder]) {
            $rest = substr($class, strlen($prefix));
            $file = $folder . strtr($rest, '\\', '/') . '.php';
            if (str_starts_with($class, $prefix) && is_file($file)) {
                return $file;
            }
        }
        return stream_resolve_include_path(strtr($class, '\\', '/') . '.php');
    };
    spl_autoload_register(static function (string $class) use ($find) {
        $file = $find($class);
        if ($file) {
            require_once $file;
        }
    });
    $needs = array_filter(explode(':', (string) getenv('OBSERVE_NEEDS')));
    foreach ($composer['autoload']['files'] ?? [] as $file) {
        $needs[] = "$root/$file";
    }
    foreach ($needs as $file) {
        require_once $file;
    }

    $place = static fn ($function) =>
        $function->getFileName() . ':' . $function->getStartLine();
    $places = static function (ReflectionMethod $method) use ($place) {
        $all = [$place($method)];
        $bases = class_parents($method->class) + class_implements($method->class);
        foreach ($bases as $base) {
            if (method_exists($base, $method->name)) {
                $all[] = $place(new ReflectionMethod($base, $method->name));
            }
        }
        return implode(',', array_unique($all));
    };
    register_shutdown_function(static function () use ($place, $places) {
        xdebug_stop_trace();
        $out = fopen(getenv('OBSERVE_PLACES'), 'w');
        foreach ([...get_declared_classes(), ...get_declared_traits()] as $name) {
            foreach ((new ReflectionClass($name))->getMethods() as $method) {
                if ($method->class !== $name || !$method->getFileName()) {
                    continue;
                }
                $to = $places($method);
                $between = $method->isStatic() ? '::' : '->';
                fwrite($out, "$name$between$method->name\t$to\n");
            }
        }
        foreach (get_defined_functions()['user'] as $name) {
            $to = $place(new ReflectionFunction($name));
            fwrite($out, "$name\t$to\n");
        }
    });
})();
