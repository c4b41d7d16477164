// IAM role for a service account of the chart, assumed through EKS Pod Identity or an OIDC provider.
import { Stack } from 'aws-cdk-lib';
import { CfnPodIdentityAssociation } from 'aws-cdk-lib/aws-eks';
import { type IPrincipal, Role, ServicePrincipal, WebIdentityPrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { chartNamespace, type ServiceAccount, type WorkloadIdentity } from '../lib/outputs.ts';

/** No other service account, namespace or cluster can assume it. */
export function createPodRole(scope: Construct, serviceAccount: ServiceAccount, identity: WorkloadIdentity): Role {
  const role = new Role(scope, 'Role', {
    assumedBy: principalOf(scope, serviceAccount, identity),
    description: `Sluice ${serviceAccount}`,
  });
  if (identity.kind === 'podIdentity')
    new CfnPodIdentityAssociation(scope, 'Association', {
      clusterName: identity.clusterName,
      namespace: chartNamespace,
      serviceAccount,
      roleArn: role.roleArn,
    });
  return role;
}

/** Pod Identity identifies the caller by session tags (EKS user guide, "Enable or disable session tags"). */
function principalOf(scope: Construct, serviceAccount: ServiceAccount, identity: WorkloadIdentity): IPrincipal {
  switch (identity.kind) {
    case 'podIdentity':
      return new ServicePrincipal('pods.eks.amazonaws.com', {
        conditions: {
          StringEquals: {
            'aws:RequestTag/eks-cluster-name': identity.clusterName,
            'aws:RequestTag/kubernetes-namespace': chartNamespace,
            'aws:RequestTag/kubernetes-service-account': serviceAccount,
          },
        },
      }).withSessionTags();
    case 'irsa': {
      const provider = identity.issuer.replace(/^https:\/\//, '').replace(/\/$/, '');
      const arn = Stack.of(scope).formatArn({
        service: 'iam',
        region: '',
        resource: 'oidc-provider',
        resourceName: provider,
      });
      return new WebIdentityPrincipal(arn, {
        StringEquals: {
          [`${provider}:aud`]: 'sts.amazonaws.com',
          [`${provider}:sub`]: `system:serviceaccount:${chartNamespace}:${serviceAccount}`,
        },
      });
    }
    default:
      return identity satisfies never;
  }
}
