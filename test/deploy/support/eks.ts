// EKS over HTTP, as far as an installation calls it: clusters, the add-on, access entries, Pod Identity, and whose a token is.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeEks {
  /** For AWS_ENDPOINT_URL_EKS, and for the emulator's CloudFormation. */
  readonly endpoint: string;
  /** What DescribeCluster answers from now on. */
  describe(cluster: { readonly endpoint: string; readonly certificateAuthority: string }): void;
  /** The account whose STS knows who signed a token. */
  trust(accountEndpoint: string): void;
  /** Headers with which a request under this authorization reaches the API server; `undefined`: 401. */
  authenticate(authorization: string): Promise<Readonly<Record<string, string | readonly string[]>> | undefined>;
  /** Role of a service account, by `namespace/name`. */
  roleOf(serviceAccount: string): string | undefined;
  /** Access entries and associations that exist. */
  entries(): readonly string[];
  stop(): Promise<void>;
}

interface Entry {
  readonly principalArn: string;
  readonly kubernetesGroups?: readonly string[];
}

interface Association {
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly roleArn: string;
}

const accountId = '000000000000';

export async function startFakeEks(name: string): Promise<FakeEks> {
  const entries = new Map<string, Entry>();
  const associations = new Map<string, Association>();
  let cluster: object | undefined;
  let account = '';
  /** By token. An API server asks its authenticator once for many requests, too. */
  const known = new Map<string, string>();
  let made = 0;

  /** A caller that STS does not identify is unknown: 401, as from an API server whose authenticator does not answer. */
  const callerOf = async (token: string): Promise<string | undefined> => {
    try {
      const { search } = new URL(Buffer.from(token, 'base64url').toString('utf8'));
      const said = await fetch(`${account}/${search}`, { headers: { 'x-k8s-aws-id': name } });
      return /<Arn>([^<]+)<\/Arn>/.exec(await said.text())?.[1];
    } catch {
      return undefined;
    }
  };
  const answer = (
    method: string,
    [, collection = '', id = '']: readonly string[],
    body: unknown,
  ): object | undefined => {
    switch (`${method} ${collection}`) {
      case 'GET ':
        return cluster && { cluster };
      case 'GET addons':
        return id === 'eks-pod-identity-agent' ? { addon: { addonName: id, status: 'ACTIVE' } } : undefined;
      case 'POST access-entries':
        entries.set((body as Entry).principalArn, body as Entry);
        return { accessEntry: body };
      case 'GET access-entries':
        return entries.has(id) ? { accessEntry: entries.get(id) } : undefined;
      case 'DELETE access-entries':
        return entries.delete(id) ? {} : undefined;
      case 'POST pod-identity-associations': {
        const associationId = `a-${++made}`;
        associations.set(associationId, body as Association);
        return { association: { ...(body as Association), associationId } };
      }
      case 'DELETE pod-identity-associations':
        return associations.delete(id) ? {} : undefined;
      default:
        return undefined;
    }
  };
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const [, ...parts] = url.split('?')[0]?.split('/').map(decodeURIComponent) ?? [];
    const [of, clusterName, ...rest] = parts;
    const body = await bodyOf(request);
    const found = of === 'clusters' && clusterName === name ? answer(method, ['', ...rest], body) : undefined;
    const missing = { message: `${method} ${url} finds nothing` };
    response.writeHead(found ? 200 : 404, {
      'content-type': 'application/json',
      ...(found ? {} : { 'x-amzn-errortype': 'ResourceNotFoundException' }),
    });
    response.end(JSON.stringify(found ?? missing));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    describe({ endpoint, certificateAuthority }) {
      cluster = {
        name,
        arn: `arn:aws:eks:us-east-1:${accountId}:cluster/${name}`,
        status: 'ACTIVE',
        version: '1.36',
        endpoint,
        certificateAuthority: { data: Buffer.from(certificateAuthority).toString('base64') },
        accessConfig: { authenticationMode: 'API' },
        identity: { oidc: { issuer: 'https://oidc.eks.us-east-1.amazonaws.com/id/A1' } },
        resourcesVpcConfig: { vpcId: 'vpc-1', subnetIds: ['subnet-1'], endpointPublicAccess: true },
      };
    },
    trust(accountEndpoint) {
      account = accountEndpoint;
    },
    async authenticate(authorization) {
      const token = /^Bearer k8s-aws-v1\.(.+)$/.exec(authorization)?.[1];
      if (token === undefined) return undefined;
      const arn = known.get(token) ?? (await callerOf(token));
      if (arn === undefined) return undefined;
      known.set(token, arn);
      // The creator of a cluster is its administrator.
      if (arn.endsWith(':root')) return impersonating('kubernetes-admin', ['system:masters']);
      const role = /assumed-role\/([^/]+)/.exec(arn)?.[1];
      const entry = [...entries.values()].find(({ principalArn }) => principalArn.endsWith(`/${role}`));
      return entry && impersonating(`aws:${role}`, entry.kubernetesGroups ?? []);
    },
    roleOf: (serviceAccount) =>
      [...associations.values()].find((one) => `${one.namespace}/${one.serviceAccount}` === serviceAccount)?.roleArn,
    entries: () => [...entries.keys(), ...associations.keys()],
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function impersonating(user: string, groups: readonly string[]): Readonly<Record<string, string | readonly string[]>> {
  return { 'impersonate-user': user, 'impersonate-group': groups };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? undefined : JSON.parse(text);
}
