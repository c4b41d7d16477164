// Definitions of the verbs that validate and import sluice.yaml.
import { type VerbDefinition, withWord } from '../definition.ts';
import { common } from '../options.ts';

const load = () => import('../verbs/configFile.ts');

export const configFileVerbs: readonly VerbDefinition[] = [
  {
    name: 'validate',
    text: 'Check sluice.yaml, and print each problem with its line and column.',
    details: [
      'Problems are printed to standard output, one per line, with exit status 1. An unreadable file is an error on standard error.',
    ],
    arguments: [{ name: 'file', text: 'same as --config', isOptional: true }],
    uses: ['configuration'],
    examples: [{ command: 'sluice config validate', text: 'Check ./sluice.yaml:' }],
    load: withWord('validate', load),
  },
  {
    name: 'import',
    text: 'Write sluice.yaml from the context of a cdk.json, or from the template of the deployed stack.',
    details: [
      'Values missing in the source are listed, and marked by comments in the file. The template of a stack does not show stack.account, removal.terminationProtection and tags, nor network.vpc beside security groups.',
    ],
    arguments: [
      { name: 'cdk-json', text: 'cdk.json of version 0.1; default: read the deployed stack', isOptional: true },
    ],
    options: [
      { flags: '--to <file>', text: 'file to write, which must not exist; default: ./sluice.yaml' },
      ...common.installation.filter(({ flags }) => /^--(stack|region) /.test(flags)),
    ],
    examples: [{ command: 'sluice config import --stack Sluice --region eu-central-1', text: 'From a stack:' }],
    load: withWord('import', load),
  },
];
