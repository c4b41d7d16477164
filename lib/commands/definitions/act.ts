// Definitions of the verbs that write: rules, pauses, approvals and modes.
import { type ArgumentDefinition, type VerbDefinition, withWord } from '../definition.ts';

const rates = [
  { flags: '--rate <n>', text: 'evictions a second; else the default of the policy' },
  { flags: '--burst <n>', text: 'evictions at once at the beginning' },
] as const;

const plan = { status: 3, text: 'with --dry-run: at least one pod would be evicted' } as const;
const device = 'DRIVER/POOL/DEVICE';

const named = (kind: string): ArgumentDefinition =>
  kind === 'device' ? { name: kind, text: device, objects: 'devices' } : { name: kind, text: 'name of the node' };

export const approve: VerbDefinition = {
  name: 'approve',
  text: 'Approve the plan that a rule or a policy waits for, after showing it.',
  arguments: [
    { name: 'kind', text: 'what waits', choices: ['rule', 'policy'] },
    { name: 'name', text: 'its name', objects: 'kind' },
  ],
  uses: ['cluster', 'confirm'],
  load: () => import('../verbs/approve.ts'),
};

const pausable = ['cluster', 'rule', 'policy', 'taint', 'namespace'];

export const pause: VerbDefinition = {
  name: 'pause',
  text: 'Stop evictions, and return when the last delete in flight is settled.',
  details: [
    '--all stops every cluster of the installation that is named or remembered. With --kubeconfig or --context, or without an installation, it stops the cluster of that context by an EvictionStop, and needs no AWS.',
    'A cluster is paused in the state table. A rule and a policy are paused by an annotation, a namespace by its label sluice.dev/eviction-mode, a taint on each rule and policy that is for it alone.',
  ],
  arguments: [
    { name: 'kind', text: 'what to pause', isOptional: true, choices: pausable },
    { name: 'name', text: 'its name; a taint is its key', isOptional: true, objects: 'kind' },
  ],
  options: [
    { flags: '--all', text: 'everything' },
    { flags: '--name <name>', text: 'name of the pause: pauses of several names stack', default: 'manual' },
    { flags: '--why <text>', text: 'shown wherever the pause is shown' },
    { flags: '--timeout <seconds>', text: 'how long to wait for deletes in flight', default: '60' },
  ],
  uses: ['cluster', 'installation', 'configuration'],
  examples: [
    { command: 'sluice pause --all --why "power failure"', text: 'Stop everything:' },
    { command: 'sluice pause cluster prod', text: 'Stop one cluster of the installation:' },
    { command: 'sluice pause rule unhealthy-gpus', text: 'Stop one rule:' },
  ],
  load: () => import('../verbs/pause.ts'),
};

export const pauses: VerbDefinition = {
  name: 'pauses',
  text: 'List everything that is paused: who paused it, when and why.',
  details: ['Status 1 where a cluster or an installation that is named could not be asked.'],
  uses: ['cluster', 'installation', 'configuration', 'output'],
  load: () => import('../verbs/pauses.ts'),
};

export const resume: VerbDefinition = {
  name: 'resume',
  text: 'End a pause.',
  arguments: [
    { name: 'kind', text: 'what is paused', isOptional: true, choices: pausable },
    { name: 'name', text: 'its name; a taint is its key', isOptional: true, objects: 'kind' },
  ],
  options: [
    { flags: '--all', text: 'everything, where --all paused it' },
    { flags: '--name <name>', text: 'name of the pause', default: 'manual' },
  ],
  uses: ['cluster', 'installation', 'configuration'],
  examples: [{ command: 'sluice resume --all', text: 'Resume everything:' }],
  load: () => import('../verbs/resume.ts'),
};

export const taint: VerbDefinition = {
  name: 'taint',
  text: 'Taint one device by a PacedTaintRule; for NoExecute the plan is shown first.',
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
  text: 'Delete the rules that taint or drain made for a device or a node, and no others.',
  verbs: (['device', 'node'] as const).map((kind) => ({
    name: kind,
    text: kind === 'device' ? 'Undo taint device and drain device.' : 'Undo drain node.',
    arguments: [named(kind), { name: 'key', text: 'only the taint with this key', isOptional: true as const }],
    options: [{ flags: '--dry-run', text: 'show what would be deleted, and delete nothing' }],
    uses: ['cluster'] as const,
    ...(kind === 'device'
      ? {
          examples: [{ command: 'sluice untaint device gpu.example.com/node-7/gpu-3', text: 'Let new pods in again:' }],
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
  text: 'Switch Sluice off in a cluster, let it only watch, or switch it on again, by source of taints.',
  verbs: [
    {
      name: 'set',
      text: 'Switch a source; own takes back what was switched before, and nothing rises above what is configured.',
      arguments: [
        { name: 'source', text: 'whose taints', choices: ['native', 'paced'] },
        { name: 'mode', text: 'what is done about them', choices: ['own', 'shadow', 'off'] },
      ],
      options: [
        { flags: '--queue <url>', text: 'ingest queue of the cluster, an output of the stack: takes effect now' },
      ],
      uses: ['installation', 'configuration'],
      load: withWord('set', mode_),
    },
    {
      name: 'show',
      text: 'Show the modes, and the plan of a source that is to evict again.',
      uses: ['installation', 'configuration'],
      load: withWord('show', mode_),
    },
    {
      name: 'differences',
      text: 'Print what happened otherwise than shadow mode decided, one line of JSON each.',
      options: [{ flags: '--day <date>', text: 'YYYY-MM-DD in UTC; else today' }],
      uses: ['installation', 'configuration'],
      load: withWord('differences', mode_),
    },
  ],
};
