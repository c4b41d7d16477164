// Judges what is known of one cluster of an installation: its watcher, and whether EKS agrees with the configuration.
import { staleAfter } from '../state/liveness.ts';
import type { ClusterFacts, InstallationFacts } from './facts.ts';
import { type Finding, ok, problem } from './finding.ts';

export function checkClusterFacts(cluster: ClusterFacts, { now }: InstallationFacts): readonly Finding[] {
  return [
    checkHeartbeat(cluster, now),
    ...checkEks(cluster),
    ...cluster.withoutAccess.map((role) => withoutAccess(cluster, role)),
  ];
}

function checkHeartbeat({ name, heardAt }: ClusterFacts, now: number): Finding {
  const subject = `watcher of ${name}`;
  const remedy = 'docs/runbook.md, Watcher silent: is its pod running, and may it send to the ingest queue?';
  if (heardAt === undefined) return problem(subject, 'it was never heard of, so nothing is evicted', remedy);
  const seconds = Math.round((now - heardAt) / 1000);
  if (now - heardAt >= staleAfter)
    return problem(subject, `it was last heard of ${seconds} s ago, so nothing is evicted`, remedy);
  return ok(subject, `heard of ${Math.max(0, seconds)} s ago`);
}

function checkEks({ name, endpoint, certificateAuthority, eks }: ClusterFacts): readonly Finding[] {
  if (eks === undefined) return [];
  const subject = `EKS cluster ${name}`;
  if (eks.kind === 'Missing')
    return [
      problem(
        subject,
        eks.why,
        'correct `auth.clusterName` of this cluster, or grant eks:DescribeCluster to whoever runs the doctor',
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
  return [ok(subject, `version ${eks.value.version}, endpoint and CA as configured`)];
}

function withoutAccess({ name }: ClusterFacts, role: string): Finding {
  return problem(
    `EKS cluster ${name}`,
    `role ${role} has no access entry: its calls are answered with 401`,
    `aws eks create-access-entry --cluster-name ${name} --principal-arn ${role} --kubernetes-groups sluice`,
  );
}
