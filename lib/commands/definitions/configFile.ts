// Definitions of the verbs that validate and import sluice.yaml.
import { type VerbDefinition, withWord } from '../definition.ts';

const load = () => import('../verbs/configFile.ts');

export const configFileVerbs: readonly VerbDefinition[] = [
  {
    name: 'validate',
    text: 'Check sluice.yaml, and print each problem with its line and column.',
    details: [
      'The problems are the answer: they go to standard output, one on a line, and the status is then 1. A file that cannot be read is an error on standard error.',
    ],
    arguments: [{ name: 'file', text: 'the same as --config', isOptional: true }],
    uses: ['configuration'],
    examples: [{ command: 'sluice config validate', text: 'Check ./sluice.yaml:' }],
    load: withWord('validate', load),
  },
  {
    name: 'import',
    text: 'Write sluice.yaml from the context of a cdk.json, or from the template of the deployed stack.',
    details: ['What the source does not say is named, and stands as a comment in the file.'],
    arguments: [{ name: 'cdk-json', text: 'a cdk.json of version 0.1; else the stack is read', isOptional: true }],
    options: [{ flags: '--to <file>', text: 'file to write, which must not exist; else ./sluice.yaml' }],
    uses: ['installation'],
    examples: [{ command: 'sluice config import --stack Sluice --region eu-central-1', text: 'From a stack:' }],
    load: withWord('import', load),
  },
];
