// Import: a deployed stack or a cdk.json becomes an equivalent sluice.yaml.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sluicePropsFrom, stackPropsFrom } from '../../infra/fromConfig.ts';
import type { ConnectedConfig } from '../../lib/config/connect.ts';
import { importConfig } from '../../lib/config/import.ts';
import { readConfig } from '../../lib/config/read.ts';
import type { Config } from '../../lib/config/schema.ts';
import { viewConfig } from '../../lib/config/write.ts';
import { selfSignedCertificate } from '../../lib/local/cluster/certificate.ts';
import { cluster, install, installStack } from '../infra/support/installation.ts';

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
    const imported = readConfig(completed, 'imported');
    // Alarm thresholds and tags are completed too, because the template does not say which of them were configured.
    const again: Config = {
      ...imported,
      alarms: { ...imported.alarms, thresholds: config.alarms?.thresholds },
      stack: config.stack,
    };
    expect(templateOf(again)).toEqual(templateOf(config));
  });

  it.each([1, 3])(
    'a stack with %s certificate authorities keeps them in the import, or the import asks to add them',
    (count) => {
      const pem = certificate.repeat(3);
      const clusters = Array.from({ length: count }, (_, i) => ({
        ...cluster,
        name: `c${i}`,
        certificateAuthority: pem,
      }));
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
  ])('import refuses a cdk.json with the text %s', (text, message) => {
    expect(() => importConfig({ kind: 'CdkJson', text })).toThrow(message);
  });
});

describe('the view of a configuration', () => {
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
