// What the code may import and how it may be written; test/house/layers.ts has the table of layers.
import { SyntaxKind } from 'typescript/unstable/ast';
import { describe, expect, it } from 'vitest';
import { adapterPackages, layerOf, layers, readsEnvironment } from './house/layers.ts';
import { cyclesOf, importsOf, reachableFrom, readText, sourcesUnder } from './house/sources.ts';
import { placesOf, tokensOf } from './house/tokens.ts';

const files = sourcesUnder('lib', 'functions', 'infra', 'bin');
const tokens = new Map(files.map((file) => [file, tokensOf(readText(file))]));
const imports = files.flatMap((file) => importsOf(file, tokens.get(file)));

const longestFile = 200;

/** What a pure layer may not use: clocks, chance, timers, the process. */
const impure: readonly (readonly string[])[] = [
  ['Date', '.', 'now'],
  ['new', 'Date', '(', ')'],
  ['performance', '.'],
  ['Math', '.', 'random'],
  ['crypto', '.'],
  ['setTimeout', '('],
  ['setInterval', '('],
  ['setImmediate', '('],
  ['process', '.'],
  ['console', '.'],
  ['fetch', '('],
];

function isOneOf(name: string, allowed: readonly string[]): boolean {
  return allowed.some((one) => name === one || name.startsWith(one.endsWith(':') ? one : `${one}/`));
}

function placesIn(file: string, words: readonly string[]): readonly string[] {
  return placesOf(tokens.get(file) ?? [], words).map((line) => `${file}:${line} ${words.join('')}`);
}

describe('the table of layers', () => {
  it('a layer imports only layers below it', () => {
    const upward = layers.flatMap((layer, i) =>
      layer.imports.filter((name) => layers.findIndex((one) => one.name === name) >= i).map((to) => [layer.name, to]),
    );
    expect(upward).toEqual([]);
  });

  it('every source file belongs to a layer', () => {
    expect(files.filter((file) => !layerOf(file))).toEqual([]);
    expect(files.length).toBeGreaterThan(100);
  });

  it('model, cel and decide import nothing but each other and three pure packages', () => {
    const bottom = ['model', 'cel', 'decide'];
    for (const layer of layers.filter((one) => bottom.includes(one.name))) {
      expect(bottom).toEqual(expect.arrayContaining([...layer.imports]));
      // Three that compute and do nothing else: regular expressions in linear time, SHA-256, and cron schedules.
      expect(layer.packages.filter((name) => !['re2js', '@noble/hashes', 'croner'].includes(name))).toEqual([]);
    }
  });
});

describe.each(layers)('the layer $path', (layer) => {
  const mine = imports.filter(({ from }) => layerOf(from) === layer);

  it(`the layer imports only itself and: ${layer.imports.join(', ') || 'no other layer'}`, () => {
    const allowed = [layer.name, ...layer.imports];
    const wrong = mine.filter(({ to, isFile }) => isFile && !allowed.includes(layerOf(to)?.name ?? 'no layer'));
    expect(wrong.map(({ from, line, to }) => `${from}:${line} imports ${to}`)).toEqual([]);
  });

  it(`the layer uses only the packages: ${layer.packages.join(', ') || 'none'}`, () => {
    const wrong = mine.filter(({ to, isFile }) => !isFile && !isOneOf(to, layer.packages));
    expect(wrong.map(({ from, line, to }) => `${from}:${line} imports ${to}`)).toEqual([]);
  });
});

describe.each(layers.filter((layer) => layer.pure))('the pure layer $path', (layer) => {
  it('the layer reads no clock and no process and leaves nothing to chance', () => {
    const own = files.filter((file) => layerOf(file) === layer);
    expect(own.flatMap((file) => impure.flatMap((words) => placesIn(file, words)))).toEqual([]);
  });

  it('the layer keeps nothing in a module between two calls', () => {
    const own = files.filter((file) => layerOf(file) === layer);
    const kept = /^(?:export )?(?:let |const \w+ = new (?:Weak)?(?:Map|Set)\b.*\(\)|const \w+: (?:Weak)?(?:Map|Set)<)/m;
    expect(own.filter((file) => kept.test(readText(file)))).toEqual([]);
  });
});

