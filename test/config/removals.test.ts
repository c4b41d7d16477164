// Clusters, queues and tables that a deployment would remove must be allowed by name.
import { describe, expect, it } from 'vitest';
import { checkRemovals, otherAccount, type RemovalCheck } from '../../infra/removalGuard.ts';
import { cluster, clusterOf, install } from '../infra/support/installation.ts';

const two = install({ clusters: [cluster, clusterOf('st-age')] }).template;
const one = install({ clusters: [cluster] }).template;

/** A template without the resources whose type and name match. */
function without(template: unknown, pattern: RegExp): object {
  const { Resources } = template as {
    Resources: Record<string, { Type: string; Properties?: { QueueName?: string } }>;
  };
  const left = Object.entries(Resources).filter(
    ([, { Type, Properties }]) => !pattern.test(`${Type} ${Properties?.QueueName}`),
  );
  return { Resources: Object.fromEntries(left) };
}
const tableOf = (template: unknown) =>
  Object.entries((template as { Resources: Record<string, { Type: string }> }).Resources).find(([, { Type }]) =>
    Type.startsWith('AWS::DynamoDB'),
  )?.[0] ?? '';

function check(deployed: RemovalCheck['deployed'], template: unknown, allowed = '', isInstalling = false) {
  const said: string[] = [];
  try {
    checkRemovals({ stackName: 'Sluice', deployed, template, allowed, isInstalling, say: (text) => said.push(text) });
  } catch (error) {
    return `refused: ${error instanceof Error ? error.message : error}`;
  }
  return ['deployed', ...said].join(': ');
}
const change = (before: unknown, after: unknown, allowed = '') =>
  check({ kind: 'Deployed', template: before }, after, allowed);

