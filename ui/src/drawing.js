// The picture: sigma draws with WebGL, names are drawn on a canvas, so that no
// name is ever markup.
import Graph from "graphology";
import Sigma from "sigma";
import { EdgeArrowProgram, EdgeLineProgram } from "sigma/rendering";
import { evidenceWords, healthOf, pale, palette } from "./theme.js";
import { label } from "./format.js";
import { isLayered } from "./layout.js";

const NAME_LENGTH = 48;

const mix = (a, b) => (!a || a === b ? b : "both");

/** One line a pair of nodes: what it sums. */
function pairsOf(edges) {
  const pairs = new Map();
  for (const edge of edges) {
    const key = `${edge.source} ${edge.target}`;
    const pair = pairs.get(key) ?? { source: edge.source, target: edge.target, count: 0, errors: 0, evidence: "", rows: [] };
    pair.count += edge.count;
    pair.errors += edge.errors;
    pair.evidence = mix(pair.evidence, edge.evidence);
    pair.rows.push(edge);
    pairs.set(key, pair);
  }
  return pairs;
}

const cut = (text) => (text.length > NAME_LENGTH ? `${text.slice(0, NAME_LENGTH - 1)}…` : text);

function drawName(context, data, settings) {
  if (!data.label) return;
  const colors = palette();
  context.font = `${data.weight ?? 400} ${settings.labelSize}px ${settings.labelFont}`;
  const width = context.measureText(data.label).width;
  const x = data.x - width / 2;
  const y = data.y + data.size + settings.labelSize * 1.2;
  context.globalAlpha = 0.78;
  context.fillStyle = colors.back;
  context.fillRect(x - 2, y - settings.labelSize, width + 4, settings.labelSize * 1.3);
  context.globalAlpha = 1;
  context.fillStyle = data.faded ? colors.quiet : colors.text;
  context.fillText(data.label, x, y);
}

function drawHover(context, data, settings) {
  const colors = palette();
  context.beginPath();
  context.arc(data.x, data.y, data.size + 4, 0, 2 * Math.PI);
  context.strokeStyle = colors.chosen;
  context.lineWidth = 3;
  context.stroke();
  drawName(context, { ...data, weight: 600, faded: false }, settings);
}

export class Drawing {
  /** handlers: enter(thing), leave(), click(id), open(id); thing is {node} or {pair}. */
  constructor(element, handlers) {
    this.element = element;
    this.handlers = handlers;
    this.chosen = null;
    this.under = null;
    this.isLarge = false;
    this.edgeLeft = 1; // of an edge's colour: many would hide the nodes
    this.color = "evidence";
    this.graph = new Graph({ multi: false, type: "directed", allowSelfLoops: true });
    this.sigma = new Sigma(this.graph, element, {
      // Thousands of arrows cannot be told apart, and cost more than lines.
      edgeProgramClasses: { arrow: EdgeArrowProgram, thin: EdgeLineProgram },
      defaultEdgeType: "arrow",
      defaultDrawNodeLabel: drawName,
      defaultDrawNodeHover: drawHover,
      labelFont: "system-ui, sans-serif",
      labelSize: 12,
      enableEdgeEvents: true,
      zIndex: true,
      minCameraRatio: 0.02,
      maxCameraRatio: 8,
      stagePadding: 60,
      allowInvalidContainer: true,
      nodeReducer: (id, data) => this.showNode(id, data),
      edgeReducer: (id, data) => this.showEdge(id, data),
    });
    this.sigma.on("enterNode", ({ node }) => this.enter(node));
    this.sigma.on("leaveNode", () => this.leave());
    this.sigma.on("enterEdge", ({ edge }) => handlers.enter({ pair: this.graph.getEdgeAttribute(edge, "pair") }));
    this.sigma.on("leaveEdge", () => handlers.leave());
    this.sigma.on("clickNode", ({ node }) => handlers.open(Number(node)));
  }

  // What is under the pointer stands out by fading the rest, which is too much
  // work to do for thousands at each move.
  enter(id) {
    this.handlers.enter({ node: this.graph.getNodeAttribute(id, "node") });
    if (this.isLarge) return;
    this.under = id;
    this.sigma.refresh({ skipIndexation: true });
  }

  leave() {
    this.handlers.leave();
    if (this.under === null) return;
    this.under = null;
    this.sigma.refresh({ skipIndexation: true });
  }

  colorOf(thing) {
    const colors = palette();
    return this.color === "health" ? colors[thing.health] : colors[thing.evidence];
  }

