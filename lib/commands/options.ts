// Options shared by several verbs, spelled like kubectl's.
import type { Common, OptionDefinition, VerbDefinition } from './definition.ts';

export const common: Readonly<Record<Common, readonly OptionDefinition[]>> = {
  cluster: [
    { flags: '--kubeconfig <file>', text: 'kubeconfig to use; else KUBECONFIG, else .kube/config of your home folder' },
    { flags: '--context <name>', text: 'context of the kubeconfig; else its current one', objects: 'contexts' },
  ],
  installation: [
    { flags: '--cluster <name>', text: 'cluster, by its name in the installation', objects: 'clusters' },
    { flags: '--stack <name>', text: 'CloudFormation stack of the installation' },
    { flags: '--table <name>', text: 'state table; else output TableName of the stack' },
    { flags: '--region <name>', text: 'AWS region; else that of sluice config use, else AWS_REGION' },
  ],
  configuration: [{ flags: '--config <file>', text: 'configuration; else SLUICE_CONFIG, else ./sluice.yaml' }],
  output: [
    {
      flags: '-o, --output <format>',
      text: 'table, wide, json, yaml, name or jsonpath=TEMPLATE',
      default: 'table',
      examples: ['table', 'wide', 'json', 'yaml', 'name', 'jsonpath='],
    },
  ],
  namespace: [
    { flags: '-n, --namespace <name>', text: 'namespace; else that of the context', objects: 'namespaces' },
    { flags: '-A, --all-namespaces', text: 'all namespaces; overrides -n, as in kubectl' },
  ],
  selector: [{ flags: '-l, --selector <labels>', text: 'only objects with these labels: a=b,c!=d' }],
  watch: [{ flags: '-w, --watch', text: 'keep running and print changes, until Ctrl-C' }],
  confirm: [
    {
      flags: '-y, --yes',
      text: 'do not ask for confirmation; required without a terminal where there is something to confirm',
    },
    { flags: '--dry-run', text: 'show what would be done, and write nothing' },
  ],
};

export const everywhere: readonly OptionDefinition[] = [
  { flags: '-v, --verbose', text: 'print each request on standard error' },
];

/** The verb's own options, then shared ones. Groups of verbs have none. */
export function optionsOf(verb: VerbDefinition): readonly OptionDefinition[] {
  if (verb.load === undefined) return [];
  return [...(verb.options ?? []), ...(verb.uses ?? []).flatMap((one) => common[one]), ...everywhere];
}
