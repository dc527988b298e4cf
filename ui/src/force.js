// A worker: places nodes of large parts by forces, which takes seconds, and
// tells where they are as they settle.
import Graph from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";

const ROUND = 20;
const MILLISECONDS = 8000;

self.onmessage = ({ data }) => {
  const graph = new Graph({ multi: false, type: "undirected" });
  data.nodes.forEach((id, i) => graph.addNode(id, { x: data.x[i], y: data.y[i] }));
  for (const [source, target] of data.edges) graph.mergeEdge(source, target);
  const settings = { ...forceAtlas2.inferSettings(graph), barnesHutOptimize: graph.order > 300, adjustSizes: false };
  const end = Date.now() + MILLISECONDS;
  for (let round = 0; round < data.rounds; round++) {
    forceAtlas2.assign(graph, { iterations: ROUND, settings });
    const x = new Float64Array(data.nodes.length);
    const y = new Float64Array(data.nodes.length);
    data.nodes.forEach((id, i) => {
      x[i] = graph.getNodeAttribute(id, "x");
      y[i] = graph.getNodeAttribute(id, "y");
    });
    const done = round === data.rounds - 1 || Date.now() > end;
    self.postMessage({ x, y, done }, [x.buffer, y.buffer]);
    if (done) break;
  }
};
