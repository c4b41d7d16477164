// EKS access entries that map the functions' roles to Kubernetes groups.
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * Groups that the chart binds to roles (deploy/chart/templates/functions-rbac.yaml). Additional rights of report are bound only
 * if the cluster's chart values allow them.
 */
const kubernetesGroups = {
  evict: ['sluice-evict'],
  report: ['sluice-report', 'sluice-projection', 'sluice-release'],
} as const;

/** One entry per role, the principal type of EKS. No access policy, so that only RBAC grants rights to the group. */
export function createAccessEntries(
  scope: Construct,
  clusterName: string,
  roles: Readonly<Record<keyof typeof kubernetesGroups, IRole | undefined>>,
): void {
  for (const name of ['evict', 'report'] as const) {
    const role = roles[name];
    if (!role) continue;
    new CfnAccessEntry(scope, `AccessEntry-${name}`, {
      clusterName,
      principalArn: role.roleArn,
      type: 'STANDARD',
      kubernetesGroups: [...kubernetesGroups[name]],
    });
  }
}
