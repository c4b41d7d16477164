// Pure parts of the command line: tables, jsonpath templates, plan pages, name suggestions, pause notes, and rules that verbs create.
import { describe, expect, it } from 'vitest';
import { Failure, failureLines, statusOf } from '../../lib/commands/failure.ts';
import { parseTaint, placesOfNode, ruleToMake } from '../../lib/commands/madeRules.ts';
import { nameOf } from '../../lib/commands/main.ts';
import { compileJsonPath } from '../../lib/commands/output/jsonPath.ts';
import { tableLines } from '../../lib/commands/output/table.ts';
import { pageOf } from '../../lib/commands/planRows.ts';
import { nearestOf } from '../../lib/config/nearest.ts';
import { resourceSlice } from '../../lib/local/cluster/builders.ts';
import { noteText, parseNote } from '../../lib/model/note.ts';

describe('a table', () => {
  const columns = [
    { name: 'NAME', of: (one: readonly string[]) => one[0] ?? '', isName: true as const },
    { name: 'TEXT', of: (one: readonly string[]) => one[1] ?? '' },
  ];
  const rows = [
    ['a-name-of-some-length', 'a text that is longer than any name'],
    ['b', ''],
  ];

  it('a table is never wider than the terminal, cuts text before names, and shows a dash for an empty cell', () => {
    expect(tableLines(columns, rows, { width: 40 })).toEqual([
      'NAME                    TEXT',
      'a-name-of-some-length   a text that is …',
      'b                       -',
    ]);
    for (const width of [20, 30, 45, 200])
      expect(Math.max(...tableLines(columns, rows, { width }).map((one) => one.length))).toBeLessThanOrEqual(width);
  });

  it('a table is not cut when the output is not a terminal', () => {
    expect(tableLines(columns, rows)[1]).toBe('a-name-of-some-length   a text that is longer than any name');
  });

  it('no control character of a name reaches the terminal', () => {
    expect(tableLines(columns, [['a\u001b[2J', 'b']]).join('')).not.toContain('\u001b');
  });
});

describe('a jsonpath template', () => {
  const value = {
    items: [
      { a: 1, b: { c: 'x' }, 'sluice.dev/rate': 5, list: [{ d: 1 }, { d: 2 }] },
      { a: 2, b: { c: 'y' }, 'sluice.dev/rate': 6, list: [{ d: 3 }] },
    ],
  };
  it.each([
    ['{.items[*].a}', '1 2'],
    ['.items[0].b', '{"c":"x"}'],
    ['n={.items[?(@.a==2)].b.c}{"\\n"}', 'n=y\n'],
    ['{.none}', ''],
    [String.raw`{.items[*].sluice\.dev/rate}`, '5 6'],
    [String.raw`{.items[*]['sluice\.dev/rate']}`, '5 6'],
    [String.raw`{..sluice\.dev/rate}`, '5 6'],
    [String.raw`{.items[?(@.sluice\.dev/rate==6)].a}`, '2'],
    ["{.items[0]['a','sluice.dev/rate']}", '1 5'],
    [String.raw`{range .items[*]}{.a}{"\t"}{.b.c}{'\n'}{end}`, '1\tx\n2\ty\n'],
    ['{range .items[*]}{range .list[*]}{.d},{end};{end}', '1,2,;3,;'],
    ['{range .items[*].a}<{@}>{end}', '<1><2>'],
    ['{range .items[*].a}<{.b}>{end}', '<><>'],
    ['{.items[?(@.list[1].d==2)].a}', '1'],
    ['{.items[?(@.b.c=="x" && @.a<2)].a}', '1'],
    ['{.items[?(@.none.c=="x")].a}', ''],
    ['{.items[-1].a}', '2'],
    ['{.items[-2].a}', '1'],
    ['{.items[0:1].a}', '1'],
    ['{.items[0,1].a}', '1 2'],
    ['{..d}', '1 2 3'],
    ['{@.items[*].a}', '1 2'],
    ['{$.items[0].a}', '1'],
    ['{.items.*.a}', '1 2'],
    [String.raw`{'it\'s "so"'}`, 'it\'s "so"'],
  ])('the jsonpath template %s gives %j', (template, text) => {
    expect(compileJsonPath(template)(value)).toBe(text);
  });

  it.each([
    ['{range .items[*]}', /a \{range\} without its \{end\}/],
    ['{.a}{end}', /an \{end\} without its \{range\}/],
    ['{items}', /not a path/],
    ["{'a' .items}", /quoted/],
    ['{.a', /brace/],
    ['{"a}', /brace|quoted/],
    ['{.items[}', /not a path/],
    ['{.items[*}', /not a path/],
    ['{.items[]}', /not a path/],
    ['{.items]}', /not a path/],
    ['{.items[*].}', /not a path/],
    ['{.items[*].a b}', /not a path/],
    ['{.items[abc]}', /not a path/],
    ['{.items[?@.a==1]}', /not a path/],
    ['{.items[?(@.a==1]}', /not a path/],
    ['{.items[?(@.a==)]}', /not a filter/],
    ['{.items[?(@.a=1)]}', /not a filter/],
    ['{.items[?(foo==1)]}', /foo is not defined/],
    ['{range .items[?(foo==1)]}{.a}{end}', /foo is not defined/],
    ['{range .none[*]}{.a.[}{end}', /not a path/],
  ])('a jsonpath template such as %s is refused before any data is read', (template, says) => {
    expect(() => compileJsonPath(template)).toThrow(says);
  });
});

