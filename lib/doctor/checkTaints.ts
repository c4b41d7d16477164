// Checks that an API server stores device taints: without the feature gate, it silently drops them from every object.
import type { ApiClient } from '../adapters/kubernetes/apiClient.ts';
import { failureOf } from '../adapters/kubernetes/apiFailure.ts';
import { listOf, objectOf } from '../adapters/kubernetes/read.ts';
import { findServed, sliceResource } from '../adapters/kubernetes/servedVersion.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Creates a ResourceSlice with dryRun, so that nothing is stored; needs the right to create ResourceSlices. */
export async function checkTaints({
  name,
  client,
}: {
  readonly name: string;
  readonly client: ApiClient;
}): Promise<Finding> {
  const subject = `feature gate DRADeviceTaints of ${name}`;
  const served = await findServed(client, sliceResource);
  if (served.kind !== 'Served')
    return warning(subject, 'unknown: no ResourceSlices are served', 'enable resource.k8s.io');
  const request = {
    method: 'POST',
    path: `/apis/resource.k8s.io/${served.version}/resourceslices?dryRun=All`,
    subject: 'a ResourceSlice, as a dry run',
  } as const;
  const body = { ...slice, apiVersion: `resource.k8s.io/${served.version}` };
  const answer = await client.send({ ...request, body });
  if (answer.kind === 'Failed' || answer.status !== 201)
    return warning(
      subject,
      `unknown: ${failureOf(request, answer).why}`,
      'see what you may do: kubectl auth can-i create resourceslices',
    );
  const [device] = listOf(objectOf(answer.body.spec).devices);
  if (listOf(device?.taints).length > 0) return ok(subject, 'enabled');
  return problem(
    subject,
    'disabled: the API server drops the taints of devices',
    'enable the feature gate DRADeviceTaints, or use PacedTaintRules only',
  );
}

const slice = {
  kind: 'ResourceSlice',
  metadata: { name: 'sluice-check' },
  spec: {
    driver: 'check.sluice.dev',
    pool: { name: 'sluice-check', generation: 1, resourceSliceCount: 1 },
    allNodes: true,
    devices: [{ name: 'a', taints: [{ key: 'sluice.dev/check', effect: 'NoSchedule' }] }],
  },
} as const;