  showNode(id, data) {
    const result = { ...data, color: this.colorOf(data.look) };
    const center = this.under ?? (this.chosen === null ? null : String(this.chosen));
    if (center !== null && this.graph.hasNode(center)) {
      const near = id === center || this.graph.areNeighbors(id, center);
      if (!near && this.under) {
        result.color = palette().faint;
        result.faded = true;
        if (this.graph.order > 60) result.label = "";
      } else if (id === center) {
        result.highlighted = true;
        result.zIndex = 2;
      }
    }
    return result;
  }

  showEdge(id, data) {
    const result = { ...data, color: this.colorOf(data.look) };
    const center = this.under ?? (this.chosen === null ? null : String(this.chosen));
    if (!this.isLarge && center !== null && this.graph.hasNode(center) && this.graph.hasExtremity(id, center)) result.zIndex = 1;
    else if (this.under !== null) result.color = palette().faint;
    else if (this.edgeLeft < 1) result.color = pale(result.color, this.edgeLeft);
    return result;
  }

  /** Replace what is drawn. */
  show(nodes, edges, focus) {
    const evidence = new Map();
    for (const edge of edges) {
      for (const id of [edge.source, edge.target]) evidence.set(id, mix(evidence.get(id), edge.evidence));
    }
    this.under = null;
    this.pairs = pairsOf(edges);
    this.graph.clear();
    const top = Math.max(1, ...nodes.map((node) => Math.max(node.in, node.out)));
    const isLarge = nodes.length > 800 || edges.length > 3000;
    this.isLarge = isLarge;
    const isFew = isLayered(nodes, this.links());
    this.edgeLeft = isFew ? 1 : isLarge ? 0.25 : 0.5;
    for (const node of nodes) {
      const calls = Math.max(node.in, node.out);
      const [tries, failed] = node.in ? [node.in, node.in_errors] : [node.out, node.out_errors];
      this.graph.addNode(node.id, {
        x: 0, y: 0, node, label: cut(label(node)),
        size: (isFew ? 6 : isLarge ? 1 : 3) + (isFew ? 9 : 7) * Math.sqrt(Math.log1p(calls) / Math.log1p(top)),
        look: { evidence: evidence.get(node.id) ?? "observed", health: healthOf(tries, failed) },
        forceLabel: focus.includes(node.id) || (isFew && nodes.length <= 60),
        zIndex: focus.includes(node.id) ? 2 : 0,
      });
    }
    const most = Math.max(1, ...edges.map((edge) => edge.count));
    for (const pair of this.pairs.values()) {
      this.graph.addEdge(pair.source, pair.target, {
        pair,
        type: isLarge ? "thin" : "arrow",
        size: (isFew ? 1.5 : 0.8) + 3 * (Math.log1p(pair.count) / Math.log1p(most)),
        look: { evidence: pair.evidence, health: healthOf(pair.count, pair.errors) },
        zIndex: 0,
      });
    }
    this.sigma.setSetting("hideEdgesOnMove", isLarge);
    this.sigma.setSetting("enableEdgeEvents", !isLarge);
    this.sigma.setSetting("labelRenderedSizeThreshold", isFew ? 0 : isLarge ? 4 : 7);
    this.sigma.setSetting("labelDensity", isFew ? 4 : 0.6);
  }

  /** What a layout needs: pairs of different nodes. */
  links() {
    return [...this.pairs.values()].filter((pair) => pair.source !== pair.target).map((pair) => [pair.source, pair.target]);
  }

  place(places) {
    this.graph.updateEachNodeAttributes((id, data) => {
      const place = places.get(Number(id));
      return place ? { ...data, x: place.x, y: place.y } : data;
    }, { attributes: ["x", "y"] });
  }

  choose(id) {
    this.chosen = id;
    this.sigma.refresh({ skipIndexation: true });
  }

  paint(color = this.color) {
    this.color = color;
    this.sigma.refresh({ skipIndexation: true });
  }

  zoom(factor) {
    const camera = this.sigma.getCamera();
    camera.setState({ ratio: Math.min(8, Math.max(0.02, camera.ratio * factor)) });
  }

  reset() {
    this.sigma.getCamera().setState({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  }

  /** Bring a node into the middle if it is out of sight. */
  reveal(id) {
    const shown = this.sigma.getNodeDisplayData(String(id));
    const place = shown && this.sigma.framedGraphToViewport(shown);
    const { width, height } = this.sigma.getDimensions();
    if (place && (place.x < 20 || place.y < 20 || place.x > width - 20 || place.y > height - 20)) {
      this.sigma.getCamera().setState({ x: shown.x, y: shown.y });
    }
  }

  /** Where a node is on the page, for who tests it. */
  whereIs(id) {
    const shown = this.sigma.getNodeDisplayData(String(id));
    return shown && this.sigma.framedGraphToViewport(shown);
  }

  close() {
    this.sigma.kill();
  }
}

export const evidenceOf = (pair) => evidenceWords[pair.evidence] ?? "";
