require "liquid"
class Up < Liquid::Tag
  def render(context) = @markup.upcase
end
Liquid::Template.register_tag("up", Up)
class Thing < Liquid::Drop
  def initialize(n) = @n = n
  def name = "n#{@n}"
end
text = <<'T'
{% assign a = "b,c" | split: "," %}{% for x in a reversed limit:2 %}{{ forloop.index }}{{ x | upcase | append: "!" }}{% else %}no{% endfor %}
{% if user.age > 3 and user.name contains "n" %}y{% elsif nil %}z{% else %}w{% endif %}{% unless a %}u{% endunless %}
{% case n %}{% when 1, 2 %}one{% else %}other{% endcase %}{% capture c %}cap{% endcapture %}{{ c }}{% raw %}{{ x }}{% endraw %}
{% cycle "a", "b" %}{% tablerow i in (1..3) cols:2 %}{{ i }}{% endtablerow %}{% increment k %}{% decrement k %}{% comment %}q{% endcomment %}
{{ "now" | date: "%Y" }}{{ list | map: "name" | join: "," }}{{ list | sort: "name" | first }}{{ 3 | plus: 4 | times: 2 | divided_by: 3 | modulo: 2 }}
{{ "a b" | replace: "a", "c" | capitalize | truncate: 3 | escape | strip_html | size }}{% up hello %}{% render "part", v: 1 %}{% include "part" %}{% ifchanged %}x{% endifchanged %}
{{ hash["k"] }}{{ hash.k | default: "d" }}{% for h in hash %}{{ h[0] }}{% break %}{% endfor %}{% echo "x" %}{% liquid assign z = 1 %}
T
class Files
  def read_template_file(name) = "part {{ v }} {% if v %}1{% endif %}"
end
Liquid::Template.file_system = Files.new
[:lax, :warn, :strict].each do |mode|
  template = Liquid::Template.parse(text, error_mode: mode)
  data = {"user" => {"age" => 4, "name" => "nn"}, "n" => 2, "list" => [Thing.new(1), Thing.new(2)], "hash" => {"k" => 1}}
  template.render(data); template.render(data, strict_variables: true); template.errors; template.warnings
  Liquid::ParseTreeVisitor.for(template.root).visit
end
begin; Liquid::Template.parse("{% if %}", error_mode: :strict); rescue Liquid::SyntaxError => e; e.to_s; end
begin; Liquid::Template.parse("{% for x %}"); rescue Liquid::SyntaxError => e; e.to_s; end
