// Definitions of the verbs that install, upgrade and uninstall.
import { type OptionDefinition, type VerbDefinition, withWord } from '../definition.ts';

const region = {
  flags: '--region <name>',
  text: 'AWS region; must equal that of sluice.yaml if set there; default: that of sluice.yaml, then AWS_REGION',
} as const;

const deploying: readonly OptionDefinition[] = [
  { flags: '--image <image>', text: 'image of watcher and executor, NAME@sha256:DIGEST (required)' },
  region,
  {
    flags: '--allow-removal <name>',
    text: 'cluster, queue, table or EKS access entry that may be removed from the deployed stack',
    isMany: true,
  },
  { flags: '--timeout <seconds>', text: 'how long to wait for each watcher', default: '300' },
];

const tools =
  'Requires Helm 3.14 or later, and npm, which fetches the AWS CDK once. EKS clusters need only AWS credentials; for other clusters, specify a kubeconfig. With several clusters, the contexts of the kubeconfig must have the names of the clusters.';

const load = () => import('../verbs/install.ts');

export const install: VerbDefinition = {
  name: 'install',
  text: 'Install Sluice: check account and clusters, show the changes, deploy the stack, install the chart, and verify the installation.',
  details: [
    'Without sluice.yaml, specify an EKS cluster: endpoint, CA, network and workload identity are read from EKS, and sluice.yaml is written.',
    'Nothing changes before you confirm. Run the same command again to complete an interrupted installation.',
    tools,
  ],
  options: [
    { flags: '--eks-cluster <name>', text: 'EKS cluster of a first installation; sluice.yaml is written' },
    { flags: '--cluster <name>', text: 'with --eks-cluster: name of the cluster in Sluice; default: its name in EKS' },
    { flags: '--stack <name>', text: 'with --eks-cluster: name of the CloudFormation stack; default: Sluice' },
    { flags: '--print-crds', text: 'print the CustomResourceDefinitions of this release as YAML, and exit' },
    ...deploying,
  ],
  uses: ['cluster', 'configuration', 'confirm'],
  examples: [
    {
      command: 'sluice install --eks-cluster prod --region eu-west-1 --image REGISTRY/sluice@sha256:DIGEST',
      text: 'A first installation:',
    },
  ],
  load: withWord('install', load),
};

export const upgrade: VerbDefinition = {
  name: 'upgrade',
  text: 'Upgrade or roll back an installation to the release of this program, or apply changes of sluice.yaml, without stopping evictions.',
  details: [
    'Upgrades CRDs, then functions, then watchers. An older program rolls back watchers, then functions; CRDs are not rolled back.',
    tools,
  ],
  options: deploying,
  uses: ['cluster', 'configuration', 'confirm'],
  examples: [{ command: 'sluice upgrade --image REGISTRY/sluice@sha256:DIGEST', text: 'To this release:' }],
  load: withWord('upgrade', load),
};

export const uninstall: VerbDefinition = {
  name: 'uninstall',
  text: 'Remove Sluice: stop evictions, then remove rules, chart, CRDs and stack.',
  details: [
    'Terminating pods continue to terminate. All objects of the kinds of Sluice are deleted together with their CRDs.',
    tools,
  ],
  options: [
    { flags: '--keep-records', text: 'keep the table with the eviction records' },
    { flags: '--clusters-only', text: 'do not touch the stack; also if it no longer exists' },
    region,
    { flags: '--timeout <seconds>', text: 'how long to wait for DELETE requests in flight', default: '60' },
  ],
  uses: ['cluster', 'configuration', 'confirm'],
  examples: [{ command: 'sluice uninstall', text: 'Remove the installation of sluice.yaml:' }],
  load: () => import('../verbs/uninstall.ts'),
};
