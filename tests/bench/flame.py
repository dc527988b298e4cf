"""A flame graph of `perf script`, as one SVG without scripts.

    perf script -i perf.data -F comm,ip,sym | flame.py TITLE > docs/flame.svg

Widths are shares of all samples; from bottom to top, who calls whom.  Frames
below 0.3 % are left out, so that the file stays small.  Hovering shows the name
and the share.
"""
import collections
import html
import re
import sys

LEAST = 0.003
WIDTH, HEIGHT, LEFT, TOP = 1200, 17, 10, 40
COLOURS = (
    ("kernel", "#9aa5b1", re.compile(r"_\[k\]$")),
    ("decode", "#e0704f", re.compile(r"^(decode_|wire_|utf8_|json_|attr_)")),
    ("intake", "#e8b04a", re.compile(
        r"^(on_span|on_resource|on_scope|memo_|entry_is|symbol_|peer_|probe_|"
        r"weight_|topic_|endpoint_|http_route|route|text_|intake_|nodes_|set_)")),
    ("pair", "#5b9bd5", re.compile(r"^(pair_|add_group|forget|tell|evict)")),
    ("edges", "#6bb56b", re.compile(
        r"^(edges_|find_slot|durations_|settle|sketch_|sqlite3)")),
    ("other", "#d9c9b8", re.compile("")),
)


class Node:
    def __init__(self):
        self.samples = 0
        self.kids = collections.defaultdict(Node)


def read_stacks(lines):
    """One list of frames, outermost first, for each sample."""
    stack = []
    for line in lines:
        line = line.rstrip("\n")
        if not line.strip():
            if stack:
                yield stack[::-1]
            stack = []
        elif line[0].isspace():
            address, _, name = line.strip().partition(" ")
            name = re.sub(r"\+0x[0-9a-f]+$", "", name.strip()) or "[unknown]"
            name = re.sub(r"\.(isra|part|constprop|cold)(\.\d+)?", "", name)
            if address.startswith("ffffffff"):
                name += "_[k]"
            stack.append(name)
    if stack:
        yield stack[::-1]


def colour_of(name):
    return next(colour for _, colour, known in COLOURS if known.search(name))


def draw(node, name, x, depth, total, out):
    share = node.samples / total
    if share < LEAST:
        return depth
    width = share * WIDTH
    deepest = depth
    if name:
        shown = name.replace("_[k]", "")
        text = shown if len(shown) * 6.4 < width - 4 else (
            shown[:max(0, int((width - 10) / 6.4))] + "…" if width > 34 else "")
        out.append((x, depth, width, colour_of(name), shown, share, text))
    for kid in sorted(node.kids):
        below = node.kids[kid]
        deepest = max(deepest, draw(below, kid, x, depth + 1, total, out))
        x += below.samples / total * WIDTH
    return deepest


def main():
    root = Node()
    for stack in read_stacks(sys.stdin):
        node = root
        root.samples += 1
        for name in stack:
            if name == "[unknown]":
                continue
            node = node.kids[name]
            node.samples += 1
    if not root.samples:
        sys.exit("flame.py: no samples")
    frames = []
    levels = draw(root, "", LEFT, 0, root.samples, frames)
    height = TOP + (levels + 1) * HEIGHT
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + 2 * LEFT}" '
          f'height="{height}" font-family="monospace" font-size="11">')
    print(f'<rect width="100%" height="100%" fill="#fff"/>'
          f'<text x="{LEFT}" y="16" font-size="13">{html.escape(sys.argv[1])}: '
          f'{root.samples} samples</text>')
    x = LEFT
    for name, colour, _ in COLOURS:
        print(f'<rect x="{x}" y="22" width="10" height="10" fill="{colour}"/>'
              f'<text x="{x + 14}" y="31">{name}</text>')
        x += 80
    for x, depth, width, colour, name, share, text in frames:
        y = height - depth * HEIGHT
        print(f'<g><title>{html.escape(name)} {100 * share:.1f} %</title>'
              f'<rect x="{x:.1f}" y="{y}" width="{max(width - 0.5, 0.5):.1f}" '
              f'height="{HEIGHT - 1}" fill="{colour}"/>'
              + (f'<text x="{x + 2:.1f}" y="{y + 12}">{html.escape(text)}</text>'
                 if text else "") + "</g>")
    print("</svg>")


main()
