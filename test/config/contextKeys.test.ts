// Context keys of version 0.1: refused with the lines of sluice.yaml that replace them.
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { contextKeys, refuseContextKeys } from '../../lib/config/contextKeys.ts';
import { validateConfig } from '../../lib/config/read.ts';

const cluster = { name: 'prod', endpoint: 'https://api.example.com', auth: { kind: 'eks', clusterName: 'prod' } };
const refused = (context: Readonly<Record<string, unknown>>) => {
  try {
    refuseContextKeys((key) => context[key]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'accepted';
};
const linesFor = (context: Readonly<Record<string, unknown>>) => refused(context).split('\n\n').slice(1).join('\n\n');

/** With values as the command line and cdk.json gave them. */
const all = {
  clusters: JSON.stringify([cluster]),
  destroy: '1',
  limits: '{"evict":{"maxConcurrency":10}}',
  visibilityTimeout: '6',
  maxReceiveCount: '3',
  logLevel: 'DEBUG',
  runbookUrl: 'https://wiki.example.com/sluice',
  nossl: '1',
  emulator: true,
  clicreds: 'true',
};

describe('context keys of version 0.1', () => {
  it('all context keys of version 0.1 are known, and other keys are accepted', () => {
    expect([...contextKeys].sort()).toEqual(Object.keys(all).sort());
    expect(refused({ '@aws-cdk/core:newStyleStackSynthesis': true, config: 'x', allowRemoval: 'prod' })).toBe(
      'accepted',
    );
  });

  it('context keys are refused together, with an equivalent valid configuration', () => {
    expect(refused(all)).toContain(
      `context keys are no longer read: ${contextKeys.join(', ')}. Write into sluice.yaml`,
    );
    const lines = linesFor(all);
    expect(validateConfig(lines)).toEqual({
      kind: 'Valid',
      config: {
        clusters: [cluster],
        removal: { policy: 'destroy' },
        limits: { evict: { maxConcurrency: 10 }, visibilityTimeout: 6, maxReceiveCount: 3 },
        logLevel: 'DEBUG',
        alarms: { runbookUrl: 'https://wiki.example.com/sluice' },
        emulator: { plainHttp: true, batchActions: true },
        stack: { credentials: 'cli' },
      },
    });
  });

  it.each(Object.entries(all))('the context key %s alone is refused with its line for sluice.yaml', (key, value) => {
    expect(Object.keys(parse(linesFor({ [key]: value })) as object)).toHaveLength(1);
  });

  it('context keys with default values are refused with the advice to leave them out', () => {
    expect(refused({ destroy: '0', nossl: 'false' })).toBe(
      'context keys are no longer read: destroy, nossl. Leave them out: what they say is the default.',
    );
  });

  it('context values that cannot be parsed are shown as they were written', () => {
    expect(linesFor({ clusters: '[{' })).toBe('clusters: "[{"\n');
    expect(linesFor({ visibilityTimeout: 'long' })).toContain('visibilityTimeout: long');
  });
});
