// `sluice config view`, `validate` and `import`, run through the program.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../lib/config/read.ts';
import { runAlone } from './support/scene.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sluice-config-verbs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string) => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
const example = 'deploy/examples/configuration/sluice.yaml';

describe('sluice config view', () => {
  it('config view prints the remembered installation, and then an equivalent sluice.yaml with every default', async () => {
    const { status, out } = await runAlone('config', 'view', '--config', example);
    const [remembered = '', configuration = ''] = out.split(/^---\n/m);
    expect([status, remembered]).toEqual([0, expect.stringMatching(/^file: .*targets\.json$/m)]);
    expect(configuration).toContain(`# ${example}, with every default\n`);
    expect(readConfig(configuration, 'view')).toMatchObject({ stack: { name: 'Sluice' }, logLevel: 'INFO' });
    expect(readConfig(configuration, 'view').clusters).toMatchObject(
      readConfig(readFileSync(example, 'utf8'), example).clusters,
    );
  });

  it('config view prints no configuration when there is no sluice.yaml', async () => {
    expect((await runAlone('config', 'view')).out).not.toContain('---');
  });
});

describe('sluice config validate', () => {
  it('config validate names the file and its clusters when it is valid', async () => {
    expect(await runAlone('config', 'validate', example)).toEqual({
      status: 0,
      out: `${example} is valid: clusters prod\n`,
      err: '',
    });
  });

  it('config validate prints every problem with its position and exits with status 1', async () => {
    const wrong = file('wrong.yaml', 'clusters:\n  - nam: prod\nlogLevel: loud\n');
    const { status, out, err } = await runAlone('config', 'validate', wrong);
    expect([status, err]).toEqual([1, '']);
    expect(
      out
        .trim()
        .split('\n')
        .map((one) => one.slice(one.indexOf('wrong.yaml')))
        .sort(),
    ).toEqual([
      'wrong.yaml:2:5: clusters[0].auth: it is missing',
      'wrong.yaml:2:5: clusters[0].nam: there is no such key; did you mean "name"?',
      'wrong.yaml:2:5: clusters[0].name: it is missing',
      'wrong.yaml:3:11: logLevel: "loud" must be DEBUG, INFO, WARN or ERROR',
    ]);
  });

  it('config validate and convert fail when the file does not exist', async () => {
    const file = path.join(folder, 'none.yaml');
    for (const words of [
      ['config', 'validate', file],
      ['convert', file],
    ]) {
      const { status, out, err } = await runAlone(...words);
      expect([status, out, err]).toEqual([
        1,
        '',
        expect.stringMatching(
          /^error: \S+none\.yaml: there is no such file\n(see: sluice config validate --help\n|specify a YAML or JSON file, or - for standard input\n)$/,
        ),
      ]);
    }
    const nowhere = await runAlone('config', 'validate');
    expect([nowhere.status, nowhere.out]).toEqual([1, '']);
    expect(nowhere.err).toContain('write one with sluice config import or sluice install --eks-cluster NAME');
  });
});

describe('sluice config import', () => {
  const cluster = { name: 'prod', endpoint: 'https://a', auth: { kind: 'eks', clusterName: 'prod' } };

  it.each([
    [['--region', 'eu-wst-1'], 'error: this release knows no region eu-wst-1; did you mean eu-west-1?'],
    [
      ['--stack', 'a b'],
      'error: "a b" is not the name of a stack: letters, digits and dashes, beginning with a letter',
    ],
  ])('config use remembers no name that cannot exist: %j', async (words, said) => {
    const { status, err } = await runAlone('config', 'use', 'mine', ...words);
    expect([status, err.split('\n')[0]]).toEqual([2, said]);
  });

  it.each([
    [['--table', 'T'], "error: unknown option '--table'"],
    [['--cluster', 'prod'], "error: unknown option '--cluster'"],
    [['cdk.json', '--stack', 'S'], 'error: --stack cannot be combined with cdk.json'],
  ])('config import refuses what it would not read: %j', async (words, said) => {
    const { status, err } = await runAlone('config', 'import', ...words);
    expect([status, err.split('\n')[0]]).toEqual([2, said]);
  });

  it('config import writes the context of a cdk.json and does not overwrite a file', async () => {
    const source = file('cdk.json', JSON.stringify({ context: { clusters: [cluster] } }));
    const to = path.join(folder, 'imported.yaml');
    expect(await runAlone('config', 'import', source, '--to', to)).toEqual({
      status: 0,
      out: `wrote ${to}\n`,
      err: '',
    });
    expect(readConfig(readFileSync(to, 'utf8'), to).clusters).toEqual([cluster]);
    const again = await runAlone('config', 'import', source, '--to', to);
    expect([again.status, again.err]).toEqual([1, expect.stringContaining('exists already')]);
  });

  it('config import lists what must be completed', async () => {
    const source = file('half.json', JSON.stringify({ context: { clusters: [{ name: 'prod' }] } }));
    const { status, err } = await runAlone('config', 'import', source, '--to', path.join(folder, 'half.yaml'));
    expect([status, err]).toEqual([0, 'missing, complete in the file: clusters[0].auth: it is missing\n']);
  });

  it('config import writes nothing if the source has no key of Sluice or does not exist', async () => {
    const to = path.join(folder, 'nothing.yaml');
    const empty = await runAlone('config', 'import', file('empty.json', '{}'), '--to', to);
    expect([empty.status, empty.err]).toEqual([1, expect.stringContaining('sets no context key of Sluice')]);
    const missing = await runAlone('config', 'import', path.join(folder, 'no.json'), '--to', to);
    expect([missing.status, missing.err]).toEqual([1, expect.stringContaining('there is no file')]);
    expect(existsSync(to)).toBe(false);
  });

  it('config import refuses a folder and asks for its cdk.json', async () => {
    expect(await runAlone('config', 'import', folder, '--to', path.join(folder, 'to.yaml'))).toEqual({
      status: 1,
      out: '',
      err: `error: ${folder} is a folder\nspecify its cdk.json\n`,
    });
  });
});
