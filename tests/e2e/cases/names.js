// Who a service is, what is no real traffic, and odd times.
'use strict';

module.exports = [
  { id: 'S01', title: 'a namespace is part of the name', spans: ['a C shop/web', 'b S bank/api <a'], edges: ['shop/web -> bank/api call 1'] },
  { id: 'S02', title: 'two namespaces are two services', spans: ['a S x/web', 'b S y/web', 'c S web'], edges: ['user -> x/web virtual_in 1', 'user -> y/web virtual_in 1', 'user -> web virtual_in 1'] },
  { id: 'S03', title: 'two environments are two services', spans: ['a S web env=prod', 'b S web env=staging', 'c S web'], edges: ['user -> web@prod virtual_in 1', 'user -> web@staging virtual_in 1', 'user -> web virtual_in 1'] },
  { id: 'S04', title: 'the old name of the environment', spans: ['a S web @deployment.environment=prod'], edges: ['user -> web@prod virtual_in 1'] },
  { id: 'S05', title: 'the new one goes before it', spans: ['a S web @deployment.environment.name=prod @deployment.environment=old'], edges: ['user -> web@prod virtual_in 1'] },
  { id: 'S06', title: 'versions are one service', spans: ['a S web @service.version=1', 'b S web @service.version=2'], edges: ['user -> web virtual_in 2'] },
  { id: 'S07', title: 'instances are one service', spans: ['a S web @service.instance.id=1', 'b S web @service.instance.id=2'], edges: ['user -> web virtual_in 2'] },
  { id: 'S08', title: 'a call between environments', spans: ['a C web env=prod', 'b S web <a env=staging'], edges: ['web@prod -> web@staging call 1'] },
  { id: 'S09', title: 'no name: the deployment', spans: ['a S - @k8s.deployment.name=dep @k8s.replicaset.name=rs @k8s.pod.name=pod @k8s.container.name=c'], edges: ['user -> dep virtual_in 1'] },
  { id: 'S10', title: 'no name: the replica set', spans: ['a S - @k8s.replicaset.name=rs @k8s.pod.name=pod'], edges: ['user -> rs virtual_in 1'] },
  { id: 'S11', title: 'no name: the stateful set', spans: ['a S - @k8s.statefulset.name=st @k8s.pod.name=pod'], edges: ['user -> st virtual_in 1'] },
  { id: 'S12', title: 'no name: the daemon set', spans: ['a S - @k8s.daemonset.name=ds @k8s.cronjob.name=cj'], edges: ['user -> ds virtual_in 1'] },
  { id: 'S13', title: 'no name: the cron job, then the job', spans: ['a S - @k8s.cronjob.name=cj @k8s.job.name=j', 'b S - @k8s.job.name=j @k8s.pod.name=pod'], edges: ['user -> cj virtual_in 1', 'user -> j virtual_in 1'] },
  { id: 'S14', title: 'no name: the pod, then the container', spans: ['a S - @k8s.pod.name=pod @k8s.container.name=c', 'b S - @k8s.container.name=c'], edges: ['user -> pod virtual_in 1', 'user -> c virtual_in 1'] },
  { id: 'S15', title: 'no name at all', spans: ['a S -'], alone: true, edges: ['user -> unknown_service virtual_in 1'] },
  { id: 'S16', title: 'the fallback of an SDK is a name', spans: ['a S unknown_service:java'], edges: ['user -> unknown_service:java virtual_in 1'] },
  { id: 'S17', title: 'the namespace of Kubernetes is no environment', spans: ['a S web @k8s.namespace.name=prod'], edges: ['user -> web virtual_in 1'] },
  { id: 'S18', title: 'names keep their case', spans: ['a C Web', 'b S WEB <a'], edges: ['Web -> WEB call 1'] },
  { id: 'S19', title: 'a peer and a service of one name are two nodes', spans: ['a C web peer.service=api', 'b S api'], edges: ['web -> api virtual_out 1', 'user -> api virtual_in 1'] },
  // ---- no real traffic ----
  { id: 'Y01', title: 'a synthetic test draws no edge', spans: ['a S web user_agent.synthetic.type=test'], edges: [], counters: { synthetic: 1 } },
  { id: 'Y02', title: 'nor a bot', spans: ['a S web user_agent.synthetic.type=bot'], edges: [], counters: { synthetic: 1 } },
  { id: 'Y03', title: 'nor the probe of a kubelet', spans: ['a S web http.request.method=GET http.route=/ready user_agent.original=kube-probe/1.30'], edges: [], counters: { synthetic: 1 } },
  { id: 'Y04', title: 'nor one in old names', spans: ['a S web http.method=GET http.route=/ready http.user_agent=ELB-HealthChecker/2.0'], edges: [], counters: { synthetic: 1 } },
  { id: 'Y05', title: 'an excluded route draws no edge from either half', spans: ['a C web peer.service=api', 'b S api <a http.request.method=GET http.route=/healthz'], edges: [], counters: { synthetic: 1 } },
  { id: 'Y06', title: 'a browser is a user', spans: ["a S web user_agent.original='Mozilla/5.0 (X11)'"], edges: ['user -> web virtual_in 1'] },
  { id: 'Y07', title: 'a synthetic egress draws no edge', spans: ['a C web peer.service=api user_agent.synthetic.type=test'], edges: [], counters: { synthetic: 1 } },
  // ---- times ----
  { id: 'T01', title: 'the client comes after its server', spans: ['a C web at=5', 'b S api <a at=1'], edges: ['web -> api call 1'] },
  { id: 'T02', title: 'a client of ten minutes', spans: ['a C web for=590', 'b S api <a at=1'], edges: ['web -> api call 1'] },
  { id: 'T03', title: 'an end before the start still counts', spans: ['a C web for=-1', 'b S api <a for=-1'], edges: ['web -> api call 1'] },
];
