// Import: a deployed stack or a cdk.json becomes an equivalent sluice.yaml.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sluicePropsFrom, stackPropsFrom } from '../../infra/fromConfig.ts';
import type { ConnectedConfig } from '../../lib/config/connect.ts';
import { importConfig } from '../../lib/config/import.ts';
import { readConfig } from '../../lib/config/read.ts';
import { runbookEntries } from '../../lib/config/runbookEntries.ts';
import type { Config } from '../../lib/config/schema.ts';
import { viewConfig } from '../../lib/config/write.ts';
import { stages } from '../../lib/contract.ts';
import { selfSignedCertificate } from '../../lib/local/cluster/certificate.ts';
import { clusterOf, install, installStack } from '../infra/support/installation.ts';

const everything = readFileSync('deploy/examples/configuration/everything.yaml', 'utf8');
const small = readFileSync('deploy/examples/configuration/sluice.yaml', 'utf8');
const templateOf = (config: Config) =>
  installStack({ ...stackPropsFrom(config, {}), sluice: (stack) => sluicePropsFrom(stack, config as ConnectedConfig) })
    .template;
const importing = (template: unknown) =>
  importConfig({ kind: 'Template', template, stackName: 'Sluice', region: 'eu-west-1' });
const { certificate } = selfSignedCertificate({
  commonName: 'kubernetes',
  hosts: ['api.example.com'],
  notBefore: new Date('2026-01-01'),
  notAfter: new Date('2036-01-01'),
});

/** Every key with another value than its default. */
const fullest = fullestOf(readConfig(everything, 'everything'));

function fullestOf(config: Config): Config {
  const limits = stages.map((stage) => [stage, { timeout: 50, memoryMiB: 1536, batchSize: 7, maxConcurrency: 41 }]);
  return {
    ...config,
    stack: { ...config.stack, credentials: 'cli' },
    clusters: [
      ...config.clusters,
      {
        name: 'off',
        endpoint: 'https://off.example.com',
        certificateAuthority: certificate,
        auth: { kind: 'file', path: '/var/task/off.json' },
        native: 'off',
        paced: 'shadow',
        inTree: 'ignore',
        maxEvictionsPerSecond: 0.5,
      },
    ].map(({ native, paced, inTree, ...cluster }) => ({
      ...cluster,
      ...(native === 'own' ? {} : { native }),
      ...(paced === 'own' ? {} : { paced }),
      ...(inTree === 'heed' ? {} : { inTree }),
    })) as Config['clusters'],
    settings: { ...config.settings, workloadClaims: false, extendedResourceClaims: false },
    alarms: {
      ...config.alarms,
      thresholds: Object.fromEntries(runbookEntries.map((entry) => [entry, { threshold: 7, minutes: 9 }])),
    },
    removal: { policy: 'destroy', terminationProtection: true },
    limits: { ...Object.fromEntries(limits), visibilityTimeout: 361, maxReceiveCount: 5 },
    emulator: { plainHttp: true, batchActions: true },
  } as Config;
}

/** Values by their path; lists count as values. */
function leavesOf(value: unknown, path = ''): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return new Map([[path, value]]);
  const named = Array.isArray(value)
    ? value.map((one, i) => [(one as { name?: string }).name ?? String(i), one] as const)
    : Object.entries(value);
  return new Map(named.flatMap(([key, one]) => [...leavesOf(one, path === '' ? key : `${path}.${key}`)]));
}

const yamlIn = (text: string): unknown => parse(text);

