// Which pods a rule may evict.
import { describe, expect, it } from 'vitest';
import { isInScope } from '../../lib/decide/podScope.ts';
import type { LabelRequirement } from '../../lib/model/rule.ts';
import { pod } from '../support/builders.ts';

const one = pod({ namespace: 'ml', priority: 5, labels: { team: 'x', empty: '' } });
const { labels: _, priority: __, ...bare } = one;
const needs = (operator: string, key: string, ...values: readonly string[]): LabelRequirement => ({
  key,
  operator,
  values,
});

describe('the pod scope of a rule', () => {
  it.each([
    ['includes every pod when it is absent', undefined, true],
    ['includes every pod when it is empty', {}, true],
    ['includes pods in its namespaces', { namespaces: ['x', 'ml'] }, true],
    ['excludes pods in other namespaces', { namespaces: ['x'] }, false],
    ['excludes every pod when it has an empty list of namespaces', { namespaces: [] }, false],
    ['includes pods up to maxPriority', { maxPriority: 5 }, true],
    ['excludes pods above maxPriority', { maxPriority: 4 }, false],
    ['includes a label with a value of In', { labels: [needs('In', 'team', 'y', 'x')] }, true],
    ['excludes a label with another value than those of In', { labels: [needs('In', 'team', 'y')] }, false],
    ['excludes a missing label by In', { labels: [needs('In', 'toString', 'x')] }, false],
    ['includes a label with another value than those of NotIn', { labels: [needs('NotIn', 'team', 'y')] }, true],
    ['excludes a label with a value of NotIn', { labels: [needs('NotIn', 'team', 'x')] }, false],
    ['includes a missing label by NotIn', { labels: [needs('NotIn', 'tier', 'x')] }, true],
    ['includes an existing label by Exists', { labels: [needs('Exists', 'empty')] }, true],
    ['excludes a missing label by Exists', { labels: [needs('Exists', 'tier')] }, false],
    ['includes a missing label by DoesNotExist', { labels: [needs('DoesNotExist', 'tier')] }, true],
    ['excludes an existing label by DoesNotExist', { labels: [needs('DoesNotExist', 'empty')] }, false],
    ['needs every requirement', { labels: [needs('Exists', 'team'), needs('Exists', 'tier')] }, false],
    ['excludes an existing label by an unknown operator', { labels: [needs('Like', 'team', 'x')] }, false],
    ['excludes a missing label by an unknown operator', { labels: [needs('Like', 'tier', 'x')] }, false],
    ['excludes every pod by In without values', { labels: [needs('In', 'team')] }, false],
    ['includes every pod by NotIn without values', { labels: [needs('NotIn', 'team')] }, true],
  ])('the pod scope of a rule %s', (_name, scope, holds) => {
    expect(isInScope(one, scope)).toBe(holds);
  });

  it('the pod scope of a rule treats missing labels as none and a missing priority as 0', () => {
    expect(isInScope(bare, { labels: [needs('Exists', 'team')] })).toBe(false);
    expect(isInScope(bare, { labels: [needs('DoesNotExist', 'team')] })).toBe(true);
    expect(isInScope(bare, { maxPriority: 0 })).toBe(true);
    expect(isInScope(bare, { maxPriority: -1 })).toBe(false);
  });
});
