// An installation whose first deployment failed: install tries again, and no other verb takes the stack for an installation.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readAccount } from '../../lib/commands/install/account.ts';
import { isUncreated, unprotectFailed } from '../../lib/commands/install/failedStack.ts';
import { checkAccount } from '../../lib/commands/install/preflight.ts';
import { missingStack } from '../../lib/commands/install/target.ts';
import { readDeployedTemplate } from '../../lib/config/deployedTemplate.ts';
import { problem } from '../../lib/doctor/finding.ts';

let status = '';
const asked: string[] = [];
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const form = new URLSearchParams(body);
  const action = form.get('Action') ?? '';
  asked.push(`${action} ${form.get('StackName')} ${form.get('EnableTerminationProtection')}`);
  const stack = `<member><StackName>S</StackName><StackStatus>${status}</StackStatus></member>`;
  const content = { DescribeStacks: `<Stacks>${stack}</Stacks>`, GetTemplate: '<TemplateBody>{}</TemplateBody>' }[
    action
  ];
  const answer = `<${action}Result>${content ?? ''}</${action}Result>`;
  response.writeHead(200, { 'content-type': 'text/xml' }).end(`<${action}Response>${answer}</${action}Response>`);
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { AWS_ENDPOINT_URL: endpoint, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_MAX_ATTEMPTS: '1' };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

describe('a stack whose creation has not succeeded', () => {
  it.each(['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'CREATE_FAILED', 'CREATE_IN_PROGRESS', 'REVIEW_IN_PROGRESS'])(
    'a stack in state %s has no release, so that install creates it',
    async (state) => {
      status = state;
      expect(await readAccount('eu-west-1', 'S')).not.toHaveProperty('deployed');
      expect(isUncreated(state)).toBe(true);
    },
  );

  it.each(['CREATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE', 'UPDATE_IN_PROGRESS', 'DELETE_FAILED'])(
    'a stack in state %s is a deployed one',
    async (state) => {
      status = state;
      expect(await readAccount('eu-west-1', 'S')).toMatchObject({ deployed: '' });
    },
  );

  it.each([
    ['UPDATE_ROLLBACK_FAILED', /^aws cloudformation continue-update-rollback --stack-name S --region eu-west-1$/],
    ['UPDATE_IN_PROGRESS', /^wait until that has ended: .* --stack-name S /],
    ['CREATE_IN_PROGRESS', /^wait until that has ended: /],
    ['ROLLBACK_IN_PROGRESS', /^wait until that has ended: /],
    ['DELETE_FAILED', /^finish its removal: sluice uninstall$/],
  ])('a stack in state %s is a problem before anything is changed, with what to do first', async (state, remedy) => {
    status = state;
    const account = { ...(await readAccount('eu-west-1', 'S')), account: { kind: 'Found', value: '1' } } as const;
    expect(checkAccount(account, { clusters: [] })).toContainEqual(
      problem('CloudFormation', `stack S is ${state}, and cannot be deployed`, expect.stringMatching(remedy)),
    );
  });

  it.each(['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE', 'ROLLBACK_COMPLETE', 'IMPORT_COMPLETE'])(
    'a stack in state %s can be deployed',
    async (state) => {
      status = state;
      expect(await readAccount('eu-west-1', 'S')).not.toHaveProperty('blocked');
    },
  );

  it.each([
    ['ROLLBACK_COMPLETE', 'NotDeployed'],
    ['CREATE_FAILED', 'Deployed'],
    ['UPDATE_ROLLBACK_COMPLETE', 'Deployed'],
  ])('the guard of removals takes a stack in state %s as %s', async (state, kind) => {
    status = state;
    expect(await readDeployedTemplate('S', 'eu-west-1')).toMatchObject({ kind });
  });

  it('upgrade and uninstall say in which state the stack is', async () => {
    status = 'ROLLBACK_COMPLETE';
    const account = await readAccount('eu-west-1', 'S');
    expect(missingStack({ stackName: 'S', region: 'eu-west-1', account })).toBe(
      'the creation of stack S in eu-west-1 has not succeeded: it is ROLLBACK_COMPLETE',
    );
  });

  it('the protection of a stack whose creation failed is lifted, because the CDK deletes it before it tries again', async () => {
    for (const state of ['CREATE_IN_PROGRESS', 'UPDATE_ROLLBACK_COMPLETE', 'CREATE_COMPLETE', undefined])
      await unprotectFailed({ stack: 'S', region: 'eu-west-1', status: state });
    expect(asked).toEqual([]);
    await unprotectFailed({ stack: 'S', region: 'eu-west-1', status: 'ROLLBACK_COMPLETE' });
    expect(asked).toEqual(['UpdateTerminationProtection S false']);
  });
});
