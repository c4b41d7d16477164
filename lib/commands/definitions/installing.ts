// Definitions of the verbs that install, upgrade and uninstall.
import { type OptionDefinition, type VerbDefinition, withWord } from '../definition.ts';

const region = {
  flags: '--region <name>',
  text: 'AWS region, as in sluice.yaml where that has one; else AWS_REGION',
} as const;

const deploying: readonly OptionDefinition[] = [
  { flags: '--image <image>', text: 'image of watcher and executor, NAME@sha256:DIGEST (required)' },
  region,
  {
    flags: '--allow-removal <name>',
    text: 'cluster, queue or table that may be removed from the deployed stack',
    isMany: true,
  },
  { flags: '--timeout <seconds>', text: 'how long to wait for each watcher', default: '300' },
];

const tools =
  'It needs Helm 3.14 and npm, by which it fetches the AWS CDK once. Clusters of EKS are reached with the credentials of AWS alone; for others name a kubeconfig, whose contexts are named as the clusters where there are several.';

const load = () => import('../verbs/install.ts');

export const install: VerbDefinition = {
  name: 'install',
  text: 'Install Sluice: check account and clusters, show what would change, deploy the stack, install the chart, and look.',
  details: [
    'Without sluice.yaml name an EKS cluster: endpoint, authority, network and the way in which pods take roles are read from it, and sluice.yaml is written.',
    'Nothing is changed before the question is answered. An installation that was left half made is completed by the same command.',
    tools,
  ],
  options: [
    { flags: '--eks-cluster <name>', text: 'EKS cluster of a first installation; sluice.yaml is written' },
    { flags: '--cluster <name>', text: 'with --eks-cluster: its name in Sluice; else the same' },
    { flags: '--stack <name>', text: 'with --eks-cluster: name of the CloudFormation stack; else Sluice' },
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
  text: 'Bring an installation to the release of this program, or to a change of sluice.yaml, while it evicts.',
  details: [
    'Definitions come first, then functions, then watchers. With an older program it rolls back: watchers first, then functions; definitions stay.',
    tools,
  ],
  options: deploying,
  uses: ['cluster', 'configuration', 'confirm'],
  examples: [{ command: 'sluice upgrade --image REGISTRY/sluice@sha256:DIGEST', text: 'To this release:' }],
  load: withWord('upgrade', load),
};

export const uninstall: VerbDefinition = {
  name: 'uninstall',
  text: 'Remove Sluice: stop evictions, then remove rules, chart, definitions and stack.',
  details: [
    'Pods that are terminating continue terminating. All objects of the kinds of Sluice are deleted with their definitions.',
    tools,
  ],
  options: [
    { flags: '--keep-records', text: 'keep the table with the records of evictions' },
    { flags: '--clusters-only', text: 'leave the stack as it is, or there is none any more' },
    region,
    { flags: '--timeout <seconds>', text: 'how long to wait for the last delete in flight', default: '60' },
  ],
  uses: ['cluster', 'configuration', 'confirm'],
  examples: [{ command: 'sluice uninstall', text: 'Remove what sluice.yaml names:' }],
  load: () => import('../verbs/uninstall.ts'),
};
