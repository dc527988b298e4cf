// A site to crawl, for test_crawl.sh: some of it well-behaved, some hostile.
//   node site.js LOG     prints its port; LOG gets a line a request
// GET /_set?name=value changes how it answers from then on.
'use strict';

const http = require('http');
const fs = require('fs');
const zlib = require('zlib');

const log = process.argv[2];
const set = { b: 'first', c: 'there', a: 'well', robots: 'some', lag: '0', maps: 'none' };
const page = (title, body) =>
  `<!doctype html><html><head><title>${title}</title><script>var hidden = "scriptword";</script></head>` +
  `<body><nav><a href="#top">menuword</a></nav><main><h1>${title}</h1>${body}</main></body></html>`;
const link = (href) => `<a href="${href}">${href}</a> `;

const pages = {
  '/': () => page('Home', ['a', 'b', 'c', 'guide/', '/private/x', '/latin', '/wrong', '/pic.png', 'feed', '#top', '//elsewhere.example/']
    .map(link).join('') + '<p>Welcome to the runbook.</p>'),
  '/b': () => page('B', `<p>The ${set.b} text of b.</p>`),
  '/guide/': () => page('Guide', link('deep') + '<pre><code>step --one\n  step --two</code></pre>'),
  '/guide/deep': () => page('Deep', '<p>GET /pay is slow.</p>' + link('deeper')),
  '/guide/deeper': () => page('Deeper', '<p>three links away</p>'),
  '/private/x': () => page('Private', 'privateword'),
  '/evil': () => page('Evil', ['big', 'bomb', 'slow', 'deep', 'loop', 'off', 'meta', 'odd', 'user', 'gone', 'fine', 'tail']
    .map((name) => link(`/evil/${name}`)).join('')),
  '/evil/fine': () => page('Fine', 'evenhere'),
  '/evil/deep': () => '<div>'.repeat(150000) + 'bottomword',
  '/many': () => page('Many', Array.from({ length: 12 }, (_, i) => link(`/many/${i}`)).join('')),
};
for (const name of ['one', 'two', 'three', 'four']) pages[`/hidden/${name}`] = () => page(`Hidden ${name}`, `<p>hidden text ${name}</p>`);
for (let i = 0; i < 12; i++) pages[`/many/${i}`] = () => page(`Number ${i}`, `<p>many text ${i}</p>`);

