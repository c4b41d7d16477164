// Contract: what `kubectl get` prints, as a Table of meta.k8s.io/v1.
import { describe, expect, it } from 'vitest';
import { deviceTaintRule, pod, resourceClaim, resourceSlice } from '../../lib/local/cluster/builders.ts';
import { isMap, type JsonMap, listAt, mapAt } from '../../lib/local/cluster/object.ts';
import { type CurrentServer, claims, created, done, pods, rules, slices, uniqueName } from './apiServerUnderTest.ts';

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const taint = { key: 'example.com/table', value: 'x', effect: 'None' } as const;

/** The columns that are shown without `-o wide`, with the cells of the first row. */
function narrow(table: JsonMap): readonly (readonly [string, unknown])[] {
  const cells = listAt(listAt(table, 'rows')[0], 'cells');
  return listAt(table, 'columnDefinitions').flatMap((one, i) =>
    isMap(one) && one.priority === 0 ? [[String(one.name), cells[i]] as const] : [],
  );
}

export function tableContract(server: CurrentServer): void {
  const table = async (path: string) => done(await server().client.call('GET', path, { headers: { accept } }));
  const age = expect.stringMatching(/^\d+s$/);

  describe('a table', () => {
    it.each<[string, (name: string) => { path: string; manifest: JsonMap }, (name: string) => unknown]>([
      [
        'of a device taint rule',
        (name) => ({ path: rules, manifest: deviceTaintRule({ name, taint }) }),
        (name) => [
          ['Name', name],
          ['Key', taint.key],
          ['Value', 'x'],
          ['Effect', 'None'],
          ['TimeAdded', age],
          ['Age', age],
        ],
      ],
      [
        'of a resource slice',
        (name) => ({
          path: slices,
          manifest: resourceSlice({ name, driver: 'd.example.com', node: 'n', devices: [] }),
        }),
        (name) => [
          ['Name', name],
          ['Node', 'n'],
          ['Driver', 'd.example.com'],
          ['Pool', 'n'],
          ['Age', age],
        ],
      ],
      [
        'of a claim that is not allocated',
        (name) => ({ path: claims, manifest: resourceClaim({ name, namespace: 'contract', deviceClass: 'c' }) }),
        (name) => [
          ['Name', name],
          ['State', 'pending'],
          ['Age', age],
        ],
      ],
      [
        'of a pod that is not scheduled',
        (name) => ({ path: pods, manifest: pod({ name, namespace: 'contract' }) }),
        (name) => [
          ['Name', name],
          ['Ready', '0/1'],
          ['Status', 'Pending'],
          ['Restarts', '0'],
          ['Age', age],
        ],
      ],
    ])('a table %s has upstream’s columns', async (_, make, columns) => {
      const name = uniqueName('table');
      const { path, manifest } = make(name);
      await created(server().client, path, manifest);
      expect(narrow(await table(`${path}/${name}`))).toEqual(columns(name));
    });

    it('a table of a list has a row per object with its metadata alone, and the version of the list', async () => {
      const name = uniqueName('table');
      await created(server().client, rules, deviceTaintRule({ name, taint }));
      const list = await table(`${rules}?fieldSelector=metadata.name%3D${name}`);
      expect(list).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
      expect(Number(mapAt(list, 'metadata')?.resourceVersion)).toBeGreaterThan(0);
      const [row, ...more] = listAt(list, 'rows');
      expect(more).toEqual([]);
      expect(row).toMatchObject({ object: { kind: 'PartialObjectMetadata', metadata: { name } } });
      expect(mapAt(row as JsonMap, 'object')).not.toHaveProperty('spec');
    });
  });
}
