// Creates a rule for all devices of a round and observes when its pods are deleted.
import { deviceTaintRule } from '../../lib/local/cluster/builders.ts';
import type { ApiClient } from '../../lib/local/cluster/client.ts';
import { mapAt, textAt } from '../../lib/local/cluster/object.ts';
import { driver, podsPath } from './load.ts';

/** Milliseconds from the API server's response to the rule until a watch shows each pod's deletionTimestamp, ascending. */
export type DeleteTimes = readonly number[];

export interface Observed {
  readonly times: DeleteTimes;
  /** UIDs of deleted pods, to compare with those of the round. */
  readonly deleted: ReadonlySet<string>;
}

const patienceMs = 60_000;
const rulesPath = '/apis/resource.k8s.io/v1/devicetaintrules';
const taint = { key: 'load.example.com/unhealthy', value: 'yes', effect: 'NoExecute' };

/** Ends when `enough` pods are terminating, no further one was deleted for a minute, or `mostMs` have passed. */
export async function evictAll(
  client: ApiClient,
  by: {
    readonly rule: string;
    readonly enough: number;
    readonly rate: { readonly perSecond: number; readonly burst: number };
    readonly mostMs: number;
  },
): Promise<Observed> {
  const list = await client.call('GET', `${podsPath}?limit=1`);
  const version = textAt(list.body, 'metadata', 'resourceVersion') ?? '';
  const ended = new AbortController();
  const times: number[] = [];
  const deleted = new Set<string>();
  let accepted: number | undefined;
  let late: NodeJS.Timeout | undefined;
  const end = setTimeout(() => ended.abort(), by.mostMs);
  const wait = () => {
    clearTimeout(late);
    late = setTimeout(() => ended.abort(), patienceMs);
  };
  const seen = (async () => {
    const events = client.watch(`${podsPath}?watch=1&resourceVersion=${version}`, ended.signal);
    for await (const { object } of events) {
      const now = performance.now();
      const uid = textAt(object, 'metadata', 'uid') ?? '';
      if (!mapAt(object, 'metadata')?.deletionTimestamp || deleted.has(uid)) continue;
      deleted.add(uid);
      times.push(now - (accepted ?? now));
      wait();
      if (deleted.size >= by.enough) return;
    }
  })().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  wait();
  const manifest = deviceTaintRule({ name: by.rule, deviceSelector: { driver }, taint });
  const annotations = {
    'sluice.dev/evictions-per-second': String(by.rate.perSecond),
    'sluice.dev/burst': String(by.rate.burst),
  };
  const body = { ...manifest, metadata: { name: by.rule, annotations } };
  const answer = await client.call('POST', rulesPath, { body });
  if (answer.status !== 201) throw new Error(`rule ${by.rule} was refused: ${answer.status}`);
  accepted = performance.now();
  await seen;
  clearTimeout(late);
  clearTimeout(end);
  ended.abort();
  return { times, deleted };
}

export async function endRule(client: ApiClient, rule: string): Promise<void> {
  const { status } = await client.call('DELETE', `${rulesPath}/${rule}`);
  if (status >= 300) throw new Error(`rule ${rule} could not be deleted: ${status}`);
}