describe('a deployment', () => {
  it('a deployment that removes nothing continues, and so does the first deployment', () => {
    expect(change(one, one)).toBe('deployed');
    expect(change(one, two)).toBe('deployed');
    expect(check({ kind: 'NotDeployed' }, one)).toBe('deployed');
  });

  it('a deployment that removes a cluster is refused until the cluster is allowed, which also allows its queues', () => {
    expect(change(two, one)).toBe(
      'refused: this removes from the deployed stack Sluice: cluster st-age. Put it back into the configuration, or pass -c allowRemoval=st-age',
    );
    expect(change(two, one, 'st-age')).toBe('deployed');
    expect(change(two, one, 'st')).toMatch(/^refused/);
  });

  it('a deployment says which names of its permission are of nothing that it removes, and continues, so that it can be repeated', () => {
    expect(change(two, one, 'prod, st-age')).toBe(
      'deployed: from the deployed stack Sluice, nothing named prod is removed: -c allowRemoval=prod has no effect',
    );
    expect(change(one, one, 'nope,st-age')).toBe(
      'deployed: from the deployed stack Sluice, nothing named nope, st-age is removed: -c allowRemoval=nope,st-age has no effect',
    );
    expect(check({ kind: 'NotDeployed' }, one, 'prdo')).toBe(
      'deployed: stack Sluice is not deployed, so nothing named prdo is removed: -c allowRemoval=prdo has no effect',
    );
    expect(change(two, one, 'st')).toMatch(/^refused: .+ or pass -c allowRemoval=st-age; nothing named st is removed$/);
    expect(change(one, one, 'UNCHECKED')).toBe('deployed');
  });

  it('a refusal of sluice upgrade names the option of sluice upgrade', () => {
    expect(check({ kind: 'Deployed', template: two }, one, '', true)).toMatch(/ or pass --allow-removal st-age$/);
    expect(check({ kind: 'Refused', why: 'no' }, one, '', true)).toMatch(/ or pass --allow-removal UNCHECKED$/);
  });

  it('a deployment that removes a queue of a stage or its dead-letter queue is refused until each is allowed', () => {
    const after = without(one, / Sluice-report/);
    expect(change(one, after)).toContain('queue Sluice-report_dead, queue Sluice-report.');
    expect(change(one, after, 'Sluice-report')).toContain('queue Sluice-report_dead. ');
    expect(change(one, after, 'Sluice-report,Sluice-report_dead')).toBe('deployed');
  });

  it('an allowed cluster does not allow the queues of a cluster that stays and whose name ends like it', () => {
    const outbound = (name: string) => ({ ...cluster, name, auth: { kind: 'outbound' as const } });
    const both = install({ clusters: [outbound('edge'), outbound('x-edge')] }).template;
    const moved = without(install({ clusters: [outbound('x-edge')] }).template, / Sluice-evict-x-edge/);
    expect(change(both, moved, 'edge')).toContain('queue Sluice-evict-x-edge');
    expect(change(both, install({ clusters: [outbound('x-edge')] }).template, 'edge')).toBe('deployed');
  });

  it('a deployment to another account than that of the credentials is refused until that is allowed, as nothing was checked', () => {
    const other = { kind: 'Refused', why: otherAccount('123456789012', '999999999999') ?? '' } as const;
    expect(check(other, one)).toMatch(
      /^refused: .*cannot be read \(the credentials are of account 123456789012, and stack.account is 999999999999\)/,
    );
    expect(otherAccount('123456789012', '123456789012')).toBeUndefined();
    expect(otherAccount('123456789012', undefined)).toBeUndefined();
  });

  describe('EKS access entries', () => {
    const entered = { ...cluster, auth: { kind: 'eks' as const, clusterName: 'eks-prod' }, accessEntry: true };
    const other = clusterOf('x', { auth: { kind: 'eks' as const, clusterName: 'eks-x' }, accessEntry: true });
    const both = install({ clusters: [entered, other] }).template;

    it.each([
      ['loses its access entries', { ...entered, accessEntry: false }],
      ['is reached in another way', { ...entered, auth: { kind: 'outbound' as const }, accessEntry: false }],
      ['is another EKS cluster', { ...entered, auth: { kind: 'eks' as const, clusterName: 'other' } }],
    ])('a deployment in which a cluster %s is refused until each access entry is allowed', (_, after) => {
      const next = install({ clusters: [after, other] }).template;
      expect(change(both, next)).toContain(
        'removes from the deployed stack Sluice: access entry eks-prod/sluice-evict, access entry eks-prod/sluice-report. ',
      );
      expect(change(both, next, 'eks-prod/sluice-evict')).toMatch(
        /stack Sluice: access entry eks-prod\/sluice-report\. /,
      );
      expect(change(both, next, 'eks-prod/sluice-evict,eks-prod/sluice-report')).toBe('deployed');
    });

    it('an allowed cluster allows its own access entries, and those of no other cluster', () => {
      expect(change(both, install({ clusters: [other] }).template)).toContain('stack Sluice: cluster prod. ');
      expect(change(both, install({ clusters: [other] }).template, cluster.name)).toBe('deployed');
      const neither = install({ clusters: [{ ...other, accessEntry: false }] }).template;
      expect(change(both, neither, cluster.name)).toContain('access entry eks-x/sluice-evict');
    });

    it('an allowed cluster does not allow the access entries that another one of the same EKS cluster uses', () => {
      const second = clusterOf('prod-2', { auth: entered.auth, accessEntry: false });
      const shared = install({ clusters: [entered, second] }).template;
      const left = install({ clusters: [{ ...entered, accessEntry: false }] }).template;
      expect(change(shared, left, 'prod-2')).toContain(
        'stack Sluice: access entry eks-prod/sluice-evict, access entry eks-prod/sluice-report. ',
      );
    });

    it('a deployment that changes nothing of access entries continues', () => {
      expect(change(both, both)).toBe('deployed');
      expect(change(both, install({ clusters: [other, entered] }).template)).toBe('deployed');
    });
  });

  it('a deployment that removes the table is refused until the table is allowed', () => {
    const after = without(one, /^AWS::DynamoDB/);
    expect(change(one, after)).toContain(`table ${tableOf(one)}`);
    expect(change(one, after, tableOf(one))).toBe('deployed');
  });

  it('a deployment without credentials continues and says that removals were not checked', () => {
    expect(check({ kind: 'NoCredentials' }, one)).toMatch(/^deployed: no AWS credentials: it was not checked/);
  });

  it('a deployment whose stack cannot be read is refused until that is allowed', () => {
    const refused = { kind: 'Refused', why: 'not authorized' } as const;
    expect(check(refused, one)).toMatch(
      /cannot be read \(not authorized\).+cloudformation:GetTemplate.+allowRemoval=UNCHECKED/,
    );
    expect(check(refused, one, 'UNCHECKED')).toBe('deployed');
  });

  it('a deployment over a stack without a readable template is refused', () => {
    expect(change({}, one)).toMatch(/^refused: a CloudFormation template cannot be read/);
  });
});
