// The roles that the stack makes for pods: which service accounts may assume them, and what they may do.
import { describe, expect, it } from 'vitest';
import type { ClusterProps } from '../../infra/props.ts';
import { asList, cluster, dig, type Installation, install, referred } from './support/installation.ts';

const withIdentity = (more: Partial<ClusterProps>) => install({ clusters: [{ ...cluster, ...more }] });
const podIdentity = { kind: 'podIdentity', clusterName: 'prod-eks' } as const;

const trustOf = (of: Installation, account: string) =>
  dig(of.one('AWS::IAM::Role', `/${account}/`).properties, 'AssumeRolePolicyDocument', 'Statement', 0);

/** `<action> <resource>` of all policies of that role. */
function allowed(of: Installation, account: string): readonly string[] {
  const queues = new Map(of.ofType('AWS::SQS::Queue').map((one) => [one.logicalId, one.properties.QueueName]));
  return of
    .ofType('AWS::IAM::Policy')
    .filter((one) => one.path.includes(`/${account}/`))
    .flatMap((one) => asList(dig(one.properties, 'PolicyDocument', 'Statement')))
    .flatMap((statement) =>
      asList(dig(statement, 'Action')).map(
        (action) => `${action} ${queues.get(referred(dig(statement, 'Resource'))) ?? '?'}`,
      ),
    )
    .sort();
}

describe('a role that the stack makes for the watcher', () => {
  it('the watcher’s role can be assumed through Pod Identity by its service account of its cluster, and is associated with it', () => {
    const of = withIdentity({ workloadIdentity: podIdentity });
    expect(trustOf(of, 'sluice-watcher')).toEqual({
      Effect: 'Allow',
      Action: ['sts:AssumeRole', 'sts:TagSession'],
      Principal: { Service: 'pods.eks.amazonaws.com' },
      Condition: {
        StringEquals: {
          'aws:RequestTag/eks-cluster-name': 'prod-eks',
          'aws:RequestTag/kubernetes-namespace': 'sluice',
          'aws:RequestTag/kubernetes-service-account': 'sluice-watcher',
        },
      },
    });
    const association = of.one('AWS::EKS::PodIdentityAssociation', 'sluice-watcher').properties;
    expect({ ...association, RoleArn: undefined }).toEqual({
      ClusterName: 'prod-eks',
      Namespace: 'sluice',
      ServiceAccount: 'sluice-watcher',
      RoleArn: undefined,
    });
    expect(referred(association.RoleArn)).toBe(of.one('AWS::IAM::Role', '/sluice-watcher/').logicalId);
  });

  it('the watcher’s role can be assumed through the OIDC provider by its service account alone, without an association', () => {
    const issuer = 'https://oidc.eks.eu-west-1.amazonaws.com/id/A1';
    const of = withIdentity({ workloadIdentity: { kind: 'irsa', issuer } });
    expect(dig(trustOf(of, 'sluice-watcher'), 'Action')).toBe('sts:AssumeRoleWithWebIdentity');
    expect(dig(trustOf(of, 'sluice-watcher'), 'Condition', 'StringEquals')).toEqual({
      'oidc.eks.eu-west-1.amazonaws.com/id/A1:aud': 'sts.amazonaws.com',
      'oidc.eks.eu-west-1.amazonaws.com/id/A1:sub': 'system:serviceaccount:sluice:sluice-watcher',
    });
    expect(of.ofType('AWS::EKS::PodIdentityAssociation')).toEqual([]);
  });

  it('the watcher’s role may send to the ingest queue and take from the resend queue of its cluster, and nothing else', () => {
    const of = withIdentity({ workloadIdentity: podIdentity });
    expect(allowed(of, 'sluice-watcher')).toEqual([
      'sqs:DeleteMessage Sluice-resend-prod',
      'sqs:ReceiveMessage Sluice-resend-prod',
      'sqs:SendMessage Sluice-ingest-prod',
    ]);
    expect(Object.keys(of.template.Outputs as object)).toContain('WatcherRoleArnProd');
  });

  it('pod roles are made only if the configuration asks for them, and the executor’s only in an outbound cluster', () => {
    expect(
      install()
        .ofType('AWS::IAM::Role')
        .filter((one) => one.path.includes('/sluice-')),
    ).toEqual([]);
    const outbound = withIdentity({ auth: { kind: 'outbound' }, workloadIdentity: podIdentity });
    expect(dig(trustOf(outbound, 'sluice-executor'), 'Principal')).toEqual({ Service: 'pods.eks.amazonaws.com' });
    expect(Object.keys(outbound.template.Outputs as object)).toContain('ExecutorRoleArnProd');
    expect(() =>
      withIdentity({ workloadIdentity: podIdentity, watcherRoleArn: 'arn:aws:iam::123456789012:role/mine' }),
    ).toThrow('workloadIdentity makes that role');
  });
});
