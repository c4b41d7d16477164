// The chart's values: their schema refuses wrong values, and the chart's README has a row for each value.
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readText } from '../house/sources.ts';

const schema = JSON.parse(readText('deploy/chart/values.schema.json')) as object & { $schema?: string };
const { $schema: _, ...rules } = schema;
const validate = new Ajv({ allErrors: true }).compile(rules);
const defaults = parse(readText('deploy/chart/values.yaml')) as Record<string, unknown>;
const required = {
  image: `registry.example.com:5000/team/sluice@sha256:${'a'.repeat(64)}`,
  queueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/Sluice-ingest-prod',
};

/** Paths of the values that are refused. */
function refused(values: object): readonly string[] {
  validate({ ...defaults, ...values });
  return (validate.errors ?? []).map(({ instancePath }) => instancePath);
}

describe('the values of the chart', () => {
  it('values of the chart are valid with nothing set but image and queue', () => {
    expect(refused(required)).toEqual([]);
  });

  it('the chart has no default for image, queue and environment of the executor', () => {
    expect(defaults).toMatchObject({ image: '', queueUrl: '', executor: { environment: {} } });
  });

  it.each([
    ['an image by tag', { image: 'sluice:0.1.0' }, '/image'],
    ['an image without a digest', { image: 'sluice' }, '/image'],
    ['half a digest', { image: 'sluice@sha256:ab' }, '/image'],
    ['two digests', { image: `${required.image}@sha256:${'b'.repeat(64)}` }, '/image'],
    ['the image as a map, as earlier releases had it', { image: { repository: 'sluice' } }, '/image'],
    ['a queue that is no URL', { queueUrl: 'Sluice-ingest-prod' }, '/queueUrl'],
    ['a port below 1024', { healthPort: 80 }, '/healthPort'],
    ['no replica', { replicas: 0 }, '/replicas'],
    ['a value that does not exist', { replica: 2 }, ''],
  ])("the schema of the chart's values refuses %s", (_, values, place) => {
    expect(refused({ ...required, ...values })).toContain(place);
  });
});

/** Every value by its path, as `--set` takes it; a map that users fill themselves is one value. */
function pathsOf(values: Record<string, unknown>, prefix = ''): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
    return isMap && name !== 'resources'
      ? pathsOf(value as Record<string, unknown>, `${prefix}${name}.`)
      : [`${prefix}${name}`];
  });
}

describe("the chart's README", () => {
  it('the README of the chart has one row for each value, and no other rows', () => {
    const rows = [...readText('deploy/chart/README.md').matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name]) => name);
    expect(rows.toSorted()).toEqual(pathsOf(defaults).toSorted());
  });
});
