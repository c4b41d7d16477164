// Definitions of the verbs demo, cost, convert, cel, version, doctor, config and completion.
import { type VerbDefinition, withWord } from '../definition.ts';
import { configFileVerbs } from './configFile.ts';

export const demo: VerbDefinition = {
  name: 'demo',
  text: 'Run all of Sluice on this machine: in a simulated fleet, or for a real cluster, without an AWS account.',
  details: ['Only in the npm package and in a checkout, where npm start is the same.'],
  options: [
    { flags: '--once', text: 'run the scenario on the simulated fleet to its end' },
    { flags: '--json', text: 'with --once: the figures as one JSON object on the last line' },
    { flags: '--kubeconfig <file>', text: 'act on the cluster of this kubeconfig until SIGINT or SIGTERM' },
    { flags: '--print-rbac', text: 'print the roles that Sluice needs in a cluster, and end' },
    {
      flags: '--project-rules',
      text: 'with --kubeconfig: write native rules for PacedTaintRules, so that the scheduler keeps new pods away',
    },
    {
      flags: '--native <mode>',
      text: 'with --kubeconfig: who acts on native rules and slice taints',
      choices: ['own', 'shadow', 'off', 'detect'],
      default: 'detect',
    },
    {
      flags: '--paced <mode>',
      text: 'with --kubeconfig: the same of PacedTaintRules and DeviceTaintSlices',
      choices: ['own', 'shadow', 'off'],
    },
    { flags: '--config <file>', text: 'configuration; else SLUICE_CONFIG, else ./sluice.yaml where it exists' },
    { flags: '--own-native', text: 'the same as --native own: even where the in-tree controller seems active' },
    { flags: '--port <n>', text: 'port of the console; 0 takes a free one', default: '0' },
  ],
  examples: [
    { command: 'sluice demo', text: 'Watch a simulated fleet:' },
    { command: 'sluice demo --once --json', text: 'Run the scenario and print its figures:' },
  ],
  load: () => import('../verbs/demo.ts'),
};

export const cost: VerbDefinition = {
  name: 'cost',
  text: 'Estimate what an installation costs a month from list prices, and name the quotas to raise.',
  uses: ['output'],
  options: [
    { flags: '--nodes <n>', text: 'nodes with devices, per cluster (required)' },
    { flags: '--events <n>', text: 'changes of pods, claims, slices and rules a second, per cluster (required)' },
    { flags: '--devices <n>', text: 'devices per node', default: '8' },
    { flags: '--evictions <n>', text: 'evicted pods a month, per cluster', default: '1000' },
    { flags: '--clusters <n>', text: 'clusters of the installation, all alike', default: '1' },
    { flags: '--rules <n>', text: 'rules, per cluster', default: '10' },
    { flags: '--alarms <n>', text: 'CloudWatch alarms of the stack, if it has others than its own' },
  ],
  examples: [{ command: 'sluice cost --nodes 100 --events 5', text: 'For one cluster of 100 nodes:' }],
  load: () => import('../verbs/cost.ts'),
};

export const convert: VerbDefinition = {
  name: 'convert',
  text: 'Write DeviceTaintRules as PacedTaintRules, and back where the native API can say the same.',
  arguments: [
    { name: 'file', text: 'YAML or JSON, also a List; standard input where it is left out or "-"', isOptional: true },
  ],
  options: [
    { flags: '--native-version <version>', text: 'version of resource.k8s.io in the native rules', default: 'v1' },
  ],
  examples: [
    { command: 'kubectl get devicetaintrules -o yaml | sluice convert > paced.yaml', text: 'All rules of a cluster:' },
  ],
  load: () => import('../verbs/convert.ts'),
};

const release = { flags: '--release <release>', text: 'Kubernetes release whose CEL language counts' } as const;

export const cel: VerbDefinition = {
  name: 'cel',
  text: 'Evaluate device selectors of Dynamic Resource Allocation.',
  verbs: [
    {
      name: 'eval',
      text: 'Print true or false; a selector that fails or is refused is an error.',
      arguments: [{ name: 'expression', text: 'selectors of a rule, all of which have to hold', isMany: true }],
      options: [
        { flags: '--class <expression>', text: 'selector of a device class, evaluated first', isMany: true },
        { flags: '--device <file>', text: 'JSON device in the spelling of a ResourceSlice' },
        release,
      ],
      examples: [
        { command: `sluice cel eval 'device.driver == "gpu.example.com"'`, text: 'On a device of no driver:' },
      ],
      load: withWord('eval', () => import('../verbs/cel.ts')),
    },
    {
      name: 'vectors',
      text: 'Print one line of JSON per test vector: true, false, "compile-error" or "runtime-error".',
      arguments: [{ name: 'file', text: 'JSON list of {name, expression, device}' }],
      options: [release],
      load: withWord('vectors', () => import('../verbs/cel.ts')),
    },
  ],
};

export const version: VerbDefinition = {
  name: 'version',
  text: 'Print the release of this program and the Node that runs it.',
  uses: ['output'],
  load: () => import('../verbs/version.ts'),
};

export const doctor: VerbDefinition = {
  name: 'doctor',
  text: 'Say what is wrong with an installation in AWS, or with a cluster, and what to do about it.',
  details: [
    'With --kubeconfig or --context it looks at that cluster, else at the installation. Status 1 where there is a problem.',
  ],
  options: [
    { flags: '--account <id>', text: 'AWS account that the credentials must be of' },
    { flags: '--drift', text: 'have CloudFormation look for what was changed by hand, which takes a minute' },
    {
      flags: '--no-probe',
      text: 'with --kubeconfig: do not write a rule that does nothing, to see whether another controller answers',
    },
  ],
  uses: ['cluster', 'installation', 'configuration', 'output'],
  examples: [{ command: 'sluice doctor --stack Sluice --region eu-central-1', text: 'Look at an installation:' }],
  load: () => import('../verbs/doctor.ts'),
};

const config_ = () => import('../verbs/config.ts');

export const config: VerbDefinition = {
  name: 'config',
  text: 'Remember which installation and cluster the verbs mean; check sluice.yaml, or write it.',
  verbs: [
    {
      name: 'use',
      text: 'Remember stack, region, table and cluster under a name, and use them from now on.',
      arguments: [{ name: 'name', text: 'a name of your own' }],
      uses: ['installation'],
      examples: [
        { command: 'sluice config use prod --stack Sluice --region eu-central-1 --cluster prod', text: 'Remember:' },
        { command: 'sluice config use prod', text: 'Come back to it:' },
      ],
      load: withWord('use', config_),
    },
    {
      name: 'view',
      text: 'Show what is remembered, what the verbs use after options and environment, and sluice.yaml with every default.',
      uses: ['installation', 'configuration'],
      load: withWord('view', config_),
    },
    ...configFileVerbs,
  ],
};

export const completion: VerbDefinition = {
  name: 'completion',
  text: 'Print a completion script.',
  arguments: [{ name: 'shell', text: 'which shell', choices: ['bash', 'zsh', 'fish'] }],
  examples: [{ command: 'source <(sluice completion bash)', text: 'In bash:' }],
  load: () => import('../verbs/completion.ts'),
};
