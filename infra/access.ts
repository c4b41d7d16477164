// How the functions become a group that an EKS cluster's RBAC knows.
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * The groups that the chart binds to roles (deploy/chart/templates/functions-rbac.yaml). What report may do besides is bound only
 * where a cluster allows it.
 */
const kubernetesGroups = {
  evict: ['sluice-evict'],
  report: ['sluice-report', 'sluice-projection', 'sluice-release'],
} as const;

/** One entry per role: EKS knows no other principal. No access policy, so RBAC alone says what the group may do. */
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
