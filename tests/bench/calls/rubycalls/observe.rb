# Read before a run of Ruby (-r): writes each call that enters a method, from
# which line, and where the methods stand.
#
#     OBSERVE_ROOT    the package: only calls from its files are told
#     OBSERVED        what is written: `path:line <tab> callee <tab> caller`
#     OBSERVE_PLACES  what is written: `callee <tab> path:line,...`, first the
#                     method, then those that it overrides
#
# A block is no method, nor is what a method of C does on its own (`map`,
# `send`) when it calls back: the line of such a call has not its name.
module Observe
  ROOT = File.realpath(ENV.fetch("OBSERVE_ROOT")) + "/"
  SEEN = {}
  KEYS = {}

  # Tracing is off while this runs, so it may call what it likes.
  def self.key(owner, name)
    KEYS[[owner, name]] ||= "#{Module.instance_method(:inspect).bind_call(owner)}##{name}".tr("\t\n", "  ")
  end

  def self.called(owner, name, path, line, caller_name)
    return unless path && path.start_with?(ROOT)
    SEEN[[owner, name, path, line]] ||= caller_name.to_s
  end

  ENTERED = TracePoint.new(:call) do |point|
    from = caller_locations(2, 1)&.first
    called(point.defined_class, point.method_id, from&.absolute_path || from&.path, from&.lineno, from&.base_label) if from
  end

  # What is written in C is from outside, but for what attr_reader defines.
  LEFT = TracePoint.new(:c_call) do |point|
    called(point.defined_class, point.method_id, File.absolute_path(point.path), point.lineno, nil)
  end

  def self.place(owner, name)
    path, line = owner.instance_method(name).source_location
    path && "#{File.absolute_path(path)}:#{line}"
  rescue NameError
    nil
  end

  def self.places(owner, name)
    bases = owner.ancestors.drop_while { |base| !base.equal?(owner) }
    own = bases.select { |base| base.method_defined?(name, false) || base.private_method_defined?(name, false) }
    own.map { |base| place(base, name) }.compact.uniq
  end

  def self.write
    File.open(ENV.fetch("OBSERVED"), "a") do |out|
      SEEN.each { |(owner, name, path, line), from| out.puts("#{path}:#{line}\t#{key(owner, name)}\t#{from}") }
    end
    File.open(ENV.fetch("OBSERVE_PLACES"), "a") do |out|
      KEYS.each do |(owner, name), key|
        at = places(owner, name)
        out.puts("#{key}\t#{at.join(",")}") unless at.empty?
      end
    end
  end

  at_exit do
    ENTERED.disable
    LEFT.disable
    write
  end
  ENTERED.enable
  LEFT.enable
end
