// Definitions of the read-only verbs.
import { type VerbDefinition, withWord } from '../definition.ts';

const list = () => import('../verbs/get.ts');

const of = (name: string, text: string, by: Partial<VerbDefinition> = {}): VerbDefinition => ({
  name,
  aliases: [name.replace(/ies$/, 'y').replace(/s$/, '')],
  text,
  arguments: [{ name: 'name', text: 'only this one', isOptional: true, objects: name as 'rules' }],
  uses: ['cluster', 'output', 'watch'],
  load: withWord(name, list),
  ...by,
});

export const get: VerbDefinition = {
  name: 'get',
  text: 'List objects of one kind, or show one.',
  details: ['A kind may be written in the singular.'],
  verbs: [
    of('rules', 'DeviceTaintRules and PacedTaintRules, with what their conditions say.', {
      uses: ['cluster', 'output', 'selector', 'watch'],
      examples: [{ command: 'sluice get rules', text: 'All rules of the current context:' }],
    }),
    of('policies', 'EvictionPolicies, what they select and what they say.', {
      uses: ['cluster', 'output', 'selector', 'watch'],
    }),
    of('taints', 'Taints of devices, by key and by who put them there.', {
      arguments: [{ name: 'key', text: 'only taints with this key', isOptional: true }],
    }),
    of('devices', 'Published devices, their taints and the pods that use them.', {
      arguments: [{ name: 'device', text: 'only this one: DRIVER/POOL/DEVICE', isOptional: true, objects: 'devices' }],
    }),
    of('pods', 'Pods that hold devices, and whether their devices’ taints evict them.', {
      details: [
        'VERDICT is EvictAt (to be evicted), Tolerates (to be evicted later), Held, Keep, or Unknown (it cannot be decided, and the pod stays).',
      ],
      uses: ['cluster', 'namespace', 'output', 'selector', 'watch'],
      examples: [{ command: 'sluice get pods -A -o wide', text: 'All pods with devices, with the reasons:' }],
    }),
    of('evictions', 'The last evicted pods, from the state table or from the Events of the cluster.', {
      details: [
        'Where an installation is named or remembered, the state table answers, for the last 24 hours. Else the Events of the cluster do, for as long as it keeps them.',
      ],
      arguments: [],
      options: [
        { flags: '--limit <n>', text: 'at most so many, newest first', default: '100' },
        { flags: '-n, --namespace <name>', text: 'only this namespace; else all' },
        { flags: '-A, --all-namespaces', text: 'all namespaces, also beside -n' },
      ],
      uses: ['cluster', 'installation', 'configuration', 'output', 'watch'],
    }),
    of('clusters', 'The clusters of an installation, and whether their watchers are heard.', {
      uses: ['installation', 'configuration', 'output', 'watch'],
    }),
  ],
};

export const describe: VerbDefinition = {
  name: 'describe',
  text: 'Show one object with everything that decides about it.',
  arguments: [
    { name: 'kind', text: 'what it is', choices: ['rule', 'policy', 'pod', 'device'] },
    { name: 'name', text: 'its name; a device is DRIVER/POOL/DEVICE', objects: 'kind' },
  ],
  uses: ['cluster', 'namespace'],
  examples: [{ command: 'sluice describe rule unhealthy-gpus', text: 'A rule with its plan and Events:' }],
  load: () => import('../verbs/describe.ts'),
};

export const why: VerbDefinition = {
  name: 'why',
  text: 'Say why a pod was evicted, waits or stays, or what a rule or device evicts.',
  details: [
    'With a kubeconfig it evaluates the live objects, and so also says why a pod is not evicted. With an installation it reads the records of evictions, which are kept for 90 days by default.',
  ],
  arguments: [
    { name: 'kind', text: 'what it is', choices: ['pod', 'rule', 'device'] },
    {
      name: 'name',
      text: 'pod: NAME, NAMESPACE/NAME or UID; rule: NAME or KIND/NAME; device: DRIVER/POOL/DEVICE',
      objects: 'kind',
    },
  ],
  options: [{ flags: '--limit <n>', text: 'records of a rule or device, newest first', default: '20' }],
  uses: ['cluster', 'installation', 'configuration', 'namespace'],
  examples: [
    { command: 'sluice why pod worker-0 -n team-a', text: 'Why is this pod still there?' },
    { command: 'sluice why device gpu.example.com/node-7/gpu-3', text: 'What happened on a device?' },
  ],
  load: () => import('../verbs/why.ts'),
};

export const plan: VerbDefinition = {
  name: 'plan',
  text: 'Show the pods that a rule would evict now, with budgets and the time at its rate; write nothing.',
  arguments: [{ name: 'rule', text: 'a rule of the cluster: NAME or KIND/NAME', isOptional: true, objects: 'rules' }],
  options: [
    {
      flags: '-f, --filename <file>',
      text: 'rules of a file instead, which need not exist in the cluster; "-" is standard input',
    },
    {
      flags: '--by <what>',
      text: 'count the pods by this',
      choices: ['pod', 'namespace', 'owner', 'device', 'budget'],
      default: 'pod',
    },
    { flags: '--page <n>', text: 'which page of the table', default: '1' },
    { flags: '--page-size <n>', text: 'rows of a page; 0 prints all', default: '50' },
  ],
  uses: ['cluster', 'output'],
  statuses: [{ status: 3, text: 'at least one pod would be evicted' }],
  examples: [
    { command: 'sluice plan -f rule.yaml', text: 'Before the rule is applied:' },
    { command: 'sluice plan unhealthy-gpus --by namespace', text: 'Whom does it concern?' },
  ],
  load: () => import('../verbs/plan.ts'),
};

export const events: VerbDefinition = {
  name: 'events',
  text: 'Print the Events that Sluice wrote, oldest first.',
  uses: ['cluster', 'namespace', 'output', 'watch'],
  examples: [{ command: 'sluice events -A --watch', text: 'Follow all of them:' }],
  load: () => import('../verbs/events.ts'),
};

export const top: VerbDefinition = {
  name: 'top',
  text: 'Show a bar for each rule that evicts: evicted, waiting, rate and time left.',
  details: [
    'With an installation the state table answers. Else the API server does: bars from the live objects, their conditions and the Events of evictions, which it keeps for an hour by default; who was evicted before is counted by the condition of each rule.',
  ],
  options: [{ flags: '--once', text: 'print one picture and end' }],
  uses: ['cluster', 'installation', 'configuration'],
  examples: [
    { command: 'sluice top --kubeconfig FILE', text: 'Without AWS:' },
    { command: 'sluice top --cluster prod', text: 'Watch a cluster of an installation:' },
  ],
  load: () => import('../verbs/top.ts'),
};

export const console: VerbDefinition = {
  name: 'console',
  text: 'Serve the pages of a cluster on 127.0.0.1 until Ctrl-C: fleet, rules, plans, timeline, reasons and actions.',
  details: [
    'The cluster of the kubeconfig is watched, and actions are done with its rights; without a right its buttons are missing. Progress, timeline and records come from the state table, where one is named.',
  ],
  options: [{ flags: '--port <n>', text: 'port of the page; 0 takes a free one', default: '0' }],
  uses: ['cluster', 'installation', 'configuration'],
  examples: [{ command: 'sluice console --kubeconfig FILE', text: 'Without AWS:' }],
  load: () => import('../verbs/console.ts'),
};
