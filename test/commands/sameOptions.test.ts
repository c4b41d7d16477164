// The command that an error names is about the cluster or installation that the failed one was about.
import { expect, it } from 'vitest';
import { program } from '../../lib/commands/definitions/index.ts';
import { withSameOptions } from '../../lib/commands/sameOptions.ts';

const of = (flags: Readonly<Record<string, string>>) => ({ flags, verbs: program.verbs });

it.each([
  ['see: sluice pauses', { stack: 'Beta', region: 'eu-west-1' }, 'see: sluice pauses --stack Beta --region eu-west-1'],
  ['see: sluice get clusters', { stack: 'Beta' }, 'see: sluice get clusters --stack Beta'],
  [
    'did you mean a? see: sluice get rules',
    { kubeconfig: '/a b', context: 'two' },
    "did you mean a? see: sluice get rules --kubeconfig '/a b' --context two",
  ],
  [
    'end it with: sluice resume --all --name b',
    { context: 'two' },
    'end it with: sluice resume --all --name b --context two',
  ],
  ['see: sluice pauses', { config: "../ada's.yaml" }, "see: sluice pauses --config '../ada'\\''s.yaml'"],
])('%s with the options %o is shown as %s', (text, flags, shown) => {
  expect(withSameOptions(text, of(flags as unknown as Record<string, string>))).toBe(shown);
});

it.each([
  ['another program', 'see: kubectl get pods', { context: 'two' }],
  ['help', 'see: sluice get rules --help', { context: 'two' }],
  ['an installation of its own', 'sluice pause --all --context NAME', { stack: 'Beta' }],
  ['an option that its verb does not have', 'see: sluice version', { stack: 'Beta' }],
  ['more text', 'see: sluice pauses; or omit it', { stack: 'Beta' }],
  ['no options', 'see: sluice pauses', {}],
])('the line stays as it is where the command has %s', (_, text, flags) => {
  expect(withSameOptions(text, of(flags as Record<string, string>))).toBe(text);
});
