// How the functions become a group that an EKS cluster's RBAC knows.
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** The group that deploy/manifests/functions-rbac.yaml binds. */
const kubernetesGroup = 'sluice';

/** One entry per role: EKS knows no other principal. No access policy, so RBAC alone says what the group may do. */
export function createAccessEntries(
  scope: Construct,
  clusterName: string,
  roles: Readonly<Record<string, IRole | undefined>>,
): void {
  for (const [name, role] of Object.entries(roles)) {
    if (!role) continue;
    new CfnAccessEntry(scope, `AccessEntry-${name}`, {
      clusterName,
      principalArn: role.roleArn,
      type: 'STANDARD',
      kubernetesGroups: [kubernetesGroup],
    });
  }
}
