// The command line itself: usage errors have at most three lines and status 2, and every verb can be loaded.
import { describe, expect, it } from 'vitest';
import type { VerbDefinition } from '../../lib/commands/definition.ts';
import { program } from '../../lib/commands/definitions/index.ts';
import { nodeProblem } from '../../lib/commands/main.ts';
import { leavesOf } from '../../lib/commands/pages/reference.ts';
import { readText } from '../house/sources.ts';
import { runAlone } from './support/scene.ts';

const leaves = program.verbs.flatMap((verb) => leavesOf(verb, []));

describe('Node', () => {
  it.each([
    ['18.20.0', false],
    ['20.20.2', false],
    ['22.18.0', false],
    ['22.19.0', true],
    ['23.0.0', true],
    ['24.0.0', true],
  ])('Node %s can run the program: %s, as engines in package.json says', (version, runs) => {
    const { engines } = JSON.parse(readText('package.json')) as { engines: { node: string } };
    const oldest = /Node (\S+) or later/.exec(nodeProblem('0.0.0') ?? '')?.[1];
    expect(engines.node).toBe(`>=${oldest}`);
    expect(nodeProblem(version) === undefined).toBe(runs);
  });

  it('the error for an old Node names the command that runs this program with a newer one', () => {
    expect(nodeProblem('20.20.2', '/usr/bin/sluice')?.split('\n')).toEqual([
      'error: sluice needs Node 22.19 or later, and this is v20.20.2',
      'install a newer Node, or run sluice with Node from npm: npx --yes node@24 /usr/bin/sluice',
    ]);
  });
});

describe('usage errors', () => {
  it.each<[string, readonly string[], RegExp]>([
    ['a verb that does not exist', ['gte'], /unknown command 'gte'\n\(Did you mean get\?\)/],
    ['a kind that does not exist', ['get', 'rlues'], /unknown command 'rlues'\n\(Did you mean rules\?\)/],
    ['an option that does not exist', ['get', 'rules', '--outptu', 'x'], /unknown option '--outptu'/],
    ['a group without its verb', ['mode'], /sluice mode needs one of set, show, differences\nsee: sluice mode --help/],
    ['a missing argument', ['why', 'pod'], /missing required argument 'name'\nsee: sluice why --help/],
    ['an invalid choice', ['why', 'node', 'x'], /Allowed choices are pod, rule, device/],
    ['an unknown format', ['version', '-o', 'xml'], /-o xml is not a format/],
    [
      'an option that is not a number',
      ['cost', '--nodes', 'x', '--events', '1'],
      /--nodes is "x", expected a whole number of at least 1\n/,
    ],
    ['a number out of range', ['demo', '--port', '70000'], /--port is "70000"/],
    [
      'a pause without a target',
      ['pause'],
      /pause needs a kind and a name, or --all; nothing was written\n.*sluice pause --all/,
    ],
    ['a pause of everything and of one rule', ['pause', 'rule', 'x', '--all'], /--all cannot be combined with rule x/],
    ['a missing installation', ['mode', 'show', '--cluster', 'prod'], /no installation is given\nspecify --table/],
    ['a plan without a rule or a file', ['plan'], /specify either a rule or -f FILE/],
    ['a taint without effect', ['taint', 'device', 'a/b/c', 'key'], /key is not a taint: write KEY=VALUE:EFFECT/],
    [
      'an option with one value that is given twice',
      ['pause', '--all', '--context', 'one', '--context', 'two'],
      /--context is given twice\nrun it once for each/,
    ],
    ['a file that is given twice', ['plan', '-f', 'a.yaml', '-f', 'b.yaml'], /--filename is given twice/],
    [
      'a rate with five decimals',
      ['drain', 'node', 'n', '--rate', '0.00001'],
      /--rate is "0.00001", .* at most 4 decimals/,
    ],
    ['a burst of 0', ['drain', 'node', 'n', '--burst', '0'], /--burst is "0", expected a whole number from 1 to 10000/],
    ['a misspelled choice', ['pause', 'clutser', 'x'], /did you mean cluster\? see: sluice pause --help/],
    ['a plural in place of a kind', ['why', 'pods', 'x'], /did you mean pod\? see: sluice why --help/],
    ['an invalid page number', ['plan', '--page', '0', 'x'], /--page is "0".*\nsee: sluice plan --help/],
    ['an empty format', ['get', 'rules', '-o', ''], /--output is empty\nsee: sluice get rules --help/],
    ['help of a verb that does not exist', ['help', 'gte'], /unknown command 'gte'/],
    ['--help of a verb that does not exist', ['gte', '--help'], /unknown command 'gte'/],
    ['help of a subcommand that does not exist', ['help', 'get', 'nosuch'], /unknown command 'nosuch'/],
    ['--help of a subcommand that does not exist', ['config', 'nosuch', '--help'], /unknown command 'nosuch'/],
    [
      '--native without a cluster',
      ['demo', '--native', 'own'],
      /--native has no effect on the simulated fleet.*\nspecify the cluster: --kubeconfig FILE, or omit --native/,
    ],
    ['--native detect without a cluster', ['demo', '--once', '--native', 'detect'], /--native has no effect/],
    ['--own-native without a cluster', ['demo', '--own-native'], /--own-native has no effect/],
    ['--paced without a cluster', ['demo', '--paced', 'own'], /--paced has no effect/],
    ['--project-rules without a cluster', ['demo', '--project-rules'], /--project-rules has no effect/],
    ['an unknown effect', ['taint', 'device', 'a/b/c', 'k:Evict'], /Evict is not an effect: use NoExecute/],
  ])('%s is refused with status 2 and a hint', async (_, words, says) => {
    const { status, out, err } = await runAlone(...words);
    expect(err).toMatch(says);
    expect(err).toMatch(/^error: /);
    expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
    expect([status, out]).toEqual([2, '']);
  });

  const waiting = leaves.filter(({ verb }) => verb.options?.some(({ flags }) => flags.endsWith('<seconds>')));
  it.each(waiting.map(({ path, verb }) => [path.join(' '), path, verb] as const))(
    'a duration that is not a number is refused before %s does anything',
    async (_, words, verb) => {
      const needed = (verb.arguments ?? []).filter(({ isOptional }) => !isOptional).map(() => 'x');
      const found = await runAlone(...words, ...needed, '--timeout', 'ten');
      expect(found).toMatchObject({ status: 2, out: '' });
      expect(found.err).toMatch(/^error: --timeout is "ten", expected a number of at least 0\n/);
    },
  );

  it('a failure that is not a usage error has status 1', async () => {
    const { status, err } = await runAlone('get', 'rules', '--kubeconfig', 'no-such-file');
    expect(err).toMatch(/^error: kubeconfig no-such-file cannot be used: .*\nsee: kubectl config get-contexts\n$/);
    expect(status).toBe(1);
  });

  it('get rules fails when there is no kubeconfig, and names the options that help', async () => {
    const err = 'error: no kubeconfig found\nspecify --kubeconfig FILE or set KUBECONFIG\n';
    expect(await runAlone('get', 'rules')).toEqual({ status: 1, out: '', err });
  });
});

