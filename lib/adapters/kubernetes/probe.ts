// Probes for an in-tree device-taint-eviction-controller: only this controller would set a condition on a native rule that does nothing.
import { randomUUID } from 'node:crypto';
import { projectedFromLabel } from '../../model/rule.ts';
import type { Instant, Milliseconds } from '../../model/time.ts';
import type { Clock } from '../../ports.ts';
import type { ApiAnswer, ApiClient, ApiRequest } from './apiClient.ts';
import { failureOf } from './apiFailure.ts';
import { type Ownership, ownsConditions } from './ownership.ts';
import { instantOf, listOf, objectOf, textOf } from './read.ts';
import { findServed, ruleResource } from './servedVersion.ts';

/** Upstream writes the condition of a new rule within ten seconds (docs/reference/rules.md 6.3). */
export const answersWithin: Milliseconds = 10_000;
const askEvery: Milliseconds = 250;

/** A probe rule older than this was left behind by a process that ended. */
const leftBehindAfter: Milliseconds = 60_000;

/** Value of the label of projected rules, so that Sluice does not evaluate the probe, and cleanups of projected rules remove it too. */
const probeLabel = 'probe';

/** Needs `create`, `get` and `delete` on DeviceTaintRules (deploy/optional/probe-rbac.yaml). */
export async function probeInTreeController(client: ApiClient, clock: Clock): Promise<Ownership> {
  const served = await findServed(client, ruleResource);
  if (served.kind === 'NotServed')
    return { kind: 'Unknown', why: 'DeviceTaintRules are not served, so no probe can be made' };
  if (served.kind !== 'Served') return { kind: 'Unknown', why: served.why };
  const probe = { version: served.version, path: `${ruleResource.group}/${served.version}/${ruleResource.name}` };
  await removeLeftBehind(client, probe.path, clock.now());
  const name = `sluice-probe-${randomUUID().slice(0, 8)}`;
  const request = { method: 'POST', path: probe.path, subject: 'a rule that asks who acts on rules' } as const;
  const created = await client.send({ ...request, body: probeRule(name, probe.version) });
  if (!isStatus(created, 201)) {
    const { why } = failureOf(request, created);
    return {
      kind: 'Unknown',
      why: `no traces of it, and no probe: ${why}; the value probesOwner=true of the chart grants the right to make one`,
    };
  }
  try {
    return await watchCondition(client, { path: `${probe.path}/${name}`, name, clock });
  } finally {
    await client.send({ method: 'DELETE', path: `${probe.path}/${name}`, subject: `DeviceTaintRule ${name}` });
  }
}

function probeRule(name: string, version: string): object {
  return {
    apiVersion: `resource.k8s.io/${version}`,
    kind: 'DeviceTaintRule',
    metadata: { name, labels: { [projectedFromLabel]: probeLabel } },
    spec: {
      // No driver has this name, so the rule matches no device.
      deviceSelector: { driver: 'probe.sluice.dev', pool: 'none', device: 'none' },
      taint: { key: 'sluice.dev/probe', value: 'asked', effect: 'None' },
    },
  };
}

async function watchCondition(
  client: ApiClient,
  { path, name, clock }: { readonly path: string; readonly name: string; readonly clock: Clock },
): Promise<Ownership> {
  const until = clock.now() + answersWithin;
  for (;;) {
    const request: ApiRequest = { method: 'GET', path, subject: `DeviceTaintRule ${name}` };
    const answer = await client.send(request);
    if (answer.kind !== 'Answer' || answer.status !== 200)
      return { kind: 'Unknown', why: failureOf(request, answer).why };
    if (listOf(objectOf(answer.body.metadata).managedFields).some(ownsConditions))
      return { kind: 'Active', evidence: `it gave the probe ${name} a condition` };
    if (clock.now() >= until) return { kind: 'NotSeen' };
    await clock.sleep(askEvery);
  }
}

/** Best effort: without the right to list them, they are left. */
async function removeLeftBehind(client: ApiClient, path: string, now: Instant): Promise<void> {
  const selector = encodeURIComponent(`${projectedFromLabel}=${probeLabel}`);
  const answer = await client.send({
    method: 'GET',
    path: `${path}?labelSelector=${selector}`,
    subject: 'probes that were left behind',
  });
  if (answer.kind !== 'Answer' || answer.status !== 200) return;
  for (const { metadata } of listOf(answer.body.items)) {
    const { name, creationTimestamp, labels } = objectOf(metadata);
    const old = textOf(name);
    const isMine = objectOf(labels)[projectedFromLabel] === probeLabel;
    if (!old || !isMine || now - (instantOf(creationTimestamp) ?? now) < leftBehindAfter) continue;
    await client.send({
      method: 'DELETE',
      path: `${path}/${encodeURIComponent(old)}`,
      subject: `DeviceTaintRule ${old}`,
    });
  }
}

function isStatus(answer: ApiAnswer, status: number): boolean {
  return answer.kind === 'Answer' && answer.status === status;
}
