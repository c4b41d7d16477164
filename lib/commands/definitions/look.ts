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
    of('rules', 'DeviceTaintRules and PacedTaintRules, with their state.', {
      uses: ['cluster', 'output', 'selector', 'watch'],
      examples: [{ command: 'sluice get rules', text: 'All rules of the current context:' }],
    }),
    of('policies', 'EvictionPolicies, with their taint selectors, rates and states.', {
      uses: ['cluster', 'output', 'selector', 'watch'],
    }),
    of('taints', 'Device taints and their sources.', {
      arguments: [{ name: 'key', text: 'only taints with this key', isOptional: true }],
    }),
    of('devices', 'Published devices, their taints and the pods that use them.', {
      arguments: [{ name: 'device', text: 'only this one: DRIVER/POOL/DEVICE', isOptional: true, objects: 'devices' }],
    }),
    of('pods', 'Pods that use devices, and whether their devices’ taints evict them.', {
      details: [
        'VERDICT is EvictAt (will be evicted), Tolerates (will be evicted later), Held, Keep, or Unknown (Sluice cannot decide and keeps the pod).',
      ],
      uses: ['cluster', 'namespace', 'output', 'selector', 'watch'],
      examples: [{ command: 'sluice get pods -A -o wide', text: 'All pods with devices, with the reasons:' }],
    }),
    of('evictions', 'The last evicted pods, from the state table or from the Events of the cluster.', {
      details: [
        'With an installation: from the state table, for the last 24 hours. Otherwise: from Events, for as long as the cluster keeps them (an hour by default).',
      ],
      arguments: [],
      options: [
        { flags: '--limit <n>', text: 'maximum number of evictions, newest first', default: '100' },
        { flags: '-n, --namespace <name>', text: 'only this namespace; default: all', objects: 'namespaces' },
        { flags: '-A, --all-namespaces', text: 'all namespaces; overrides -n, as in kubectl' },
      ],
      uses: ['cluster', 'installation', 'configuration', 'output', 'watch'],
    }),
    of('clusters', 'Clusters of an installation, and the last heartbeats of their watchers.', {
      uses: ['installation', 'configuration', 'output', 'watch'],
    }),
  ],
};

export const describe: VerbDefinition = {
  name: 'describe',
  text: 'Show one object and everything that affects its evictions.',
  arguments: [
    { name: 'kind', text: 'what it is', choices: ['rule', 'policy', 'pod', 'device'] },
    { name: 'name', text: 'its name; pod: NAME or NAMESPACE/NAME; device: DRIVER/POOL/DEVICE', objects: 'kind' },
  ],
  uses: ['cluster', 'namespace'],
  examples: [{ command: 'sluice describe rule unhealthy-gpus', text: 'A rule with its plan and Events:' }],
  load: () => import('../verbs/describe.ts'),
};

export const why: VerbDefinition = {
  name: 'why',
  text: 'Explain why a pod was evicted, is pending or is kept, or what a rule or device evicts.',
  details: [
    'With a kubeconfig, evaluates the live objects, and so also explains why a pod is not evicted. With an installation, reads the records of evictions, which are kept for 90 days by default.',
  ],
  arguments: [
    { name: 'kind', text: 'what it is', choices: ['pod', 'rule', 'device'] },
    {
      name: 'name',
      text: 'pod: NAME, NAMESPACE/NAME or UID; rule: NAME or KIND/NAME, with a kubeconfig also DeviceTaintSlice/NAME; device: DRIVER/POOL/DEVICE',
      objects: 'kind',
    },
  ],
  options: [{ flags: '--limit <n>', text: 'records of a rule or device, newest first', default: '20' }],
  uses: ['cluster', 'installation', 'configuration', 'namespace', 'output'],
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
      text: 'plan the rules in this file, which need not exist in the cluster; "-": standard input',
    },
    {
      flags: '--by <what>',
      text: 'group the pods by',
      choices: ['pod', 'namespace', 'owner', 'device', 'budget'],
      default: 'pod',
    },
    { flags: '--page <n>', text: 'which page of the table', default: '1' },
    { flags: '--page-size <n>', text: 'rows of a page; 0 prints all', default: '50' },
  ],
  uses: ['cluster', 'output'],
  statuses: [{ status: 3, text: 'at least one pod would be evicted, and its namespace is not paused' }],
  examples: [
    { command: 'sluice plan -f rule.yaml', text: 'Before the rule is applied:' },
    { command: 'sluice plan unhealthy-gpus --by namespace', text: 'Which namespaces are affected?' },
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
    'With an installation: from the state table. Otherwise: from live objects, conditions, and eviction Events, which the API server keeps for an hour by default; earlier evictions are counted from the condition of each rule.',
  ],
  options: [{ flags: '--once', text: 'print the bars once and exit; any format but table does the same' }],
  uses: ['cluster', 'installation', 'configuration', 'output'],
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
    'The console watches the cluster of the kubeconfig and acts with its rights; buttons without the required right are hidden. Progress, timeline and records need the state table.',
  ],
  options: [{ flags: '--port <n>', text: 'port of the page; 0 takes a free one', default: '0' }],
  uses: ['cluster', 'installation', 'configuration'],
  examples: [{ command: 'sluice console --kubeconfig FILE', text: 'Without AWS:' }],
  load: () => import('../verbs/console.ts'),
};