describe('pages of a plan', () => {
  it('the pages of a plan hold every row once, and a number beyond the last page gives the last page', () => {
    const rows = Array.from({ length: 7 }, (_, i) => i);
    const pages = [1, 2, 3].map((number) => pageOf(rows, { number, size: 3 }));
    expect(pages.flatMap((page) => page.rows)).toEqual(rows);
    expect(pageOf(rows, { number: 9, size: 3 })).toEqual(pages[2]);
    expect(pageOf(rows, { number: 1, size: 0 }).rows).toEqual(rows);
    expect(pageOf([], { number: 1, size: 3 })).toEqual({ rows: [], number: 1, pages: 1 });
  });
});

describe('the nearest name', () => {
  it.each([
    ['prdo', ['prod', 'test'], 'prod'],
    ['unhealthy-gpu', ['unhealthy-gpus', 'x'], 'unhealthy-gpus'],
    ['zzz', ['prod'], undefined],
    ['a', [], undefined],
  ])('the name nearest to %s among %j is %s', (name, known, nearest) => {
    expect(nearestOf(name, known)).toBe(nearest);
  });
});

describe('a failure', () => {
  it('a failure prints at most three lines, the last of which is the command that helps', () => {
    const lines = failureLines(new Failure('a\nb\nc\nd', 'see: x'));
    expect(lines).toEqual(['error: a', 'b', 'see: x']);
    expect(failureLines(new Error(''))).toEqual(['error: Error']);
    expect(failureLines('text')).toEqual(['error: text']);
    expect(failureLines(new Error('x'.repeat(5000)))[0]?.length).toBe(600);
    expect(statusOf(new Error('x'))).toBe(1);
  });
});

describe('the note of a pause', () => {
  it.each([['until Monday'], [''], ['a; b; by the way']])(
    'a pause note records who, when and why, and can be parsed again: "%s"',
    (why) => {
      const text = noteText({ why, by: 'ada', at: 0 });
      expect(parseNote(text)).toEqual({ why, by: 'ada', since: '1970-01-01T00:00:00Z' });
    },
  );

  it('a pause note written by hand is read as a reason alone', () => {
    expect(parseNote('until Monday')).toEqual({ why: 'until Monday' });
  });
});

describe('rules that verbs create', () => {
  it.each([
    ['example.com/a=b:NoExecute', { key: 'example.com/a', value: 'b', effect: 'NoExecute' }],
    ['a:None', { key: 'a', effect: 'None' }],
    ['a=:NoSchedule', { key: 'a', effect: 'NoSchedule' }],
  ])('the taint %s is parsed into key, value and effect', (text, taint) => {
    expect(parseTaint(text)).toEqual(taint);
  });

  it.each(['a', 'a=b', ':NoExecute', 'a:noexecute', '-a:None', 'A/b:None', 'a b:None'])(
    'a malformed taint is refused: %s',
    (text) => {
      expect(parseTaint(text)).toBeTypeOf('string');
    },
  );

  it('the same request gives the same rule name, another request another one, and each is a valid object name', () => {
    const make = (device: string) =>
      ruleToMake({
        by: 'taint',
        subject: `device/${device}`,
        place: { driver: 'd', pool: 'p/q', device },
        taint: { key: 'k', effect: 'None' },
      }).metadata as { name: string };
    expect(make('a').name).toBe(make('a').name);
    expect(make('a').name).not.toBe(make('a.').name);
    expect(make('GPU_0'.repeat(40)).name).toMatch(/^[a-z0-9]([a-z0-9-]{0,80}[a-z0-9])?$/);
  });

  it('rules for a node select the whole pools of the node and its single devices in shared pools', () => {
    const slice = (name: string, node: string, pool: string) =>
      resourceSlice({ name, node, pool, driver: 'd', devices: [{ name: `${name}-0` }, { name: `${name}-1` }] });
    const slices = [slice('a', 'n', 'own'), slice('b', 'n', 'shared'), slice('c', 'other', 'shared')];
    expect(placesOfNode('n', slices)).toEqual([
      { driver: 'd', pool: 'own' },
      { driver: 'd', pool: 'shared', device: 'b-0' },
      { driver: 'd', pool: 'shared', device: 'b-1' },
    ]);
    expect(placesOfNode('none', slices)).toEqual([]);
    const devices = [
      { name: 'x', nodeName: 'n' },
      { name: 'y', nodeName: 'other' },
    ];
    const shared = { spec: { driver: 'd', pool: { name: 'fabric' }, perDeviceNodeSelection: true, devices } };
    expect(placesOfNode('n', [slice('a', 'n', 'own'), shared])).toEqual([
      { driver: 'd', pool: 'own' },
      { driver: 'd', pool: 'fabric', device: 'x' },
    ]);
  });
});

describe('the name of the program', () => {
  it.each([
    ['/usr/bin/sluice', 'sluice'],
    ['dist/sluice.mjs', 'sluice'],
    ['/usr/local/bin/kubectl-sluice', 'kubectl sluice'],
  ])('the program started as %s calls itself %s', (started, name) => {
    expect(nameOf(started)).toBe(name);
  });
});
