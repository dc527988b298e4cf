'use strict';
// A Collector's configuration, as far as it can be known without a Collector:
// what the pipelines name is there, what is there is named, and spans reach us.
function collectorProblems(config, hosts) {
    const out = [];
    for (const part of ['receivers', 'processors', 'exporters']) {
        const used = new Set(Object.values(config.service.pipelines).flatMap((pipeline) => pipeline[part] || []));
        const there = Object.keys(config[part] || {});
        for (const name of used) if (!there.includes(name)) out.push(`${part}: ${name} is not there`);
        for (const name of there) if (!used.has(name)) out.push(`${part}: ${name} is not used`);
    }
    for (const [name, pipeline] of Object.entries(config.service.pipelines))
        if (pipeline.processors[0] !== 'memory_limiter') out.push(`${name}: the memory limiter comes first`);
    const us = config.exporters['otlp/spangraph'];
    if (!us || !hosts.includes(us.endpoint)) out.push(`it does not name one of ${hosts}`);
    const to = Object.values(config.service.pipelines).filter((pipeline) => pipeline.exporters.includes('otlp/spangraph'));
    if (to.length !== 1) out.push('spans come to spangraph not exactly once');
    for (const pipeline of to)
        if (pipeline.processors.includes('tail_sampling')) out.push('spangraph gets sampled spans only');
    return out;
}

module.exports = { collectorProblems };
