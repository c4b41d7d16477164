// Texts that are no tables: in a terminal no line is wider than it, and elsewhere nothing is broken.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fittedLine } from '../../lib/commands/output/fitted.ts';
import { gpuRule, type Scene, startScene } from './support/scene.ts';

const message =
  'Slice taint example.com/unhealthy=xid:NoExecute of driver gpu.example.com waits for an approval of 4 pods in 3 namespaces: annotate the policy with sluice.dev/approve=0123456789ab after a look at its plan on the page Approve.';
const policy = {
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'EvictionPolicy',
  metadata: { name: 'gpus', annotations: { 'pause.sluice.dev/manual': `${'a long reason '.repeat(9)}; by ada` } },
  spec: { taints: { keys: ['example.com/unhealthy'] }, maxPerPool: 1, observer: { message } },
  status: { conditions: [{ type: 'sluice.dev/Held', status: 'True', reason: 'AwaitingApproval', message }] },
};

const cost = 'cost --nodes 100 --events 5';

describe('the width of an answer', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await startScene({ hasStops: true });
    scene.cluster.seed(gpuRule);
    scene.cluster.seed(policy as never);
  });
  afterEach(() => scene.stop());

  const verbs = ['doctor --no-probe', 'describe policy gpus', 'describe rule unhealthy-gpus', cost];

  it.each(verbs)('%s prints no line wider than a terminal of 80 columns, and loses no word', async (verb) => {
    const words = verb.split(' ');
    const narrow = (await scene.run(words, { columns: 80 })).out;
    expect(Math.max(...narrow.split('\n').map((one) => one.length))).toBeLessThanOrEqual(80);
    if (verb === cost) return;
    const whole = (await scene.run(words, { columns: 1000 })).out;
    const wordsOf = (text: string) => text.split(/\s+/).sort();
    expect(wordsOf(narrow)).toEqual(wordsOf(whole));
  });

  it('describe policy prints each condition on one line where the output is no terminal', async () => {
    const { out } = await scene.sluice('describe', 'policy', 'gpus');
    expect(out).toContain(`\n  sluice.dev/Held is True (AwaitingApproval): ${message}\n`);
  });
});

describe('a line for people', () => {
  it('a line that is too wide continues below its text, deeper than its beginning', () => {
    expect(fittedLine('  one two three four', { width: 12 })).toEqual(['  one two', '    three', '    four']);
    expect(fittedLine('ok  one two three', { width: 12, hang: 4 })).toEqual(['ok  one two', '    three']);
  });

  it('a line that fits, and any line without a terminal, stays as it is', () => {
    expect(fittedLine('  one  two', { width: 10 })).toEqual(['  one  two']);
    expect(fittedLine('  one two three', { width: undefined })).toEqual(['  one two three']);
  });

  it('a word that is wider than the terminal is not broken, so that it can be copied', () => {
    expect(fittedLine('  see https://a.example.com/x', { width: 12 })).toEqual([
      '  see',
      '    https://a.example.com/x',
    ]);
  });
});
