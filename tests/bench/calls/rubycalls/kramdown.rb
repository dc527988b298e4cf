require "kramdown"
text = ARGV.map { |path| File.read(path, encoding: "UTF-8") }.join("\n\n")
text += <<'MORE'

# Head {#id}

Term
: definition

| a | b |
|---|:-:|
| 1 | *2* |

1. one
   * two `code`

> quote [link](http://x.org "t") ![img](a.png) <b>html</b> &amp; --- ... "quoted" 'x'

~~~ ruby
puts 1
~~~

Note[^1] and **strong** $$x^2$$ <http://a.b> {:.cls} ABBR

[^1]: The note.
*[ABBR]: Abbreviation
{::comment}x{:/}
* * *
MORE
[{}, {auto_ids: true, toc_levels: "1..3", smart_quotes: "lsquo,rsquo,ldquo,rdquo"}].each do |options|
  document = Kramdown::Document.new(text, options)
  document.to_html; document.to_latex; document.to_kramdown; document.to_man; document.warnings
  Kramdown::Document.new(text, options).to_toc
end
Kramdown::Document.new(Kramdown::Document.new(text).to_html, input: "html").to_kramdown
