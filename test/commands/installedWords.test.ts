// Messages of an installed program name no path that only a checkout of the repository has.
import { describe, expect, it } from 'vitest';
import { readText, sourcesUnder } from '../house/sources.ts';
import { runAlone } from './support/scene.ts';

/** Files that write pages of the repository, or speak to a user of a checkout. */
const ofTheRepository: readonly RegExp[] = [
  /^lib\/config\/(reference|generated|load)\.ts$/,
  /^lib\/commands\/pages\//,
  /^lib\/commands\/install\/files\.ts$/,
  /^lib\/local\/build\.ts$/,
];

/** The description of alarms, where no runbookUrl is configured. */
const isDefaultRunbook = (text: string) => text.includes("'docs/runbook.md of the repository'");

describe('a message', () => {
  it('no message names a path of the repository', () => {
    const files = sourcesUnder('lib').filter((file) => !ofTheRepository.some((one) => one.test(file)));
    const found = files.flatMap((file) =>
      readText(file)
        .split('\n')
        .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line) && !isDefaultRunbook(line))
        .filter((line) => /['"` (](docs\/[\w/-]+\.md|deploy\/\w|scripts\/\w|npm run )/.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });

  it('install --print-crds prints the definitions that messages tell to apply', async () => {
    const { status, out, err } = await runAlone('install', '--print-crds');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    for (const kind of ['pacedtaintrules', 'evictionpolicies', 'evictionstops', 'devicetaintslices'])
      expect(out).toContain(`name: ${kind}.sluice.dev`);
    expect(out.match(/^---$/gm)).toHaveLength(4);
  });
});
