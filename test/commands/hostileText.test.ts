// Text that others wrote into a cluster cannot move the cursor of a terminal, hide lines or forge them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { gpuRule, type Scene, startScene } from './support/scene.ts';

const hostile = 'until\u001b[2J\u001b]0;title\u0007 Monday\r\u009bforged\nNAME   READY';
let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ hasStops: true });
  const metadata = {
    name: 'unhealthy-gpus',
    annotations: { 'pause.sluice.dev/manual': `${hostile} by ada at 2026-01-01T12:00:00Z` },
  };
  scene.cluster.seed({ ...gpuRule, metadata });
  scene.cluster.seed({
    apiVersion: 'sluice.dev/v1alpha1',
    kind: 'EvictionStop',
    metadata: { name: 'other' },
    spec: { reason: hostile },
  });
});
afterAll(() => scene.stop());

it.each([
  'get rules',
  'get rules -o wide',
  'get pods -A -o wide',
  'get taints',
  'describe rule unhealthy-gpus',
  'describe pod team-a/pod-00000',
  'why rule unhealthy-gpus',
  'why pod team-a/pod-00000',
  'plan unhealthy-gpus',
  'pauses',
  'pause rule unhealthy-gpus --timeout 0',
  'pause --all --timeout 0',
  'resume rule unhealthy-gpus',
  'top --once',
  'resume --all',
  'approve rule unhealthy-gpus --yes',
])('sluice %s prints no control character of such a text', async (words) => {
  const { out, err } = await scene.sluice(...words.split(' '));
  expect(`${out}${err}`.match(/[^\P{Cc}\n\t].{0,20}/gu) ?? []).toEqual([]);
  expect(`${out}${err}`).not.toMatch(/^NAME {3}READY/m);
});