const special = {
  '/robots.txt': (q, r) => {
    if (set.robots === 'down') { r.statusCode = 503; r.end(); return; }
    if (set.robots === 'away') { r.writeHead(302, { Location: `http://127.0.0.2:${server.address().port}/robots.txt` }); r.end(); return; }
    const maps = set.maps === 'none' ? '' : `Sitemap: http://${q.headers.host}/maps/index.xml\nSitemap: http://127.0.0.2:1/elsewhere.xml\n`;
    r.end(`${maps}User-agent: *\nDisallow: /private/\n\nUser-agent: other\nDisallow: /\n`);
  },
  '/maps/index.xml': (q, r) => xml(r, `<sitemapindex>${['/maps/one.xml', '/maps/two.txt', '/maps/index.xml', '/maps/none.xml', 'http://169.254.169.254/x.xml']
    .map((to) => `<sitemap><loc>${to.replace(/^\//, `http://${q.headers.host}/`)}</loc></sitemap>`).join('')}</sitemapindex>`),
  '/maps/one.xml': (q, r) => xml(r, `<urlset>${['/hidden/one', '/hidden/two?a=1&amp;b=2', '/private/y', 'http://127.0.0.2/z', '/pic.jpg', '/b']
    .map((to) => `<url><loc> ${to.replace(/^\//, `http://${q.headers.host}/`)} </loc></url>`).join('')}</urlset>`),
  '/maps/two.txt': (q, r) => { r.setHeader('Content-Type', 'text/plain'); r.end(`http://${q.headers.host}/hidden/three\n`); },
  '/llms.txt': (q, r) => {
    if (set.maps === 'none') { r.statusCode = 404; r.end(); return; }
    r.setHeader('Content-Type', 'text/plain');
    r.end('# Site\n\n- [Four](/hidden/four): curated\n- [Off](http://127.0.0.2/)\n');
  },
  '/a': (q, r) => {
    if (set.a !== 'well') { r.statusCode = 500; r.end('broken'); return; }
    html(q, r, page('A', '<p>text of a</p>'));
  },
  '/c': (q, r) => {
    if (set.c !== 'there') { r.statusCode = 410; r.end('gone'); return; }
    html(q, r, page('C', '<p>text of c</p>'));
  },
  '/latin': (q, r) => { r.setHeader('Content-Type', 'text/html; charset=iso-8859-1'); r.end(Buffer.from('<p>caf\xe9 \x93quoted\x94</p>', 'latin1')); },
  '/wrong': (q, r) => { r.setHeader('Content-Type', 'text/html; charset=utf-8'); r.end(Buffer.from('<p>wr\xffong \0 bytes</p>', 'latin1')); },
  '/feed': (q, r) => { r.setHeader('Content-Type', 'application/rss+xml'); r.end('<rss/>'); },
  '/evil/big': (q, r) => { r.setHeader('Content-Type', 'text/html'); r.end('x'.repeat(8 << 20)); },
  '/evil/bomb': (q, r) => { r.writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' }); r.end(bomb); },
  '/evil/slow': (q, r) => {
    r.writeHead(200, { 'Content-Type': 'text/html' });
    const timer = setInterval(() => r.write('x'), 200);
    q.on('close', () => clearInterval(timer));
  },
  '/evil/loop': (q, r) => { r.writeHead(302, { Location: '/evil/loop?' + Math.random() }); r.end(); },
  '/evil/off': (q, r) => { r.writeHead(302, { Location: `http://127.0.0.2:${server.address().port}/` }); r.end(); },
  '/evil/meta': (q, r) => { r.writeHead(302, { Location: 'http://169.254.169.254/latest/meta-data/' }); r.end(); },
  '/evil/odd': (q, r) => { r.writeHead(302, { Location: 'http://0x7f.1/' }); r.end(); },
  '/evil/user': (q, r) => { r.writeHead(302, { Location: `http://u:p@127.0.0.1:${server.address().port}/` }); r.end(); },
  '/evil/tail': (q, r) => { r.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': '100' }); r.write('short'); setTimeout(() => q.socket.destroy(), 50); },
};
const bomb = zlib.gzipSync(Buffer.alloc(200 << 20, '<p>boom '), { level: 9 });

function xml(r, text) {
  r.setHeader('Content-Type', 'application/xml');
  r.end(`<?xml version="1.0"?>${text}`);
}

function html(q, r, text) {
  const tag = `"${require('crypto').createHash('sha1').update(text).digest('hex')}"`;
  r.setHeader('ETag', tag);
  r.setHeader('Content-Type', 'text/html; charset=utf-8');
  if (q.headers['if-none-match'] === tag) { r.statusCode = 304; r.end(); } else if (/gzip/.test(q.headers['accept-encoding'] || '') && q.url === '/b') {
    r.setHeader('Content-Encoding', 'gzip');
    r.end(zlib.gzipSync(text));
  } else r.end(text);
}

const server = http.createServer((q, r) => {
  const at = new URL(q.url, 'http://x');
  if (at.pathname === '/_set') {
    for (const [name, value] of at.searchParams) set[name] = value;
    r.end();
    return;
  }
  setTimeout(() => {
    r.on('close', () => fs.appendFileSync(log, `${q.url} ${r.statusCode} ${q.headers['user-agent']}\n`));
    const known = special[at.pathname] || (pages[at.pathname] && ((_, out) => html(q, out, pages[at.pathname]())));
    if (known) known(q, r);
    else { r.statusCode = 404; r.end('none'); }
  }, Number(set.lag));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
