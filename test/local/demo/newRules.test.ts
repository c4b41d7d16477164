// Frames of the demo show a rule as soon as it exists, without a number that is not known.
import { expect, it } from 'vitest';
import { deviceTaintRule } from '../../../lib/local/cluster/builders.ts';
import type { KubeObject } from '../../../lib/local/cluster/object.ts';
import { withNewRules } from '../../../lib/local/demo/newRules.ts';
import { renderTerminal } from '../../../lib/view/terminal.ts';
import { aLimiter, aPicture, at } from '../../view/pictures.ts';

function aRule(by: { readonly uid: string; readonly age?: number; readonly effect?: string }): KubeObject {
  const { uid, age = 500, effect = 'NoExecute' } = by;
  const manifest = deviceTaintRule({ name: `rule-${uid}`, taint: { key: 'example.com/x', effect } });
  const creationTimestamp = new Date(at - age).toISOString();
  return { ...manifest, metadata: { name: `rule-${uid}`, uid, creationTimestamp } } as unknown as KubeObject;
}

it('a rule that was just created is shown as being evaluated before the others, and changes no number', () => {
  const picture = aPicture();
  const shown = withNewRules(picture, [aRule({ uid: 'new' })]);
  expect(shown.limiters.map(({ name }) => name)).toEqual(['rule-new', ...picture.limiters.map(({ name }) => name)]);
  expect({ ...shown, limiters: [] }).toEqual({ ...picture, limiters: [] });
  expect(renderTerminal(shown, { width: 100, color: false }).join('\n')).toMatch(/^rule-new +Evaluating/m);
});

it('a rule is shown once when the state table has it', () => {
  const picture = aPicture({ limiters: [aLimiter({ limiter: 'rule|known|x' })] });
  expect(withNewRules(picture, [aRule({ uid: 'known' })])).toBe(picture);
});

it('a rule that never evicts, or that Sluice has not taken for long, is not shown as being evaluated', () => {
  const picture = aPicture();
  const rules = [aRule({ uid: 'a', effect: 'NoSchedule' }), aRule({ uid: 'b', age: 60_000 })];
  expect(withNewRules(picture, rules)).toBe(picture);
});