describe('a deployed stack', () => {
  it('a stack deployed from a small configuration is imported as that configuration', () => {
    const { text, open } = importing(templateOf(readConfig(small, 'small')));
    expect(open).toEqual([]);
    expect(readConfig(text, 'imported')).toEqual({
      ...readConfig(small, 'small'),
      stack: { name: 'Sluice', region: 'eu-west-1' },
    });
  });

  it('a stack deployed with every key gives the same template after import, once what no template contains is completed', () => {
    const config = readConfig(everything, 'everything');
    const { text, open } = importing(templateOf(config));
    expect(open).toEqual(['The id of the VPC is not in the template: add network.vpc.', 'network.vpc: it is missing']);
    const completed = text.replace('network:\n', `network:\n  vpc: ${config.network?.vpc}\n`);
    const again: Config = { ...readConfig(completed, 'imported'), stack: config.stack };
    expect(templateOf(again)).toEqual(templateOf(config));
  });

  it('every key that differs from its default is imported, except those that the file and the command name', () => {
    const { text } = importing(templateOf(fullest));
    const imported = leavesOf(yamlIn(text));
    const lost = [...leavesOf(fullest)].filter(([key, value]) => imported.get(key) !== value).map(([key]) => key);
    expect(lost).toEqual(['stack.account', 'network.vpc', 'removal.terminationProtection', 'tags.team']);
    for (const key of ['stack.account', 'network.vpc', 'removal.terminationProtection', 'tags'])
      expect(text.split('\n\n')[0]?.replace(/\n# /g, ' '), key).toContain(key);
    for (const key of imported.keys()) expect(leavesOf(fullest).has(key), key).toBe(true);
  });

  it('a visibility timeout of all queues is imported, also where it is six times the timeout of one function', () => {
    const config = { ...fullest, limits: { report: { timeout: 20 }, visibilityTimeout: 120 } } as Config;
    expect(yamlIn(importing(templateOf(config)).text)).toMatchObject({
      limits: { report: { timeout: 20 }, visibilityTimeout: 120 },
    });
  });

  it('the VPC is imported where the stack made security groups in it', () => {
    const { securityGroups: _, ...network } = fullest.network ?? { vpc: '', subnets: [] };
    const { text, open } = importing(templateOf({ ...fullest, network }));
    expect(open).toEqual([]);
    expect(readConfig(text, 'imported').network).toEqual(network);
  });

  it('access entries of an EKS cluster that is entered twice are imported once', () => {
    const auth = { kind: 'eks' as const, clusterName: 'eks-one' };
    const clusters = ['a', 'b'].map((name) =>
      clusterOf(name, { auth, ...(name === 'a' ? { accessEntry: true } : {}) }),
    );
    const { text } = importing(install({ clusters }).template);
    expect(readConfig(text, 'imported').clusters.map(({ accessEntry = false }) => accessEntry)).toEqual([true, false]);
  });

  it('a table that stays and is not protected is imported as that', () => {
    const removal = { deletionProtection: false };
    const { text } = importing(templateOf({ ...readConfig(small, 'small'), removal }));
    expect(readConfig(text, 'imported').removal).toEqual(removal);
  });

  it('thresholds of alarms are imported although they equal the default of another alarm of their entry', () => {
    const thresholds = { 'messages-wait': { threshold: 300 }, 'tokens-dropped': { minutes: 4 } };
    const { text } = importing(templateOf({ ...readConfig(small, 'small'), alarms: { thresholds } }));
    expect(readConfig(text, 'imported').alarms).toEqual({ thresholds });
  });

  it.each([1, 3])(
    'a stack with %s certificate authorities keeps them in the import, or the import asks to add them',
    (count) => {
      const pem = certificate.repeat(3);
      const clusters = Array.from({ length: count }, (_, i) => clusterOf(`c${i}`, { certificateAuthority: pem }));
      const { text, open } = importing(install({ clusters }).template);
      const imported = readConfig(text, 'imported').clusters;
      expect(imported.map(({ name, endpoint, auth }) => ({ name, endpoint, auth }))).toEqual(
        clusters.map(({ name, endpoint, auth }) => ({ name, endpoint, auth })),
      );
      const isKept = imported.every((one) => one.certificateAuthority === pem);
      expect([isKept, open]).toEqual(
        count === 1
          ? [true, []]
          : [false, [expect.stringContaining('certificate authorities of the clusters are not in the template')]],
      );
    },
  );

  it('a stack that is not a Sluice stack is refused', () => {
    expect(() => importing({ Resources: {} })).toThrow('the stack Sluice is not one of Sluice');
    expect(() => importing('text')).toThrow('a CloudFormation template cannot be read');
  });
});

describe('a cdk.json', () => {
  const context = {
    clusters: [{ name: 'prod', endpoint: 'https://a', auth: { kind: 'eks', clusterName: 'prod' } }],
    destroy: true,
  };

  it('a cdk.json is imported with the values of its context', () => {
    const { text, open } = importConfig({
      kind: 'CdkJson',
      text: JSON.stringify({ context: { ...context, '@aws-cdk/x': true } }),
    });
    expect(open).toEqual([]);
    expect(readConfig(text, 'imported')).toEqual({ clusters: context.clusters, removal: { policy: 'destroy' } });
  });

  it('an incomplete cdk.json is imported with a list of what to complete', () => {
    const { text, open } = importConfig({ kind: 'CdkJson', text: '{"context":{"clusters":[{"name":"prod"}]}}' });
    expect(open).toEqual(['clusters[0].auth: it is missing']);
    expect(text).toContain('# To complete: clusters[0].auth: it is missing\n');
  });

  it.each([
    ['{}', 'sets no context key of Sluice'],
    ['{', 'is not JSON'],
    ['null', 'is not a JSON object'],
    ['{"context":null}', 'context of this cdk.json is not a JSON object'],
  ])('import refuses a cdk.json with the text %s', (text, message) => {
    expect(() => importConfig({ kind: 'CdkJson', text })).toThrow(message);
  });
});

describe('the view of a configuration', () => {
  it.each([
    ['time-outs that visibilityTimeout shortens', 'limits: {visibilityTimeout: 20}', /ingest:\n +timeout: 20\n/],
    ['no limits of projection without projected rules', 'settings: {projectRules: false}', /projectRules: false\n/],
  ])('the view of a configuration has %s, and can be read again', (_, text, has) => {
    const view = viewConfig(readConfig(`${small}\n${text}\n`, 'config'));
    expect(view).toMatch(has);
    expect(viewConfig(readConfig(view, 'view'))).toBe(view);
  });

  it.each([small, everything])('the view of a configuration shows all defaults and has the same meaning', (text) => {
    const config = readConfig(text, 'config');
    const view = viewConfig(config);
    const viewed = readConfig(view, 'view');
    expect(viewed).toMatchObject(config);
    expect(viewConfig(viewed)).toBe(view);
    expect(view).toMatch(/holdEmptySelector: (true|false)\n/);
    expect(view).toMatch(/records: (90|365)\n/);
  });
});
