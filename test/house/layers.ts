// The layers of the code in import order, as data: what each holds, and what it may import.

export interface Layer {
  readonly name: string;
  /** Folder with a slash at its end, or one file. */
  readonly path: string;
  readonly holds: string;
  /** Names of layers below it. A layer may always import itself. */
  readonly imports: readonly string[];
  /** Packages and `node:` modules; a name stands for its subpaths too. */
  readonly packages: readonly string[];
  /** No clock, no chance, no process: the same arguments give the same answer. */
  readonly pure?: true;
}

const nodeModules = ['node:'];

/** From the bottom to the top: every layer imports only layers that stand before it. */
export const layers: readonly Layer[] = [
  {
    name: 'model',
    path: 'lib/model/',
    holds: 'Domain types: identities, timestamps, API-object projections, snapshots, verdicts, ledger entries.',
    imports: [],
    packages: [],
    pure: true,
  },
  {
    name: 'cel',
    path: 'lib/cel/',
    holds: 'The DRA selector language: parse, check, evaluate, cost.',
    imports: ['model'],
    packages: ['re2js'],
    pure: true,
  },
  {
    name: 'decide',
    path: 'lib/decide/',
    holds: 'Pure decisions: which pods to evict, when, at what rate, and the status text to report.',
    imports: ['model', 'cel'],
    packages: ['@noble/hashes', 'croner'],
    pure: true,
  },
  {
    name: 'mirror',
    path: 'lib/mirror/',
    holds: 'What is newer: the order of versions, ranges of keys, what a manifest means for a row.',
    imports: ['model'],
    packages: [],
    pure: true,
  },
  {
    name: 'gates',
    path: 'lib/gates/',
    holds: 'May a pod be evicted now: one file per reason for which it may not, and the table of them.',
    imports: ['model', 'decide'],
    packages: [],
    pure: true,
  },
  {
    name: 'contract',
    path: 'lib/contract.ts',
    holds: 'Names and limits that functions and infrastructure agree on.',
    imports: [],
    packages: [],
    pure: true,
  },
  {
    name: 'metrics',
    path: 'lib/metrics.ts',
    holds: "Sluice's own metrics: units and meanings.",
    imports: [],
    packages: [],
    pure: true,
  },
  {
    name: 'outputs',
    path: 'lib/outputs.ts',
    holds: 'Names that the stack, the chart and those who read them agree on.',
    imports: [],
    packages: [],
    pure: true,
  },
  {
    name: 'config',
    path: 'lib/config/',
    holds:
      'sluice.yaml: its schema, where it is found, what is wrong with it, and what older installations say in its words.',
    imports: ['model', 'contract', 'outputs'],
    packages: ['@aws-sdk/client-cloudformation', 'leven', 'yaml', 'zod', ...nodeModules],
  },
  {
    name: 'cost',
    path: 'lib/cost/',
    holds: 'What an installation costs, and which quotas it comes near to.',
    imports: ['contract', 'metrics'],
    packages: [],
    pure: true,
  },
  {
    name: 'table',
    path: 'lib/table.ts',
    holds: 'The port to the state table: rows, conditions, transactions.',
    imports: [],
    packages: [],
    pure: true,
  },
  {
    name: 'memory',
    path: 'lib/memory.ts',
    holds: 'What one process remembers between calls, as an object that its composition root makes.',
    imports: ['model'],
    packages: [],
    pure: true,
  },
  {
    name: 'ports',
    path: 'lib/ports.ts',
    holds: 'What the steps need from outside: time, API server, queues, metrics, log.',
    imports: ['model', 'contract', 'metrics'],
    packages: [],
    pure: true,
  },
  {
    name: 'live',
    path: 'lib/liveCluster.ts',
    holds: 'The port to what the API server holds at this moment.',
    imports: ['model', 'ports'],
    packages: [],
    pure: true,
  },
  {
    name: 'state',
    path: 'lib/state/',
    holds: 'What lies in the table and which conditional write moves it; the only code that builds a key.',
    imports: ['model', 'decide', 'mirror', 'gates', 'contract', 'table', 'memory'],
    packages: [],
    pure: true,
  },
  {
    name: 'steps',
    path: 'lib/steps/',
    holds: 'Read, decide, act: what several stages of the flow do, over ports alone.',
    imports: ['model', 'cel', 'decide', 'mirror', 'gates', 'contract', 'table', 'memory', 'ports', 'live', 'state'],
    packages: [],
    pure: true,
  },
  {
    name: 'stages',
    path: 'lib/stages/',
    holds: 'What one stage of the flow does, over ports alone: a folder per stage, and no stage imports another.',
    imports: [
      'model',
      'cel',
      'decide',
      'mirror',
      'gates',
      'contract',
      'metrics',
      'table',
      'memory',
      'ports',
      'live',
      'state',
      'steps',
    ],
    packages: [],
    pure: true,
  },
  {
    name: 'adapters',
    path: 'lib/adapters/',
    holds: 'One port and one SDK each; they know nothing of steps and state.',
    imports: ['model', 'decide', 'contract', 'table', 'memory', 'ports', 'live'],
    packages: ['@aws-sdk', '@smithy', '@kubernetes/client-node', 'yaml', 'zod', ...nodeModules],
  },
  {
    name: 'lambda',
    path: 'lib/lambda/',
    holds: 'What all functions share: environment, composition root, the one middy stack.',
    imports: ['model', 'contract', 'metrics', 'config', 'table', 'memory', 'ports', 'steps', 'stages', 'adapters'],
    packages: ['@aws-sdk', '@aws-lambda-powertools', '@middy', 'aws-lambda', 'zod', ...nodeModules],
  },
  {
    name: 'doctor',
    path: 'lib/doctor/',
    holds: 'What is wrong with an installation or a cluster, and what to do about it.',
    imports: ['model', 'contract', 'metrics', 'outputs', 'table', 'ports', 'state', 'adapters', 'lambda'],
    packages: ['@aws-sdk'],
  },
  {
    name: 'view',
    path: 'lib/view/',
    holds: 'One read model, and its renderings for a terminal and a page.',
    imports: ['model', 'decide', 'gates', 'contract', 'table', 'ports', 'state'],
    packages: ['hono'],
  },
  {
    name: 'watcher',
    path: 'lib/watcher/',
    holds: 'The process that lists and watches one cluster and sends what changed.',
    imports: ['model', 'decide', 'mirror', 'contract', 'metrics', 'ports', 'state', 'steps', 'adapters'],
    packages: ['@aws-sdk', '@kubernetes/client-node', 'zod', ...nodeModules],
  },
  {
    name: 'executor',
    path: 'lib/executor/',
    holds: 'The process that evicts from within a cluster whose API server no function can reach.',
    imports: ['model', 'contract', 'ports', 'adapters', 'lambda', 'watcher'],
    packages: ['@aws-sdk/client-sqs', 'aws-lambda'],
  },
  {
    name: 'local',
    path: 'lib/local/',
    holds: 'A whole installation on one machine: queues, table, event sources, a simulated cluster.',
    imports: [
      'model',
      'cel',
      'decide',
      'contract',
      'config',
      'table',
      'ports',
      'state',
      'steps',
      'adapters',
      'lambda',
      'view',
      'watcher',
    ],
    packages: [
      '@aws-sdk',
      '@kubernetes/client-node',
      '@hono/node-server',
      'croner',
      'fauxqs',
      'hono',
      'yaml',
      'zod',
      ...nodeModules,
    ],
  },
  {
    name: 'commands',
    path: 'lib/commands/',
    holds: 'The verbs of the command line: their definitions, what each does, and how answers are printed.',
    imports: [
      'model',
      'cel',
      'mirror',
      'decide',
      'contract',
      'outputs',
      'config',
      'cost',
      'table',
      'ports',
      'state',
      'adapters',
      'lambda',
      'doctor',
      'view',
      'watcher',
      'local',
    ],
    packages: ['@aws-sdk', '@hono/node-server', 'commander', 'hono', 'jsonpath-plus', 'yaml', 'zod', ...nodeModules],
  },
  {
    name: 'functions',
    path: 'functions/',
    holds: 'One file per function: which parser, which step or picture, which variables.',
    imports: ['model', 'contract', 'adapters', 'lambda', 'steps', 'stages', 'view'],
    packages: [],
  },
  {
    name: 'infra',
    path: 'infra/',
    holds: 'The stack; it knows functions by path and shares names and limits with them.',
    imports: ['contract', 'metrics', 'outputs', 'config'],
    packages: ['@aws-sdk/client-eks', 'aws-cdk-lib', 'cdk-nag', 'constructs', 'esbuild', ...nodeModules],
  },
  {
    name: 'bin',
    path: 'bin/',
    holds: 'Processes: the command line, the watcher and the executor; arguments in, exit status out.',
    imports: ['ports', 'adapters', 'watcher', 'executor', 'commands'],
    packages: nodeModules,
  },
];

/** What a folder of adapters may use of the packages above: one SDK each. */
export const adapterPackages: Readonly<Record<string, readonly string[]>> = {
  'lib/adapters/dynamodb/': ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', '@aws-sdk/util-dynamodb'],
  'lib/adapters/sqs/': ['@aws-sdk/client-sqs', 'zod'],
  'lib/adapters/kubernetes/': ['@kubernetes/client-node', '@smithy/signature-v4', 'yaml', 'zod', ...nodeModules],
};

/** The only files that read the environment of their process. */
export const readsEnvironment: readonly string[] = ['lib/lambda/environment.ts', 'lib/local/', 'infra/app.ts', 'bin/'];

export function layerOf(file: string): Layer | undefined {
  return layers.find(({ path }) => (path.endsWith('/') ? file.startsWith(path) : file === path));
}
