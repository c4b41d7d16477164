// Errors about files: what failed, on which file, and what to do, in words and not in error codes.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Scene, startScene } from './support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
  mkdirSync(path.join(scene.folder, 'folder'));
  const server = `clusters: [{name: c, cluster: {server: "https://127.0.0.1:1", certificate-authority: ${scene.folder}/ca.crt}}]`;
  const rest =
    'users: [{name: u, user: {token: t}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x';
  scene.file('no-ca', `apiVersion: v1\nkind: Config\n${server}\n${rest}\n`);
  scene.file(
    'infinite.yaml',
    'clusters: [{name: a, endpoint: "https://a", auth: {kind: outbound}, maxEvictionsPerSecond: .inf}]\n',
  );
  scene.file(
    'unreadable.yaml',
    'apiVersion: sluice.dev/v1alpha1\nkind: PacedTaintRule\nmetadata: {name: r}\nspec: {taints: [{key: 3, effect: NoExecute}]}\n',
  );
});
afterAll(() => scene.stop());

const rows: readonly (readonly [words: string, status: number, said: RegExp])[] = [
  [
    'plan -f FOLDER/folder',
    1,
    /^error: FOLDER\/folder: it is a folder\nspecify a YAML or JSON file, or - for standard input\n$/,
  ],
  ['plan -f FOLDER/none', 1, /^error: FOLDER\/none: there is no such file\nspecify a YAML or JSON file/],
  ['convert FOLDER/folder', 1, /^error: FOLDER\/folder: it is a folder\n/],
  [
    'convert FOLDER/unreadable.yaml',
    1,
    /^error: PacedTaintRule r cannot be read: spec\.taints\[0\]\.key is not a text.*\n/,
  ],
  ['config validate FOLDER/folder', 1, /^error: FOLDER\/folder: it is a folder\n/],
  [
    'config import FOLDER/folder --to FOLDER/new.yaml',
    1,
    /^error: FOLDER\/folder is a folder\nspecify its cdk.json\n$/,
  ],
  ['cel vectors FOLDER/folder', 1, /^error: FOLDER\/folder: it is a folder\nspecify a JSON file\n$/],
  ['get rules --kubeconfig FOLDER/folder', 1, /^error: kubeconfig FOLDER\/folder cannot be used: it is a folder\n/],
  ['get rules --kubeconfig FOLDER/none', 1, /^error: kubeconfig FOLDER\/none cannot be used: there is no such file\n/],
  [
    'get rules --kubeconfig FOLDER/no-ca',
    1,
    /^error: kubeconfig FOLDER\/no-ca: its file FOLDER\/ca\.crt cannot be used: there is no such file\n/,
  ],
];

describe('an error about a file', () => {
  it.each(rows)(
    'sluice %s ends with an error that says what failed, on which file, and what to do',
    async (words, status, said) => {
      const typed = words.replaceAll('FOLDER', scene.folder).split(' ');
      const answer = await scene.sluice(...typed);
      const err = answer.err.replaceAll(scene.folder, 'FOLDER');
      expect(err).toMatch(said);
      expect(err).not.toMatch(/E[A-Z]{4,}|cannot be read.*cannot be read/);
      expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(3);
      expect({ status: answer.status, out: answer.out }).toEqual({ status, out: '' });
    },
  );

  it('a plan says once that a rule cannot be read', async () => {
    const { err } = await scene.sluice('plan', '-f', path.join(scene.folder, 'unreadable.yaml'));
    expect(err).not.toMatch(/cannot be read.*cannot be read/);
  });

  it('a number without bound in sluice.yaml is refused as such', async () => {
    const { out } = await scene.sluice('config', 'validate', path.join(scene.folder, 'infinite.yaml'));
    expect(out).toMatch(/Infinity must be a finite number/);
  });
});