describe('imports', () => {
  it('imports lead to files that exist', () => {
    const known = new Set([...files, 'package.json']);
    expect(imports.filter(({ to, isFile }) => isFile && !known.has(to))).toEqual([]);
  });

  it('imports between files form no cycle', () => {
    expect(cyclesOf(imports).map((cycle) => cycle.join(' > '))).toEqual([]);
  });

  it.each(Object.entries(adapterPackages))('imports of %s stay with its one SDK', (folder, allowed) => {
    const wrong = imports.filter(({ from, to, isFile }) => from.startsWith(folder) && !isFile && !isOneOf(to, allowed));
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('imports of functions reach adapters through lib/lambda, except parsers of messages', () => {
    const direct = imports.filter(({ from, to }) => from.startsWith('functions/') && to.startsWith('lib/adapters/'));
    expect([...new Set(direct.map(({ to }) => to))].sort()).toEqual([
      'lib/adapters/sqs/changes.ts',
      'lib/adapters/sqs/messages.ts',
    ]);
  });

  it.each(sourcesUnder('functions'))(
    'imports of %s bring no official Kubernetes client and no package for development',
    (file) => {
      const heavy = ['@kubernetes/client-node', 'fauxqs', 'aws-cdk-lib', 'hono', 'commander', 'yaml'];
      // Templates that escape what is put into them: two kilobytes that serve no request.
      const light = ['hono/html', 'hono/utils/html'];
      const brought = [...reachableFrom(file, imports)].filter((name) => !light.includes(name));
      expect(brought.filter((name) => isOneOf(name, heavy))).toEqual([]);
    },
  );
});

describe('a stage', () => {
  const stageOf = (file: string) => /^lib\/stages\/([^/]+)\//.exec(file)?.[1];
  const toStages = imports.filter(({ to, isFile }) => isFile && stageOf(to) !== undefined);

  it('a stage imports no other stage', () => {
    const wrong = toStages.filter(({ from, to }) => stageOf(from) !== undefined && stageOf(from) !== stageOf(to));
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it('a stage is imported from outside through its index.ts alone', () => {
    const fromOutside = toStages.filter(({ from }) => stageOf(from) === undefined);
    expect([...new Set(fromOutside.map(({ to }) => to))].sort()).toEqual(
      ['evaluate', 'evict', 'ingest', 'report', 'sweep'].map((name) => `lib/stages/${name}/index.ts`),
    );
  });
});

describe('every source file', () => {
  it(`a source file has at most ${longestFile} lines`, () => {
    const long = files.map((file) => ({ file, lines: readText(file).trimEnd().split('\n').length }));
    expect(long.filter(({ lines }) => lines > longestFile)).toEqual([]);
  });

  it('a source file begins with a comment that says what it is for', () => {
    const silent = files.filter((file) => !/^(#!.*\n)?(\/\/ |\/\*\* ).{10}/.test(readText(file)));
    expect(silent).toEqual([]);
  });

  it('a source file exports by name, never by default', () => {
    const isDefault = (file: string) =>
      (tokens.get(file) ?? []).some(
        ({ kind }, i, all) => kind === SyntaxKind.ExportKeyword && all[i + 1]?.kind === SyntaxKind.DefaultKeyword,
      );
    expect(files.filter(isDefault)).toEqual([]);
  });

  it('a source file has no comment that leaves work to be done', () => {
    expect(files.filter((file) => /\b(TODO|FIXME|XXX|HACK)\b/.test(readText(file)))).toEqual([]);
  });

  it('only the listed files read the environment of the process', () => {
    const others = files.filter((file) => !readsEnvironment.some((place) => file.startsWith(place)));
    expect(others.flatMap((file) => placesIn(file, ['process', '.', 'env']))).toEqual([]);
  });
});

describe('the search for imports and words', () => {
  it('imports of every form are found, and none in comments and texts', () => {
    const source = [
      "import { a } from './a.ts';",
      "import type { B } from '../b/b.ts';",
      "import 'node:fs';",
      "export * from './c.ts';",
      "const d = () => import('./d.ts');",
      "// import { x } from './x.ts';",
      'const text = "import y from \'./y.ts\'";',
      'const t = `$' + "{a / 2} from './z.ts' $" + '{`' + '$' + "{b}`} /`; const r = /from '/;",
      "import { last } from './last.ts';",
    ].join('\n');
    const found = importsOf('lib/x/file.ts', tokensOf(source)).map(({ to, line }) => `${line} ${to}`);
    expect(found).toEqual([
      '1 lib/x/a.ts',
      '2 lib/b/b.ts',
      '3 node:fs',
      '4 lib/x/c.ts',
      '5 lib/x/d.ts',
      '9 lib/x/last.ts',
    ]);
  });

  it('a call of the clock is found, and a given instant is not mistaken for one', () => {
    const source = 'const a = new Date(now); const b = new Date(); // new Date()';
    expect(placesOf(tokensOf(source), ['new', 'Date', '(', ')'])).toEqual([1]);
    expect(placesOf(tokensOf("const a = 'Date.now';"), ['Date', '.', 'now'])).toEqual([]);
    expect(placesOf(tokensOf('const a = Date\n  .now();'), ['Date', '.', 'now'])).toEqual([1]);
  });

  it('a cycle of three imports is found', () => {
    const link = (from: string, to: string) => ({ from, to, line: 1, isFile: true });
    expect(cyclesOf([link('a', 'b'), link('b', 'c'), link('c', 'a'), link('c', 'd')])).toEqual([['a', 'b', 'c', 'a']]);
  });
});
