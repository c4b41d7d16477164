// For any arguments, the command line prints an answer or an error of at most three lines, never a stack trace.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../../lib/commands/definitions/index.ts';
import { optionsOf } from '../../lib/commands/options.ts';
import { leavesOf } from '../../lib/commands/pages/reference.ts';
import { gpuRule, type Scene, startScene } from './support/scene.ts';

/** Excluded verbs: they run until interrupted, call AWS, or write into the working directory. */
const others = /^(demo|console|top|install|upgrade|uninstall|config import)$/;
const leaves = program.verbs.flatMap((verb) => leavesOf(verb, [])).filter(({ path }) => !others.test(path.join(' ')));

let scene: Scene;
let odd: readonly string[] = [];
beforeAll(async () => {
  scene = await startScene({ hasStops: true });
  scene.cluster.seed(gpuRule);
  const manifest = { ...gpuRule, metadata: { name: 'planned' } };
  odd = [
    ...[
      '',
      '-',
      '--',
      'a/b/c',
      'a/b',
      '../..',
      'x'.repeat(300),
      '%00',
      '{.a',
      'jsonpath={..}',
      'k=v:NoExecute',
      '-1',
      '1e999',
    ],
    ...['unhealthy-gpus', 'DeviceTaintRule/unhealthy-gpus', 'team-a', 'pod-00000', 'rule', 'pod', 'native', 'prod'],
    scene.folder,
    scene.file('rule.json', JSON.stringify(manifest)),
    scene.file('broken.yaml', 'a: [b: {c'),
    scene.file('list.json', '[null, 1, {"kind": "DeviceTaintRule"}]'),
    scene.file('bytes', '\u0000\u0001\ufffd'),
  ];
});
afterAll(() => scene.stop());

describe('any command line', () => {
  it.each(leaves.map(({ path, verb }) => [path.join(' '), verb] as const))(
    'sluice %s with any arguments prints an answer or an error of at most three lines',
    async (path, verb) => {
      const flags = optionsOf(verb)
        .flatMap((one) => one.flags.match(/--[a-z-]+/g) ?? [])
        .filter((one) => !['--watch', '--region', '--stack', '--table'].includes(one));
      const word = fc.oneof(fc.constantFrom(...odd), fc.constantFrom(...flags, '--nope'), fc.string({ maxLength: 12 }));
      await fc.assert(
        fc.asyncProperty(fc.array(word, { maxLength: 5 }), async (words) => {
          const { status, out, err } = await scene.run([...path.split(' '), ...words], { sleeps: 5 });
          expect(`${out}${err}`).not.toMatch(/^ {4}at |TypeError|ReferenceError|RangeError|undefined is not/m);
          expect([0, 1, 2, 3]).toContain(status);
          if (!err.includes('error: ')) return;
          const said = err.slice(err.indexOf('error: '));
          expect(said.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
          expect(said).not.toContain('Usage:');
        }),
        { numRuns: 40 },
      );
    },
  );
});
