// Takes one grant from a deployed role and gives it back.
import {
  GetRolePolicyCommand,
  type IAMClient,
  ListRolePoliciesCommand,
  ListRolesCommand,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam';

export interface Grant {
  readonly action: string;
  /** End of the resource's ARN. */
  readonly on: string;
}

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly [member: string]: unknown;
}

interface Policy {
  readonly RoleName: string;
  readonly PolicyName: string;
  readonly statements: readonly Statement[];
}

/** Roles of functions by the beginning of their name. */
export async function policiesOf(iam: IAMClient, rolePrefix: string): Promise<readonly Policy[]> {
  const { Roles = [] } = await iam.send(new ListRolesCommand({}));
  const names = Roles.map((role) => role.RoleName ?? '').filter((name) => name.startsWith(rolePrefix));
  const policies: Policy[] = [];
  for (const RoleName of names) {
    const { PolicyNames = [] } = await iam.send(new ListRolePoliciesCommand({ RoleName }));
    for (const PolicyName of PolicyNames) {
      const { PolicyDocument = '{}' } = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
      const { Statement = [] } = JSON.parse(decodeURIComponent(PolicyDocument)) as { Statement?: Statement[] };
      policies.push({ RoleName, PolicyName, statements: Statement });
    }
  }
  return policies;
}

/** Every pair of action and resource. */
export function grantsIn(policies: readonly Policy[]): readonly Grant[] {
  return policies.flatMap(({ statements }) =>
    statements.flatMap((statement) =>
      asList(statement.Action).flatMap((action) => asList(statement.Resource).map((on) => ({ action, on }))),
    ),
  );
}

/** Returns a function that gives them back. Throws if a role has none of them, because the test would show nothing. */
export async function take(
  iam: IAMClient,
  policies: readonly Policy[],
  isTaken: (grant: Grant) => boolean,
): Promise<() => Promise<void>> {
  const changed = policies.filter((policy) => grantsIn([policy]).some(isTaken));
  if (changed.length === 0) throw new Error('no role has this grant');
  for (const policy of changed)
    await put(iam, { ...policy, statements: policy.statements.flatMap((one) => without(one, isTaken)) });
  return async () => {
    for (const policy of changed) await put(iam, policy);
  };
}

function without(statement: Statement, isTaken: (grant: Grant) => boolean): readonly Statement[] {
  return asList(statement.Resource).flatMap((on) => {
    const left = asList(statement.Action).filter((action) => !isTaken({ action, on }));
    return left.length === 0 ? [] : [{ ...statement, Action: left, Resource: on }];
  });
}

async function put(iam: IAMClient, { RoleName, PolicyName, statements }: Policy): Promise<void> {
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: statements });
  await iam.send(new PutRolePolicyCommand({ RoleName, PolicyName, PolicyDocument }));
}

function asList(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}
