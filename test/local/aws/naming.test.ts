// The environment of functions in a local run: the variables of the template, and those that the run replaces or adds.
import { expect, it, onTestFinished } from 'vitest';
import { nameResources } from '../../../lib/local/aws/naming.ts';
import { readAssembly } from '../../../lib/local/aws/template.ts';
import { copyAssembly } from './assembly.ts';

it('the run sets its variables of a function, whether the template has them or not', () => {
  const variables = { KEPT: 'by the template', REPLACED: 'by the template' };
  const copied = copyAssembly(({ Resources: { Clock1 } }) => {
    if (Clock1) Clock1.Properties.Environment = { Variables: variables };
  });
  onTestFinished(copied.remove);
  const assembly = readAssembly(copied.folder);
  const clock = assembly.functions.find(({ logicalId }) => logicalId === 'Clock1');
  if (!clock) throw new Error('the fixture has no Clock1');
  const chosen = { REPLACED: 'by the run', ADDED: 'by the run' };
  const named = nameResources(assembly, new Map())(clock, { chosen, client: { AWS_REGION: 'local' }, onLog: () => {} });
  expect(named.environment).toEqual({ KEPT: 'by the template', ...chosen, AWS_REGION: 'local' });
});
