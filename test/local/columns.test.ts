// Columns of the simulated cluster: those of Sluice's kinds are the ones in their definitions, and ages are shortened as upstream does.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ageText, columnsOf } from '../../lib/local/cluster/columns.ts';

interface Definition {
  readonly spec: {
    readonly names: { readonly plural: string };
    readonly versions: readonly {
      readonly additionalPrinterColumns: readonly { name: string; type: string; priority?: number; jsonPath: string }[];
    }[];
  };
}

const folder = path.resolve(import.meta.dirname, '../../deploy/chart/crds');
const definitions = readdirSync(folder).map(
  (file) => parse(readFileSync(path.join(folder, file), 'utf8')) as Definition,
);

describe('kubectl get', () => {
  it.each(
    definitions.map(({ spec }) => [spec.names.plural, spec.versions[0]?.additionalPrinterColumns ?? []] as const),
  )('kubectl get of %s shows the columns of its CustomResourceDefinition', (plural, written) => {
    expect(written.length).toBeGreaterThan(0);
    const [name, ...shown] = columnsOf(plural);
    expect(name?.name).toBe('Name');
    expect(shown.map(({ name: of, type, priority = 0 }) => [of, type, priority])).toEqual(
      written.map(({ name: of, type, priority = 0 }) => [of, type, priority]),
    );
  });

  it('kubectl get of policies shows, with -o wide, the message of each condition whose status it shows', () => {
    const written = definitions.find(({ spec }) => spec.names.plural === 'evictionpolicies')?.spec.versions[0];
    const pattern = /@\.type=="([^"]+)"\)\]\.(status|message)$/;
    const shown = (written?.additionalPrinterColumns ?? []).flatMap(({ jsonPath }) => [pattern.exec(jsonPath) ?? []]);
    const of = (field: string) => shown.filter(([, , last]) => last === field).map(([, type]) => type);
    expect(of('status')).toContain('sluice.dev/Held');
    expect(of('message')).toEqual(of('status'));
  });

  it.each([
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [125, '2m5s'],
    [600, '10m'],
    [3 * 3600, '3h'],
    [3 * 3600 + 60, '3h1m'],
    [8 * 3600, '8h'],
    [48 * 3600, '2d'],
    [50 * 3600, '2d2h'],
    [8 * 86_400, '8d'],
  ])('kubectl get shortens an age of %i s to %s', (seconds, text) => {
    const now = Date.UTC(2027, 0, 1);
    expect(ageText(new Date(now - seconds * 1000).toISOString(), now)).toBe(text);
  });

  it('kubectl get shows an unknown age for an object without a time', () => {
    expect(ageText(undefined, 0)).toBe('<unknown>');
  });
});
