// Schema of one cluster of an installation.
import { isIPv4 } from 'node:net';
import { z } from 'zod';
import { must, optional, optionalElse, rate } from './schemaParts.ts';

const modeOf = z.enum(['own', 'shadow', 'off']);
const role = z
  .string()
  .regex(
    /^arn:aws[a-z-]*:iam::\d{12}:role\/.+$/,
    must('be the ARN of an IAM role, such as arn:aws:iam::123456789012:role/sluice'),
  );

export const authSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('eks').describe('a token is signed for this EKS cluster from the function’s role'),
      clusterName: z.string().min(1).describe('name of the EKS cluster'),
    }),
    z.strictObject({
      kind: z.literal('file').describe('credentials of a JSON file; for tests and emulated accounts'),
      path: z.string().min(1).describe('path of the file, as the functions see it'),
    }),
    z.strictObject({
      kind: z.literal('outbound').describe('no function calls the API server: the executor in the cluster does'),
    }),
  ])
  .describe('how Sluice authenticates to the API server');

export const workloadIdentitySchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('podIdentity').describe('EKS Pod Identity; the cluster needs the add-on eks-pod-identity-agent'),
      clusterName: z.string().min(1).describe('name of the EKS cluster'),
    }),
    z.strictObject({
      kind: z.literal('irsa').describe('a web identity; the account needs an OIDC provider for the issuer'),
      issuer: z
        .string()
        .regex(/^https:\/\/[^?#\s]+$/, must('be the OIDC issuer of the cluster, https://…'))
        .describe('OIDC issuer of the cluster'),
    }),
  ])
  .describe(
    'the stack makes the IAM roles of watcher and executor, for their service accounts in the namespace `sluice` alone',
  );

const label = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
const hostName = new RegExp(`^${label}(\\.${label})*\\.?$`, 'i');

/** Stricter than a URL, in which `https://1.2.3`, `https://a..b` and port 0 are right. */
function isAddress(text: string): boolean {
  const [, host = '', port] = /^https:\/\/(\[[^\]]*\]|[^:/]*)(?::(\d*))?\/?$/.exec(text) ?? [];
  if (port !== undefined && !(Number(port) > 0)) return false;
  if (host.startsWith('[')) return true;
  const isNumber = /^\d+$/.test(host.split('.').at(-1) ?? '');
  return isNumber ? isIPv4(host) : hostName.test(host);
}

export const endpointSchema = z
  .string()
  .regex(/^https:\/\/[^/?#\s@]+\/?$/, must('be https://HOST[:PORT]'))
  .refine((text) => URL.canParse(text) && isAddress(text), must('be https://HOST[:PORT]'));

export const clusterShape = {
  name: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/, must('have lower-case letters, digits and dashes only, at most 40'))
    .regex(/^(?!.*-ingest-)/, must('not contain -ingest-, by which the names of queues are told apart'))
    .describe('name of the cluster in Sluice; part of queue names, of the rows in the table and of the metrics'),
  endpoint: endpointSchema.describe('address of the API server'),
  certificateAuthority: optionalElse(
    z.string(),
    'PEM certificates that sign the API server’s certificate; a bundle may have several',
    'those of the operating system',
  ),
  auth: authSchema,
  native: optional(
    modeOf,
    'who acts on DeviceTaintRules and taints in ResourceSlices: `own` evicts, `shadow` only compares, `off` does neither',
    'own',
  ),
  paced: optional(modeOf, 'the same for PacedTaintRules and DeviceTaintSlices', 'own'),
  inTree: optional(
    z.enum(['heed', 'ignore']),
    '`heed`: while the in-tree controller is seen to evict, `native: own` acts as `shadow`; `ignore`: it does not',
    'heed',
  ),
  maxEvictionsPerSecond: optionalElse(
    rate,
    'limit over all rules of the cluster together; 0 stops all evictions',
    'no limit',
  ),
  watcherRoleArn: optionalElse(
    role,
    'IAM role of the watcher; it may send to the queue of this cluster',
    'nothing is granted: attach a policy to the role yourself',
  ),
  executorRoleArn: optionalElse(
    role,
    'IAM role of the executor, for `auth.kind: outbound`; of the account of the stack',
    'nothing is granted',
  ),
  workloadIdentity: workloadIdentitySchema.optional(),
  accessEntry: optional(
    z.boolean(),
    'makes EKS access entries that put the functions’ roles into the Kubernetes groups of the chart; for `auth.kind: eks`',
    false,
  ),
} as const;

/** For the construct: endpoint and authority are required. */
export const connectedClusterSchema = z.strictObject(clusterShape);

/** For sluice.yaml: endpoint and authority of EKS clusters may be absent, because the EKS API returns them. */
export const clusterSchema = z.strictObject({
  ...clusterShape,
  endpoint: optionalElse(
    endpointSchema,
    'address of the API server',
    'for `auth.kind: eks`, read from EKS at synthesis',
  ),
  certificateAuthority: optionalElse(
    z.string(),
    'PEM certificates that sign the API server’s certificate; a bundle may have several',
    'where `endpoint` is read from EKS, its authority is too; else those of the operating system',
  ),
});
