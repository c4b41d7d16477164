// The page about live reads names exactly what is read, and the roles grant exactly that.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { evictRules } from '../../lib/adapters/kubernetes/rbac.ts';
import { resources, stopResource } from '../../lib/adapters/kubernetes/servedVersion.ts';

const text = readFileSync(new URL('../../docs/reference/live-reads.md', import.meta.url), 'utf8');
const rows = (text.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| kind'))
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));

describe('docs/reference/live-reads.md', () => {
  it('the page about live reads has a row for each kind, with its resource', () => {
    const named = rows.map(([, kind, resource]) => [kind, resource]);
    const served = Object.entries({ ...resources, EvictionStop: stopResource }).map(([kind, { name, group }]) => [
      kind,
      group === '/api' ? name : `${name}.${group.slice('/apis/'.length)}`,
    ]);
    expect(named.toSorted()).toEqual(served.toSorted());
  });

  it('the page about live reads names exactly the rights to read of the role of evict', () => {
    const said = rows.flatMap(([, , resource, , , verbs = '']) =>
      verbs.split(', ').map((verb) => `${verb} ${resource}`),
    );
    const granted = evictRules.flatMap(({ apiGroups: [group = ''], resources: names, verbs }) =>
      names.flatMap((name) =>
        verbs
          .filter((verb) => ['get', 'list', 'watch'].includes(verb))
          .map((verb) => `${verb} ${group === '' ? name : `${name}.${group}`}`),
      ),
    );
    expect(said.toSorted()).toEqual(granted.toSorted());
  });
});
