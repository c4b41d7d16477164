// Checks that an API server is reachable and new enough, serves the required kinds and grants the required rights.

import { reviewAccess } from '../adapters/kubernetes/accessReview.ts';
import type { ApiAnswer, ApiClient } from '../adapters/kubernetes/apiClient.ts';
import { failureOf } from '../adapters/kubernetes/apiFailure.ts';
import { askVersion, versionRequest } from '../adapters/kubernetes/askVersion.ts';
import { detectOwner } from '../adapters/kubernetes/detectOwner.ts';
import { findInTreeController } from '../adapters/kubernetes/ownership.ts';
import { type PolicyRule, unionOf } from '../adapters/kubernetes/rbac.ts';
import { textOf } from '../adapters/kubernetes/read.ts';
import {
  claimResource,
  findServed,
  podResource,
  type Resource,
  ruleResource,
  sliceResource,
} from '../adapters/kubernetes/servedVersion.ts';
import type { Clock } from '../ports.ts';
import { oldestMinor } from './checkClusterFacts.ts';
import { checkDefinition } from './checkDefinitions.ts';
import { checkExecutor } from './checkExecutor.ts';
import type { Definition } from './definitions.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

export interface ClusterToCheck {
  readonly name: string;
  readonly endpoint: string;
  readonly client: ApiClient;
  /** Rules that the credentials of `client` must be granted. */
  readonly roles: readonly (readonly PolicyRule[])[];
  /** CRDs of this release. */
  readonly definitions: readonly Definition[];
  readonly clock: Clock;
  /** Creates and deletes a native rule without effect, to see which controller writes its status. */
  readonly probes: boolean;
}

/** Checks possible before an installation. Stops at a problem that prevents all further checks. */
export async function checkServer(cluster: Server): Promise<readonly Finding[]> {
  const reached = checkVersion(cluster, await askVersion(cluster.client));
  if (reached.kind === 'Problem') return [reached];
  const served = await Promise.all(
    [podResource, claimResource, sliceResource, ruleResource].map((one) => checkServed(cluster, one)),
  );
  return [reached, ...served];
}

export async function checkCluster(cluster: ClusterToCheck): Promise<readonly Finding[]> {
  const [reached, ...served] = await checkServer(cluster);
  if (!reached || reached.kind === 'Problem') return reached ? [reached] : [];
  const allowed = await checkAccess(cluster);
  const owner = await checkOwner(cluster);
  const definitions: Finding[] = [];
  for (const release of cluster.definitions) definitions.push(await checkDefinition(cluster, release));
  return [reached, ...served, ...allowed, owner, ...definitions, ...(await checkExecutor(cluster))];
}

type Server = Pick<ClusterToCheck, 'name' | 'endpoint' | 'client'>;

function checkVersion({ name, endpoint }: Server, answer: ApiAnswer): Finding {
  const subject = `API server of ${name}`;
  if (answer.kind === 'Failed') return problem(subject, answer.why, unreachable(endpoint, answer.why));
  if (answer.status === 401)
    return problem(
      subject,
      '401 Unauthorized: it does not know these credentials',
      'for EKS create the access entry (the stack does with `accessEntries`), else renew the kubeconfig',
    );
  if (answer.status !== 200) {
    const failure = failureOf(versionRequest, answer);
    return problem(subject, failure.why, `check that ${endpoint} is a Kubernetes API server`);
  }
  const { major, minor, gitVersion } = answer.body;
  const version = textOf(gitVersion) ?? `${major}.${minor}`;
  const number = Number.parseInt(textOf(minor) ?? '', 10);
  if (Number.isNaN(number))
    return problem(
      subject,
      `its version ${version} cannot be read`,
      `check that ${endpoint} is a Kubernetes API server`,
    );
  if (number < oldestMinor)
    return problem(subject, `${version} is too old: device taints need v1.${oldestMinor}`, 'upgrade the cluster');
  return ok(subject, `${version} at ${endpoint}`);
}

/** Replaces Node's TLS certificate errors by a message that says what to check. */
function unreachable(endpoint: string, why: string): string {
  if (/certificate|unable to verify|altname/i.test(why))
    return `take certificateAuthority of this cluster again (aws eks describe-cluster, or certificate-authority-data of a kubeconfig in base64): ${endpoint} has another one`;
  return `check that ${endpoint} is the endpoint of this cluster, that its CA is the configured one, and that the network lets you through`;
}

async function checkServed({ name, client }: Server, resource: Resource): Promise<Finding> {
  const subject = `API ${resource.name} of ${name}`;
  const served = await findServed(client, resource);
  switch (served.kind) {
    case 'Served':
      return ok(subject, `served as ${served.version}`);
    case 'NotServed':
      if (resource === ruleResource)
        return warning(
          subject,
          'not served: native rules cannot be written here',
          'enable resource.k8s.io/v1beta2 and the feature gate DRADeviceTaintRules, or use PacedTaintRules (sluice install --print-crds | kubectl apply --server-side -f -)',
        );
      return problem(
        subject,
        'not served',
        'enable the API group resource.k8s.io of this cluster (DynamicResourceAllocation)',
      );
    case 'RetryLater':
    case 'Refused':
      return problem(subject, served.why, 'ask again when this is fixed');
    default:
      return served satisfies never;
  }
}

/** One SelfSubjectAccessReview per verb (authorization.k8s.io/v1); every user may create those. */
async function checkAccess(cluster: ClusterToCheck): Promise<readonly Finding[]> {
  const subject = `RBAC of ${cluster.name}`;
  const asked = unionOf(...cluster.roles).flatMap(({ apiGroups: [group = ''], resources: [resource = ''], verbs }) =>
    verbs.map((verb) => ({ group, resource, verb })),
  );
  const answers = await Promise.all(
    asked.map(async (one) => ({ ...one, may: await reviewAccess(cluster.client, one) })),
  );
  const denied = answers.filter(({ may }) => may !== true);
  if (denied.length === 0) return [ok(subject, `all ${answers.length} verbs are granted`)];
  return denied.map(({ group, resource, verb, may }) => {
    const what = `${verb} ${resource}${group ? `.${group}` : ''}`;
    return problem(
      subject,
      typeof may === 'string' ? `${what}: ${may}` : `${what} is not granted`,
      'bind the roles of the chart to this user or group',
    );
  });
}

async function checkOwner({ name, client, clock, probes }: ClusterToCheck): Promise<Finding> {
  const subject = `owner of native taints in ${name}`;
  const found = probes ? await detectOwner(client, clock) : await findInTreeController(client, clock.now());
  switch (found.kind) {
    case 'NotSeen':
      return ok(subject, `no in-tree controller has left a trace${probes ? ' or answered a probe' : ''}`);
    case 'Active':
      return warning(
        subject,
        `the in-tree controller is active: ${found.evidence}`,
        'set `native: shadow` for this cluster, or switch that controller off (--controllers=-device-taint-eviction-controller)',
      );
    case 'Unknown':
      return warning(
        subject,
        `unknown: ${found.why}`,
        'set `native: shadow` until it is known; the value probesOwner=true of the chart grants the right to find out',
      );
    default:
      return found satisfies never;
  }
}
