// Checks the facts of one cluster of an installation: heartbeat, and agreement of EKS with the configuration.
import { staleAfter } from '../state/liveness.ts';
import type { ClusterFacts, InstallationFacts } from './facts.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** First minor version with DynamicResourceAllocation served by default. */
export const oldestMinor = 34;

export function checkClusterFacts(cluster: ClusterFacts, { now }: InstallationFacts): readonly Finding[] {
  return [
    checkHeartbeat(cluster, now),
    ...checkRefused(cluster),
    ...checkEks(cluster),
    ...checkExecutorRole(cluster),
    ...cluster.withoutAccess.map((role) => withoutAccess(cluster, role)),
  ];
}

function checkHeartbeat({ name, heardAt }: ClusterFacts, now: number): Finding {
  const subject = `watcher of ${name}`;
  const remedy =
    'is the pod of its Deployment sluice-watcher running, and may it send to the ingest queue? Its log says why not';
  if (heardAt === undefined) return problem(subject, 'no heartbeat received yet, so nothing is evicted', remedy);
  const seconds = Math.round((now - heardAt) / 1000);
  if (now - heardAt >= staleAfter)
    return problem(subject, `its last heartbeat came ${seconds} s ago, so nothing is evicted`, remedy);
  return ok(subject, `last heartbeat ${Math.max(0, seconds)} s ago`);
}

function checkRefused({ name, refused = [] }: ClusterFacts): readonly Finding[] {
  const [first] = refused;
  if (first === undefined) return [];
  const others = refused.length > 1 ? ` and ${refused.length - 1} more` : '';
  const what = `${first}${others}: larger than 350 KB, so pods that depend on it are not evicted`;
  return [warning(`objects of ${name}`, what, 'make the object smaller: kubectl describe shows an Event on it')];
}

function checkEks({ name, endpoint, certificateAuthority, eks }: ClusterFacts): readonly Finding[] {
  if (eks === undefined) return [];
  const subject = `EKS cluster ${name}`;
  if (eks.kind === 'Missing')
    return [
      problem(
        subject,
        eks.why,
        'correct `auth.clusterName` of this cluster, or grant eks:DescribeCluster to the identity that runs the doctor',
      ),
    ];
  if (eks.value.endpoint !== endpoint)
    return [
      problem(
        subject,
        `its endpoint is ${eks.value.endpoint}, Sluice has ${endpoint}`,
        'correct `endpoint` of this cluster and deploy again',
      ),
    ];
  if (certificateAuthority !== undefined && certificateAuthority.trim() !== eks.value.certificateAuthority.trim())
    return [
      problem(
        subject,
        'its CA is not the one that Sluice has',
        'take `certificateAuthority` from aws eks describe-cluster and deploy again',
      ),
    ];
  if (Number(eks.value.version.split('.')[1]) < oldestMinor)
    return [
      problem(
        subject,
        `version ${eks.value.version} is too old: device taints need 1.${oldestMinor}`,
        'upgrade the cluster',
      ),
    ];
  return [ok(subject, `version ${eks.value.version}, endpoint and CA as configured`)];
}

function checkExecutorRole({ name, executor }: ClusterFacts): readonly Finding[] {
  if (executor === undefined) return [];
  const subject = `executor of ${name}`;
  const { role } = executor;
  if (role === undefined)
    return [
      warning(
        subject,
        'the stack names no role for it, so no process may take its messages unless the installation grants it elsewhere',
        'set `executorRoleArn` of this cluster and deploy again',
      ),
    ];
  if (role.kind === 'Missing')
    return [
      problem(
        subject,
        role.why,
        'correct `executorRoleArn` of this cluster, or grant iam:GetRole to the identity that runs the doctor',
      ),
    ];
  if (!/pods\.eks\.amazonaws\.com|AssumeRoleWithWebIdentity/.test(role.value.trust))
    return [
      problem(
        subject,
        `role ${role.value.arn} trusts neither EKS Pod Identity nor an OIDC provider, so no pod can become it`,
        'let its trust policy name pods.eks.amazonaws.com, or sts:AssumeRoleWithWebIdentity for system:serviceaccount:<namespace>:sluice-executor',
      ),
    ];
  return [ok(subject, `may become role ${role.value.arn}`)];
}

function withoutAccess({ name }: ClusterFacts, role: string): Finding {
  return problem(
    `EKS cluster ${name}`,
    `role ${role} has no access entry: its calls are answered with 401`,
    `aws eks create-access-entry --cluster-name ${name} --principal-arn ${role} --kubernetes-groups sluice`,
  );
}
