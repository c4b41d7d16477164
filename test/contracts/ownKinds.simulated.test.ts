// Sluice's own kinds in the simulated cluster: the contract, and every refused object in the words of a real API server.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../lib/local/cluster/client.ts';
import { type Cluster, startCluster } from '../../lib/local/cluster/cluster.ts';
import { ownSchemas } from '../../lib/local/cluster/definitions.ts';
import { isMap, listAt, textAt } from '../../lib/local/cluster/object.ts';
import { keywords } from '../../lib/local/cluster/schema/schema.ts';
import { refused } from '../fixtures/refused/index.ts';
import { ownKindsContract } from './ownKinds.ts';

let cluster: Cluster;
let client: ApiClient;
beforeAll(async () => {
  cluster = await startCluster();
  client = createApiClient(cluster);
});
afterAll(async () => {
  client.close();
  await cluster.close();
});

ownKindsContract(() => client);

const recorded = readFileSync(
  path.join(import.meta.dirname, '../cluster/__snapshots__/crds.cluster.test.ts.snap'),
  'utf8',
);

/** What kubectl printed of the refused object at a real API server. */
function printed(folder: string, name: string): string {
  const head = `exports[\`examples of ${folder} > the API server refuses an example with ${name} 1\`] = \`\n"`;
  const from = recorded.indexOf(head) + head.length;
  return recorded.slice(from, recorded.indexOf('\n"\n`;', from));
}

/** As kubectl prints a refusal of `create -f -`. */
function asKubectl(body: Record<string, unknown>): string {
  const causes = listAt(body, 'details', 'causes').map((one) => `${textAt(one, 'field')}: ${textAt(one, 'message')}`);
  if (body.reason !== 'Invalid')
    return `Error from server (${body.reason}): error when creating "STDIN": ${body.message}`;
  const what = `The ${textAt(body, 'details', 'kind')} "${textAt(body, 'details', 'name')}" is invalid: `;
  return what + (causes.length === 1 ? causes[0] : causes.map((one) => `\n* ${one}`).join(''));
}

describe('an object that a real API server refuses', () => {
  it.each(refused.map((row) => [row.folder, row.name, row.manifest] as const))(
    'an object of %s, %s, is refused in the same words',
    async (folder, name, manifest) => {
      const plural = cluster.resources.find(({ kind }) => kind === manifest.kind)?.plural;
      const answer = await client.call('POST', `/apis/sluice.dev/v1alpha1/${plural}?fieldValidation=Strict`, {
        body: { ...manifest },
      });
      const shortened = asKubectl({ ...answer.body })
        .replace(/x{100,}/g, 'x...')
        .replace(/a{60,}/g, 'a...');
      expect(shortened).toBe(printed(folder, name));
    },
  );
});

describe('the definitions', () => {
  it('the definitions have no keyword that the simulated cluster does not know', () => {
    const unknown = Object.values(ownSchemas()).flatMap((schema) => keywordsOf(schema));
    expect(unknown.filter((one) => !(keywords as readonly string[]).includes(one))).toEqual([]);
  });
});

function keywordsOf(schema: unknown): readonly string[] {
  if (!isMap(schema)) return [];
  const { properties = {}, items, additionalProperties } = schema;
  const inner = [...Object.values(isMap(properties) ? properties : {}), items, additionalProperties];
  return [...Object.keys(schema), ...inner.flatMap(keywordsOf)];
}
