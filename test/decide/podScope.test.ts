// Whose pods a rule lets go.
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

describe('a scope', () => {
  it.each([
    ['that is absent holds all pods', undefined, true],
    ['that says nothing holds all pods', {}, true],
    ['holds its namespaces', { namespaces: ['x', 'ml'] }, true],
    ['does not hold others', { namespaces: ['x'] }, false],
    ['with no namespace holds no pod', { namespaces: [] }, false],
    ['holds pods up to a priority', { maxPriority: 5 }, true],
    ['does not hold those above', { maxPriority: 4 }, false],
    ['holds by a label', { labels: [needs('In', 'team', 'y', 'x')] }, true],
    ['does not hold by another value', { labels: [needs('In', 'team', 'y')] }, false],
    ['does not hold by a label that is missing', { labels: [needs('In', 'toString', 'x')] }, false],
    ['holds without a value', { labels: [needs('NotIn', 'team', 'y')] }, true],
    ['does not hold with a value', { labels: [needs('NotIn', 'team', 'x')] }, false],
    ['holds a missing label by NotIn', { labels: [needs('NotIn', 'tier', 'x')] }, true],
    ['holds by a label that is there', { labels: [needs('Exists', 'empty')] }, true],
    ['does not hold by a label that is not there', { labels: [needs('Exists', 'tier')] }, false],
    ['holds by a label that must not be there', { labels: [needs('DoesNotExist', 'tier')] }, true],
    ['does not hold by a label that must not be and is', { labels: [needs('DoesNotExist', 'empty')] }, false],
    ['needs all', { labels: [needs('Exists', 'team'), needs('Exists', 'tier')] }, false],
    ['of an unknown operator holds no pod', { labels: [needs('Like', 'team', 'x')] }, false],
    ['of an unknown operator holds no pod by a missing label either', { labels: [needs('Like', 'tier', 'x')] }, false],
    ['without values matches none', { labels: [needs('In', 'team')] }, false],
    ['without values excludes none', { labels: [needs('NotIn', 'team')] }, true],
  ])('the scope of a policy %s', (_name, scope, holds) => {
    expect(isInScope(one, scope)).toBe(holds);
  });

  it('takes a pod without labels and priority as one with none and 0', () => {
    expect(isInScope(bare, { labels: [needs('Exists', 'team')] })).toBe(false);
    expect(isInScope(bare, { labels: [needs('DoesNotExist', 'team')] })).toBe(true);
    expect(isInScope(bare, { maxPriority: 0 })).toBe(true);
    expect(isInScope(bare, { maxPriority: -1 })).toBe(false);
  });
});
