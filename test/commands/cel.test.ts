// `sluice cel`: results on stdout, errors with their position on stderr, and an exit status for scripts.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../../bin/sluice.ts', import.meta.url));
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cel-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function cel(...args: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, 'cel', ...args], { encoding: 'utf8' });
  return { stdout, stderr, status };
}

function file(name: string, text: string): string {
  const target = path.join(folder, name);
  writeFileSync(target, text);
  return target;
}

describe('cel vectors', () => {
  const device = { driver: 'd', attributes: { n: { int: '9007199254740993' } } };
  const n = 'device.attributes["d"].n';
  const vector = (name: string, expression: string) => ({ name, expression, device, expect: true });
  const list = [
    vector('yes', `${n} == 9007199254740993`),
    vector('no', `${n} == 9007199254740992`),
    vector('refused', 'true &&'),
    vector('failed', 'device.attributes["d"].gone'),
  ];

  it('cel vectors prints one line for each vector: true, false, compile-error or runtime-error', () => {
    const { stdout, status } = cel('vectors', file('vectors.json', JSON.stringify(list)));
    expect(stdout.trimEnd().split('\n')).toEqual([
      '{"name":"yes","result":true}',
      '{"name":"no","result":false}',
      '{"name":"refused","result":"compile-error"}',
      '{"name":"failed","result":"runtime-error"}',
    ]);
    expect(status).toBe(0);
  });

  it('cel vectors does not round an int that the file spells as a number', () => {
    const text = JSON.stringify([list[0]]).replace('"9007199254740993"', '9007199254740993');
    expect(cel('vectors', file('number.json', text)).stdout).toBe('{"name":"yes","result":true}\n');
  });

  it('cel vectors evaluates as the Kubernetes release of --release does', () => {
    const first = file('older.json', JSON.stringify([vector('last', '[1].last().value() == 1')]));
    expect(cel('vectors', first, '--release', '1.32').stdout).toBe('{"name":"last","result":"compile-error"}\n');
    expect(cel('vectors', first, '--release', '1.33').stdout).toBe('{"name":"last","result":true}\n');
  });

  it.each([
    ['a file that does not exist', 1, ['vectors', 'no-such.json'], /no-such\.json: there is no such file/],
    ['a device', 1, ['vectors', '/dev/zero'], /\/dev\/zero: it is a device, not a file/],
    ['an unknown release', 2, ['vectors', 'x.json', '--release', '1.20'], /known releases are 1\.31/],
  ])('cel vectors refuses %s with status %i', (_, expected, args, reason) => {
    const { stderr, status } = cel(...args);
    expect(stderr).toMatch(reason);
    expect(status).toBe(expected);
  });

  it.each<[string, unknown, string]>([
    ['null', { a: null }, 'runtime-error'],
    ['a number', { a: 5 }, 'runtime-error'],
    ['empty', { a: {} }, 'runtime-error'],
    ['of two types', { a: { int: 1, string: 'a' } }, 'runtime-error'],
    ['a fraction', { a: { int: 1.5 } }, 'runtime-error'],
    ['a list of nothing', { a: { strings: null, string: 'x' } }, 'true'],
  ])('an attribute that is %s (%j) gives %s, and the rest of the file is still evaluated', (_, attributes, result) => {
    const odd = { name: 'odd', expression: 'true', device: { driver: 'd', attributes } };
    const { stdout, status } = cel('vectors', file('odd.json', JSON.stringify([odd, list[0]])));
    expect(stdout.replaceAll('"', '')).toBe(`{name:odd,result:${result}}\n{name:yes,result:true}\n`);
    expect(status).toBe(0);
  });

  it('cel vectors reads a capacity that is a number', () => {
    const expression = 'device.capacity["d"].m == quantity("40")';
    const vector = { name: 'number', expression, device: { driver: 'd', capacity: { m: { value: 40 } } } };
    expect(cel('vectors', file('capacity.json', JSON.stringify([vector]))).stdout).toBe(
      '{"name":"number","result":true}\n',
    );
  });

  it('cel vectors refuses JSON of another form and names the wrong part', () => {
    const { stderr, status } = cel('vectors', file('form.json', '[{"name": "a", "device": {"driver": "d"}}]'));
    expect(stderr).toMatch(/0\.expression/);
    expect(status).toBe(2);
  });
});

describe('cel eval', () => {
  it('cel eval prints whether all selectors are true', () => {
    expect(cel('eval', 'device.driver == ""', '1 < 2')).toMatchObject({ stdout: 'true\n', status: 0 });
    expect(cel('eval', 'true', '--class', 'false')).toMatchObject({ stdout: 'false\n', status: 0 });
  });

  it('cel eval marks the position of a compile error', () => {
    const { stdout, stderr, status } = cel('eval', 'true &&\n  device.drivre == "x"');
    expect(stderr).toBe(
      'error: refused at line 2, column 9: undefined field \'drivre\'\ndevice >>> .drivre == "x"\nsee: sluice cel eval --help\n',
    );
    expect([stdout, status]).toEqual(['', 1]);
  });

  it('cel eval reports a runtime error and not false', () => {
    const device = file('device.json', '{"driver": "d", "attributes": {"model": {"string": "a"}}}');
    const { stderr, status } = cel('eval', 'device.attributes["d"].modell == "a"', '--device', device);
    expect(stderr).toBe(
      'error: no such key: modell in device.attributes["d"].modell == "a"\nsee: sluice cel eval --help\n',
    );
    expect(status).toBe(1);
  });
});
