// How many devices are free, by DeviceClass and by driver, in one part of a cluster and in all parts.
import { describe, expect, it } from 'vitest';
import { addFree, countFree, freeFor, nothingFree } from '../../lib/decide/freeDevices.ts';
import { ruleRef, type TaintRule } from '../../lib/model/rule.ts';
import { type Snapshot, snapshotOf } from '../../lib/model/snapshot.ts';
import { allocated, claim, driver, result, rule, slice, taint } from '../support/builders.ts';
import { taintRule } from '../support/pacedBuilders.ts';

const sized = (name: string, isLarge: boolean) => ({ name, attributes: { large: { bool: isLarge } } });
const large = `device.attributes["${driver}"].large`;

/** Six devices: `a` is allocated, `b` and `c` are large, `d` and `e` small, `f` is tainted. */
const part = (name: string): Snapshot => ({
  ...snapshotOf({
    pods: [],
    claims: [claim(allocated(result({ pool: name, device: 'a' })))],
    rules: [],
    slices: [
      slice({
        name,
        pool: { name, generation: 1 },
        devices: [
          sized('a', true),
          sized('b', true),
          sized('c', true),
          sized('d', false),
          sized('e', false),
          { ...sized('f', true), taints: [taint({ effect: 'NoSchedule' })] },
        ],
      }),
    ],
  }),
  classes: new Map([['large', [large]]]),
});

const asking: TaintRule = taintRule({ deviceSelector: { selectors: [`${large} || device.driver == 'other'`] } });
const elsewhere: TaintRule = taintRule({ name: 'elsewhere', uid: 'e', deviceSelector: { driver: 'other' } });
const ofClass = { driver, pool: 'one', device: 'a', deviceClassName: 'large' };
const ofDriver = { driver, pool: 'one', device: 'a' };

describe('free devices', () => {
  const free = (snapshot: Snapshot) => countFree(snapshot, { asking: [asking, elsewhere] });

  it('free devices are neither allocated nor tainted and are counted by driver and by class', () => {
    const { all } = free(part('one'));
    expect(all.byDriver).toEqual(new Map([[driver, 4]]));
    expect(all.byClass).toEqual(new Map([['large', 2]]));
  });

  it('free devices that a rule would taint are counted for that rule alone, each once', () => {
    const { reached } = free(part('one'));
    expect([...reached.keys()]).toEqual([ruleRef(asking)]);
    expect(reached.get(ruleRef(asking))).toEqual({
      byDriver: new Map([[driver, 2]]),
      byClass: new Map([['large', 2]]),
    });
  });

  it('free devices for the pods of a rule exclude those that the rule would taint', () => {
    const of = { rule: ruleRef(asking), wanted: [ofClass, ofDriver] };
    expect(freeFor(free(part('one')), of)).toEqual([
      { deviceClassName: 'large', free: 0 },
      { driver, free: 2 },
    ]);
    expect(freeFor(free(part('one')), { ...of, rule: ruleRef(elsewhere) })).toEqual([
      { deviceClassName: 'large', free: 2 },
      { driver, free: 4 },
    ]);
  });

  it('free devices of two parts of a cluster add up and are 0 when nothing was counted', () => {
    const both = [part('one'), part('two')].map(free).reduce(addFree, nothingFree);
    expect(both.all).toEqual({ byDriver: new Map([[driver, 8]]), byClass: new Map([['large', 4]]) });
    expect(both.reached.get(ruleRef(asking))).toEqual({
      byDriver: new Map([[driver, 4]]),
      byClass: new Map([['large', 4]]),
    });
    expect(freeFor(nothingFree, { rule: 'none', wanted: [ofClass] })).toEqual([{ driver, free: 0 }]);
  });

  it('free devices exclude those that a rule of the cluster taints', () => {
    const tainted = part('one');
    const { all } = free({
      ...tainted,
      rules: snapshotOf({ pods: [], claims: [], slices: [], rules: [rule()] }).rules,
    });
    expect(all.byDriver).toEqual(new Map());
  });
});
