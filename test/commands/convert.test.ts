// `sluice convert` keeps every hold of a rule or refuses the rule by name; a rule that selects nothing still selects nothing.
import { spawnSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { convertManifest } from '../../lib/commands/convertManifest.ts';
import { program } from '../../lib/commands/definitions/index.ts';
import { runProgram } from '../../lib/commands/program.ts';
import { pacedFields, type Shape } from '../../lib/commands/ruleFields.ts';
import { readText } from '../house/sources.ts';

const taint = { key: 'example.com/bad', effect: 'NoExecute', timeAdded: '2026-11-20T10:00:00Z' };
const rate = 'sluice.dev/evictions-per-second';
const burst = 'sluice.dev/burst';
const expiresAt = 'sluice.dev/expires-at';
const selected = { deviceSelector: { driver: 'gpu.example.com' } };

const native = (spec: object, annotations: object = {}) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceTaintRule',
  metadata: { name: 'r', annotations },
  spec: { taint, ...spec },
});
const paced = (spec: object, annotations: object = {}) => ({
  apiVersion: 'sluice.dev/v1alpha1',
  kind: 'PacedTaintRule',
  metadata: { name: 'r', annotations },
  spec: { taints: [taint], ...spec },
});

const named = 'DeviceTaintRule r is held, because ';
describe('a converted rule', () => {
  it('a rule paused by any annotation value except false is paused after conversion', () => {
    for (const word of ['', 'true', 'no'])
      expect(convertManifest(native(selected, { 'sluice.dev/paused': word }))).toMatchObject({
        manifests: [{ spec: { paused: true } }],
      });
  });

  it.each<[string, object]>([
    [
      `${named}${expiresAt} is "", which is not an RFC 3339 time: correct or remove it`,
      native(selected, { [expiresAt]: '' }),
    ],
    [
      `${named}${rate} is "", which is no number from 0 to 10000 with at most four decimals: correct or remove it`,
      native(selected, { [rate]: '' }),
    ],
    [`${named}${rate} is "1e3", which`, native(selected, { [rate]: '1e3' })],
    [`${named}${rate} is " 0x10 ", which`, native(selected, { [rate]: ' 0x10 ', [burst]: '5' })],
    [`${named}${burst} is "1e4", which`, native(selected, { [burst]: '1e4' })],
    [
      'DeviceTaintRule r: annotation sluice.dev/paused must be a string',
      native(selected, { 'sluice.dev/paused': true }),
    ],
    ['DeviceTaintRule r cannot be read: spec.taint.key is not a text', native({ taint: { ...taint, key: 3 } })],
    [
      'DeviceTaintRule r: effect "Foo" is none of None, NoSchedule, NoExecute',
      native({ taint: { ...taint, effect: 'Foo' } }),
    ],
    [
      'DeviceTaintRule r: spec.deviceSelector has a criterion without a value',
      native({ deviceSelector: { driver: null } }),
    ],
    ['PacedTaintRule r cannot be read: spec.deviceSelector: it is empty', paced({ deviceSelector: {} })],
    [
      'PacedTaintRule r cannot be read: spec.deviceSelector: all must be true',
      paced({ deviceSelector: { all: false } }),
    ],
    [
      'PacedTaintRule r cannot be read: spec.deviceSelector: all must be true',
      paced({ deviceSelector: { all: true, driver: 'x' } }),
    ],
    [
      'PacedTaintRule r: effect "Foo" is none of None, NoSchedule, NoExecute',
      paced({ ...selected, taints: [{ ...taint, effect: 'Foo' }] }),
    ],
    ['PacedTaintRule r: spec.paused is neither true nor false', paced({ ...selected, paused: 'yes' })],
    [
      `PacedTaintRule r expires by spec.expiresAt and by ${expiresAt}: remove one of them`,
      paced({ ...selected, expiresAt: '2030-01-01T00:00:00Z' }, { [expiresAt]: '2020-01-01T00:00:00Z' }),
    ],
  ])('convert refuses a rule that it cannot translate: %s', (why, manifest) => {
    expect(convertManifest(manifest)).toMatchObject({ kind: 'Refused', why: expect.stringContaining(why) });
  });

  it('a rule without a deviceSelector has none after conversion', () => {
    for (const deviceSelector of [undefined, null]) {
      expect(convertManifest(native({ deviceSelector }))).toMatchObject({ manifests: [{ spec: { taints: [taint] } }] });
      const spec = { taint };
      expect(convertManifest(paced({ deviceSelector }))).toMatchObject({ manifests: [{ spec }] });
      for (const manifest of [native({ deviceSelector }), paced({ deviceSelector })]) {
        const conversion = convertManifest(manifest);
        const [rule] = conversion.kind === 'Converted' ? conversion.manifests : [];
        expect(rule?.spec).not.toHaveProperty('deviceSelector');
      }
    }
  });
});

