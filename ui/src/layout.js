// Where nodes stand.  Parts that can be read are laid out in layers, callers to
// the left of what they call, or above it where the picture is higher than wide
// (elk); larger ones by forces.  Both in workers, so
// that the page goes on answering.
import ELK from "elkjs/lib/elk-api.js";
import { label } from "./format.js";
import { isCalm } from "./theme.js";

const LAYERED_NODES = 120;
const LAYERED_PAIRS = 180;
const LAYERED_MS = 5000; // then forces have it
const FORCE_ROUNDS = 30;

// The only scripts that this page may start by name.
const scripts = new Set(["/ui/elk.js", "/ui/force.js"]);
const policy = globalThis.trustedTypes?.createPolicy("spangraph", {
  createScriptURL: (path) => {
    if (!scripts.has(path)) throw new TypeError(`not a script of this page: ${path}`);
    return path;
  },
});
const startWorker = (path) => new Worker(policy ? policy.createScriptURL(path) : path);

let elk = null;
let force = null;

export const isLayered = (nodes, pairs) => nodes.length <= LAYERED_NODES && pairs.length <= LAYERED_PAIRS;

/** Null: it took too long. */
async function layered(nodes, pairs, isTall) {
  elk ??= new ELK({ workerFactory: () => startWorker("/ui/elk.js") });
  const mine = elk;
  const late = new Promise((resolve) => { setTimeout(() => resolve(null), LAYERED_MS); });
  const laid = await Promise.race([late, mine.layout({
    id: "root",
    layoutOptions: {
      "elk.algorithm": "layered", "elk.direction": isTall ? "DOWN" : "RIGHT",
      "elk.layered.spacing.nodeNodeBetweenLayers": "60", "elk.spacing.nodeNode": "44",
      "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
      "elk.separateConnectedComponents": "true", "elk.aspectRatio": isTall ? "0.6" : "1.6",
    },
    children: nodes.map((node) => ({ id: String(node.id), width: Math.min(260, 40 + 7 * label(node).length), height: 46 })),
    edges: pairs.map(([source, target], i) => ({ id: `e${i}`, sources: [String(source)], targets: [String(target)] })),
  })]);
  if (!laid) {
    if (elk === mine) {
      elk = null;
      mine.terminateWorker();
    }
    return null;
  }
  return new Map(laid.children.map((child) => [Number(child.id), { x: child.x + child.width / 2, y: -child.y }]));
}

/** Deterministic, and a fair start for forces: services in rings. */
export function rings(nodes) {
  const places = new Map();
  let ring = 0;
  let at = 0;
  let size = 1;
  for (const node of nodes) {
    if (at === size) {
      ring += 1;
      at = 0;
      size = 6 * ring;
    }
    const angle = (2 * Math.PI * at) / size;
    places.set(node.id, { x: 100 * ring * Math.cos(angle), y: 100 * ring * Math.sin(angle) });
    at += 1;
  }
  return places;
}

function forced(nodes, pairs, moved) {
  const places = rings(nodes);
  force?.terminate();
  force = startWorker("/ui/force.js");
  return new Promise((resolve, reject) => {
    force.onmessage = ({ data }) => {
      nodes.forEach((node, i) => places.set(node.id, { x: data.x[i], y: data.y[i] }));
      if (data.done) {
        force.terminate();
        force = null;
        resolve(places);
      } else if (!isCalm()) {
        moved(places, false);
      }
    };
    force.onerror = () => reject(new Error("the layout failed"));
    force.postMessage({
      nodes: nodes.map((node) => node.id),
      x: nodes.map((node) => places.get(node.id).x),
      y: nodes.map((node) => places.get(node.id).y),
      edges: pairs,
      rounds: FORCE_ROUNDS,
    });
  });
}

/** Pairs are [source, target] of different nodes, each once.  Calls
 * moved(places, done) once or more.  isTall: for a picture higher than wide. */
export async function layout(nodes, pairs, moved, isTall) {
  force?.terminate();
  force = null;
  if (nodes.length === 0) return;
  moved(rings(nodes), false);
  const places = (isLayered(nodes, pairs) && (await layered(nodes, pairs, isTall))) || (await forced(nodes, pairs, moved));
  moved(places, true);
}
