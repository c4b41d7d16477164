// Definitions of the verbs that write: rules, pauses, approvals and modes.
import { type ArgumentDefinition, type VerbDefinition, withWord } from '../definition.ts';

const rates = [
  { flags: '--rate <n>', text: 'evictions per second; default: that of the policy' },
  { flags: '--burst <n>', text: 'burst size: number of evictions allowed at once' },
] as const;

const plan = {
  status: 3,
  text: 'with --dry-run: at least one pod would be evicted, and its namespace is not paused',
} as const;
const device = 'DRIVER/POOL/DEVICE';

const named = (kind: string): ArgumentDefinition =>
  kind === 'device'
    ? { name: kind, text: device, objects: 'devices' }
    : { name: kind, text: 'name of the node', objects: 'nodes' };

export const approve: VerbDefinition = {
  name: 'approve',
  text: 'Show the plan of a held rule or policy, and approve it.',
  arguments: [
    { name: 'kind', text: 'what to approve', choices: ['rule', 'policy'] },
    { name: 'name', text: 'its name', objects: 'kind' },
  ],
  uses: ['cluster', 'confirm'],
  load: () => import('../verbs/approve.ts'),
};

const pausable = ['cluster', 'rule', 'policy', 'taint', 'namespace'];

export const pause: VerbDefinition = {
  name: 'pause',
  text: 'Pause evictions, and return when no DELETE request is in flight.',
  details: [
    '--all pauses every cluster of the installation. With --kubeconfig or --context, or without an installation, it creates an EvictionStop that pauses only the cluster of that context, and needs no AWS access.',
    'The pause of a cluster is stored in the state table, that of a rule, policy or namespace in an annotation. The pause of a namespace keeps every pod in it, whatever eviction mode its label sets. The pause of a taint is an EvictionPolicy with pauseOnly, which selects only its key: rate, limits and approvals stay those of the policy that applies without it. It is deleted when the last pause of the taint ends.',
  ],
  arguments: [
    { name: 'kind', text: 'what to pause', isOptional: true, choices: pausable },
    { name: 'name', text: 'its name; a taint is its key', isOptional: true, objects: 'kind' },
  ],
  options: [
    { flags: '--all', text: 'pause everything' },
    {
      flags: '--name <name>',
      text: 'name of the pause; several pauses can be in effect, and each is ended by its name',
      default: 'manual',
    },
    { flags: '--why <text>', text: 'reason, shown with the pause' },
    { flags: '--timeout <seconds>', text: 'how long to wait for DELETE requests in flight', default: '60' },
  ],
  uses: ['cluster', 'installation', 'configuration'],
  examples: [
    { command: 'sluice pause --all --why "power failure"', text: 'Pause everything:' },
    { command: 'sluice pause cluster prod', text: 'Pause one cluster of the installation:' },
    { command: 'sluice pause rule unhealthy-gpus', text: 'Pause one rule:' },
  ],
  load: () => import('../verbs/pause.ts'),
};

export const pauses: VerbDefinition = {
  name: 'pauses',
  text: 'List everything that is paused: who paused it, when and why.',
  details: ['Exit status 1 if a cluster or an installation could not be read.'],
  uses: ['cluster', 'installation', 'configuration', 'output'],
  load: () => import('../verbs/pauses.ts'),
};

export const resume: VerbDefinition = {
  name: 'resume',
  text: 'End a pause.',
  arguments: [
    { name: 'kind', text: 'what to resume', isOptional: true, choices: pausable },
    { name: 'name', text: 'its name; a taint is its key', isOptional: true, objects: 'kind' },
  ],
  options: [
    { flags: '--all', text: 'end a pause that was made with --all' },
    { flags: '--name <name>', text: 'name of the pause', default: 'manual' },
  ],
  uses: ['cluster', 'installation', 'configuration'],
  examples: [{ command: 'sluice resume --all', text: 'Resume everything:' }],
  load: () => import('../verbs/resume.ts'),
};

