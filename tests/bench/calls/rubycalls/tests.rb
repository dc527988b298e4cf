# Runs the tests of the package in this folder, but for those that need what is
# not at hand, or that ask for other processes.
OUTSIDE = %r{cache/stores/(mem|redis)|evented|fork|share_lock|concurrency}
Dir["test/**/*_test.rb"].sort.each do |path|
  require File.absolute_path(path) unless path.match?(OUTSIDE)
rescue LoadError, StandardError => e
  warn "#{path}: #{e.message}"
end
