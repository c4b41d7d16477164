// The chart brings the definitions of Sluice's own kinds along, and they are the ones in deploy/crds.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const deploy = path.join(import.meta.dirname, '..', '..', 'deploy');
const filesIn = (folder: string) => {
  const names = readdirSync(path.join(deploy, folder)).sort();
  return names.map((name) => [name, readFileSync(path.join(deploy, folder, name), 'utf8')]);
};

it('the definitions in the chart are those in deploy/crds: copy them with cp deploy/crds/*.yaml deploy/chart/crds/', () => {
  expect(filesIn('chart/crds')).toEqual(filesIn('crds'));
  expect(filesIn('crds').length).toBeGreaterThan(0);
});