describe('help', () => {
  it.each(leaves.map(({ path }) => path.join(' ')))(
    'the help of %s is printed to standard output with status 0',
    async (path) => {
      const { status, out, err } = await runAlone(...path.split(' '), '--help');
      expect([status, err]).toEqual([0, '']);
      expect(out).toContain(`Usage: sluice ${path}`);
    },
  );

  it.each([
    ['help get rules', 'get rules --help'],
    ['help', '--help'],
    ['get rule --help', 'get rules --help'],
    ['--version', 'version'],
    ['--version -o json', 'version -o json'],
  ])('sluice %s prints the same as sluice %s', async (words, other) => {
    expect(await runAlone(...words.split(' '))).toEqual(await runAlone(...other.split(' ')));
    expect((await runAlone(...words.split(' '))).status).toBe(0);
  });

  it('the program without arguments lists every verb', async () => {
    const { status, out } = await runAlone();
    expect(status).toBe(0);
    for (const { name } of program.verbs) expect(out).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
  });
});

describe('every verb', () => {
  it.each(leaves.map(({ path, verb }): [string, VerbDefinition] => [path.join(' '), verb]))(
    'every verb of the command line can be loaded: %s',
    async (_, verb) => {
      expect((await verb.load?.())?.run).toBeTypeOf('function');
    },
  );

  it('the text of every verb begins with a capital letter and ends with a full stop', () => {
    expect(leaves.filter(({ verb }) => !/^[A-Z].*\.$/s.test(verb.text)).map(({ path }) => path)).toEqual([]);
  });

  it('no verb has two options of the same name', () => {
    const names = ({ verb }: (typeof leaves)[number]) =>
      (verb.options ?? []).map(({ flags }) => flags.split(/[ ,]/)[0]);
    expect(leaves.filter((leaf) => new Set(names(leaf)).size !== names(leaf).length)).toEqual([]);
  });
});

describe('a missing file', () => {
  it.each([
    [['plan', '-f', '/no/such/file']],
    [['convert', '/no/such/file']],
    [['cel', 'vectors', '/no/such/file']],
    [['cel', 'eval', 'true', '--device', '/no/such/file']],
    [['config', 'validate', '/no/such/file']],
    [['config', 'import', '/no/such/file']],
  ])('a missing file is reported by the path as typed, with a command that helps: %j', async (words) => {
    const { status, out, err } = await runAlone(...words);
    expect(err).toMatch(
      /^error: .*(?<!\.)\/no\/such\/file.*\n(see|name): ?.*\n$|^error: .*(?<!\.)\/no\/such\/file.*\nspecify a .*\n$/,
    );
    expect([status, out]).toEqual([1, '']);
  });
});