describe('sluice convert', () => {
  const program = fileURLToPath(new URL('../../bin/sluice.ts', import.meta.url));
  const convert = (input: string, ...args: readonly string[]) => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [program, 'convert', ...args], {
      encoding: 'utf8',
      input,
    });
    return { stdout, stderr, status };
  };

  it('convert writes nothing if it refuses one of the rules, names that rule and exits with status 1', () => {
    const rules = [native(selected), native(selected, { [rate]: '1e3' })].map((rule) => stringify(rule)).join('---\n');
    const { stdout, stderr, status } = convert(rules);
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
    expect(stderr).toContain(`${named}${rate} is "1e3"`);
  });

  it('convert refuses an API version without DeviceTaintRules', () => {
    const { stdout, stderr, status } = convert(stringify(paced(selected)), '--native-version', 'v9');
    expect({ stdout, status }).toEqual({ stdout: '', status: 2 });
    expect(stderr).toContain('--native-version v9 has no DeviceTaintRules');
    expect(convert(stringify(paced(selected)), '--native-version', 'v1beta2').stdout).toContain(
      'resource.k8s.io/v1beta2',
    );
  });
});

describe('an unknown field', () => {
  const file = `apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: a}
spec:
  taint: {key: example.com/bad, effect: NoExecute}
---
apiVersion: v1
kind: List
items:
  - apiVersion: sluice.dev/v1alpha1
    kind: PacedTaintRule
    metadata: {name: b}
    spec:
      deviceSelektor: {driver: x}
      taints:
        - {key: example.com/bad, effect: NoExecute, evictionPerSecond: 1}
`;

  it('convert refuses rules with unknown fields, and names each with its line', async () => {
    expect(await convert(file)).toEqual({
      status: 1,
      out: '',
      err: [
        'error: standard input, line 14: PacedTaintRule b has the unknown field spec.deviceSelektor; line 16: PacedTaintRule b has the unknown field spec.taints[0].evictionPerSecond; nothing was converted',
        'correct or remove what is unknown',
        '',
      ].join('\n'),
    });
  });

  it('convert names the nearest field for one unknown field', async () => {
    const { err } = await convert(file.replace('evictionPerSecond', 'evictionsPerSecond'));
    expect(err).toMatch(
      /line 14: PacedTaintRule b has the unknown field spec.deviceSelektor.*\ndid you mean deviceSelector\?\n/,
    );
  });

  it('convert knows exactly the fields of the PacedTaintRule definition', () => {
    const crd = parse(readText('deploy/chart/crds/pacedtaintrules.yaml')) as Definition;
    const schema = crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.spec;
    expect(fieldsOf(pacedFields)).toEqual(fieldsOf(shapeOf(schema ?? {})));
  });
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}
interface Definition {
  readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[] };
}

function shapeOf({ properties, items }: Schema): Shape {
  if (properties) return Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, shapeOf(one)]));
  const inner = items && shapeOf(items);
  return inner && inner !== 'any' ? [inner] : 'any';
}

function fieldsOf(shape: Shape, at = ''): readonly string[] {
  if (shape === 'any') return [at];
  return Object.entries(shape)
    .flatMap(([key, one]) => fieldsOf(one as Shape, `${at}.${key}`))
    .sort();
}

async function convert(input: string, ...words: readonly string[]) {
  const said = { out: '', err: '' };
  const io = {
    out: { write: (text: string) => (said.out += text) },
    err: { write: (text: string) => (said.err += text) },
    input: Readable.from([input]),
    env: {},
    now: Date.now,
    sleep: async () => {},
    signal: new AbortController().signal,
  };
  const status = await runProgram(program, { name: 'sluice', words: ['convert', ...words], io });
  return { status, ...said };
}

describe('a rule that selects nothing', () => {
  it.each([
    [
      'PacedTaintRule',
      readText('deploy/examples/paced-taint-rule/selects-nothing.yaml'),
      'PacedTaintRule selects-nothing has no deviceSelector: it selects no device, and neither does what it is converted to; for every device write deviceSelector: {all: true}\n',
    ],
    [
      'DeviceTaintRule',
      stringify(native({ deviceSelector: null })),
      'DeviceTaintRule r has no deviceSelector: it selects no device, and neither does what it is converted to; for every device write deviceSelector: {}\n',
    ],
  ])(
    'convert says of a %s that selects nothing that neither it nor the result selects a device',
    async (_, rule, err) => {
      expect(await convert(rule)).toEqual({ status: 0, out: expect.not.stringContaining('deviceSelector'), err });
    },
  );

  it('convert says nothing about a rule that selects every device', async () => {
    expect((await convert(stringify(native({ deviceSelector: {} })))).err).toBe('');
    expect((await convert(stringify(paced({ deviceSelector: { all: true } })))).err).toBe('');
  });
});

describe('the format', () => {
  const rule = (name: string) =>
    `apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: ${name}}\nspec: {taint: {key: k, effect: None}}\n`;

  it('convert prints one rule as JSON, and several as a List', async () => {
    const one = await convert(rule('a'), '-o', 'json');
    expect(JSON.parse(one.out)).toMatchObject({ kind: 'PacedTaintRule', metadata: { name: 'a' } });
    const two = await convert(`${rule('a')}---\n${rule('b')}`, '-o', 'json');
    expect(JSON.parse(two.out)).toMatchObject({ kind: 'List', items: [{}, {}] });
  });
});
