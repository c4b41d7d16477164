// Definitions of the verbs demo, cost, convert, cel, version, doctor, config and completion.
import { type VerbDefinition, withWord } from '../definition.ts';
import { configFileVerbs } from './configFile.ts';

export const demo: VerbDefinition = {
  name: 'demo',
  text: 'Run all of Sluice on this machine: in a simulated fleet, or for a real cluster, without an AWS account.',
  details: ['Only in the npm package and in a checkout, where npm start is the same.'],
  options: [
    { flags: '--once', text: 'run the scenario on the simulated fleet to its end' },
    { flags: '--json', text: 'with --once: print the results as one JSON object on the last line' },
    { flags: '--kubeconfig <file>', text: 'act on the cluster of this kubeconfig until SIGINT or SIGTERM' },
    { flags: '--print-rbac', text: 'print the roles that Sluice needs in a cluster, and exit' },
    {
      flags: '--project-rules',
      text: 'with --kubeconfig: write native rules for PacedTaintRules, so that the scheduler keeps new pods away',
    },
    {
      flags: '--native <mode>',
      text: 'with --kubeconfig: mode for native rules and slice taints; default: detect',
      choices: ['own', 'shadow', 'off', 'detect'],
    },
    {
      flags: '--paced <mode>',
      text: 'with --kubeconfig: mode for PacedTaintRules and DeviceTaintSlices',
      choices: ['own', 'shadow', 'off'],
    },
    { flags: '--config <file>', text: 'configuration file; default: SLUICE_CONFIG, then ./sluice.yaml if it exists' },
    { flags: '--own-native', text: 'same as --native own: evict even if the in-tree controller seems active' },
    { flags: '--port <n>', text: 'port of the console; 0 takes a free one', default: '0' },
  ],
  examples: [
    { command: 'sluice demo', text: 'Watch a simulated fleet:' },
    { command: 'sluice demo --once --json', text: 'Run the scenario and print its results:' },
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
    { flags: '--alarms <n>', text: 'number of CloudWatch alarms, if different from the stack’s own' },
  ],
  examples: [{ command: 'sluice cost --nodes 100 --events 5', text: 'For one cluster of 100 nodes:' }],
  load: () => import('../verbs/cost.ts'),
};

export const convert: VerbDefinition = {
  name: 'convert',
  text: 'Convert DeviceTaintRules to PacedTaintRules, and back if the native API can express the rule.',
  arguments: [
    {
      name: 'file',
      text: 'YAML or JSON file, which may contain a List; default or "-": standard input',
      isOptional: true,
    },
  ],
  options: [
    { flags: '--native-version <version>', text: 'version of resource.k8s.io in the native rules', default: 'v1' },
    {
      flags: '-o, --output <format>',
      text: 'format of the rules; several rules in JSON are a List',
      choices: ['yaml', 'json'],
      default: 'yaml',
    },
  ],
  examples: [
    { command: 'kubectl get devicetaintrules -o yaml | sluice convert > paced.yaml', text: 'All rules of a cluster:' },
  ],
  load: () => import('../verbs/convert.ts'),
};

const release = { flags: '--release <release>', text: 'Kubernetes release whose CEL environment to use' } as const;

export const cel: VerbDefinition = {
  name: 'cel',
  text: 'Evaluate device selectors of Dynamic Resource Allocation.',
  verbs: [
    {
      name: 'eval',
      text: 'Print whether all selectors match (true or false); fail if one does not compile or fails at run time.',
      arguments: [{ name: 'expression', text: 'CEL selectors, all of which must match', isMany: true }],
      options: [
        { flags: '--class <expression>', text: 'selector of a DeviceClass, evaluated first', isMany: true },
        { flags: '--device <file>', text: 'JSON file with a device in the format of a ResourceSlice, plus its driver' },
        release,
      ],
      examples: [{ command: `sluice cel eval 'device.driver == "gpu.example.com"'`, text: 'With an empty device:' }],
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
  text: 'Check an installation in AWS, or a cluster, and print problems with remedies.',
  details: [
    'With --kubeconfig or --context, or without an installation, checks the cluster; otherwise the installation. Exit status 1 if there is a problem.',
  ],
  options: [
    { flags: '--account <id>', text: 'required AWS account ID of the credentials' },
    { flags: '--drift', text: 'run CloudFormation drift detection, which takes about a minute' },
    {
      flags: '--no-probe',
      text: 'for a cluster: skip the probe, which creates a rule without effect to detect another controller',
    },
  ],
  uses: ['cluster', 'installation', 'configuration', 'output'],
  examples: [{ command: 'sluice doctor --stack Sluice --region eu-central-1', text: 'Check an installation:' }],
  load: () => import('../verbs/doctor.ts'),
};

const config_ = () => import('../verbs/config.ts');

export const config: VerbDefinition = {
  name: 'config',
  text: 'Set or show the default installation and cluster; validate or import sluice.yaml.',
  verbs: [
    {
      name: 'use',
      text: 'Save stack, region, table and cluster under a name, and make that the default: after options and environment, before ./sluice.yaml.',
      arguments: [{ name: 'name', text: 'a name of your own' }],
      uses: ['installation'],
      examples: [
        {
          command: 'sluice config use prod --stack Sluice --region eu-central-1 --cluster prod',
          text: 'Save a target:',
        },
        { command: 'sluice config use prod', text: 'Switch back to it:' },
      ],
      load: withWord('use', config_),
    },
    {
      name: 'view',
      text: 'Show saved targets, the effective target with options and environment, and sluice.yaml with all defaults.',
      uses: ['installation', 'configuration', 'output'],
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