export const taint: VerbDefinition = {
  name: 'taint',
  text: 'Taint one device with a PacedTaintRule; for NoExecute, show the plan first.',
  verbs: [
    {
      name: 'device',
      text: 'Taint a device.',
      arguments: [
        { name: 'device', text: device, objects: 'devices' },
        { name: 'taint', text: 'KEY=VALUE:EFFECT or KEY:EFFECT; effects are NoExecute, NoSchedule and None' },
      ],
      options: rates,
      uses: ['cluster', 'confirm'],
      statuses: [plan],
      examples: [
        {
          command: 'sluice taint device gpu.example.com/node-7/gpu-3 example.com/unhealthy=xid:NoSchedule',
          text: 'Keep new pods away from a device:',
        },
      ],
      load: async () => {
        const { run } = await import('../verbs/taint.ts');
        return { run: (call) => run({ ...call, args: ['taint', 'device', ...call.args] }) };
      },
    },
  ],
};

export const untaint: VerbDefinition = {
  name: 'untaint',
  text: 'Delete the rules that sluice taint or drain created for a device or a node, and no others.',
  verbs: (['device', 'node'] as const).map((kind) => ({
    name: kind,
    text: kind === 'device' ? 'Undo taint device and drain device.' : 'Undo drain node.',
    arguments: [
      named(kind),
      { name: 'key', text: 'only the taint with this KEY, KEY:EFFECT or KEY=VALUE:EFFECT', isOptional: true as const },
    ],
    options: [{ flags: '--dry-run', text: 'show what would be deleted, and delete nothing' }],
    uses: ['cluster'] as const,
    ...(kind === 'device'
      ? {
          examples: [
            {
              command: 'sluice untaint device gpu.example.com/node-7/gpu-3',
              text: 'Allow new pods on the device again:',
            },
          ],
        }
      : {}),
    load: withWord(kind, () => import('../verbs/untaint.ts')),
  })),
};

export const drain: VerbDefinition = {
  name: 'drain',
  text: 'Evict the pods of a node’s devices, or of one device, at a rate; the plan is shown first.',
  verbs: (['node', 'device'] as const).map((kind) => ({
    name: kind,
    text: kind === 'node' ? 'Drain the devices of a node.' : 'Drain one device.',
    details: ['Writes PacedTaintRules with effect NoExecute. Undo it with sluice untaint.'],
    arguments: [named(kind)],
    options: [...rates, { flags: '--key <key>', text: 'key of the taint', default: 'sluice.dev/drain' }],
    uses: ['cluster', 'confirm'] as const,
    statuses: [plan],
    ...(kind === 'node'
      ? { examples: [{ command: 'sluice drain node node-7 --rate 0.5 --dry-run', text: 'See what it would do:' }] }
      : {}),
    load: async () => {
      const { run } = await import('../verbs/taint.ts');
      return { run: (call: Parameters<typeof run>[0]) => run({ ...call, args: ['drain', kind, ...call.args] }) };
    },
  })),
};

const mode_ = () => import('../verbs/mode.ts');

export const mode: VerbDefinition = {
  name: 'mode',
  text: 'Set or show the mode of Sluice in a cluster, per source of taints: own (evict), shadow (watch only) or off.',
  verbs: [
    {
      name: 'set',
      text: 'Set the mode of a source; own removes an earlier override, and the effective mode never exceeds the configured one.',
      arguments: [
        { name: 'source', text: 'source of taints', choices: ['native', 'paced'] },
        { name: 'mode', text: 'mode for these taints', choices: ['own', 'shadow', 'off'] },
      ],
      options: [
        {
          flags: '--queue <url>',
          text: 'URL of the cluster’s ingest queue (a stack output), to apply the mode without waiting for the next heartbeat',
        },
      ],
      uses: ['installation', 'configuration'],
      load: withWord('set', mode_),
    },
    {
      name: 'show',
      text: 'Show the modes, and the plan of a source that will start to evict again.',
      uses: ['installation', 'configuration', 'output'],
      load: withWord('show', mode_),
    },
    {
      name: 'differences',
      text: 'Print differences between the decisions of shadow mode and what happened, as JSON lines.',
      options: [{ flags: '--day <date>', text: 'YYYY-MM-DD in UTC; default: today' }],
      uses: ['installation', 'configuration'],
      load: withWord('differences', mode_),
    },
  ],
};
