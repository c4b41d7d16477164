// Installation that `install`, `upgrade` and `uninstall` act on: from sluice.yaml, or from a draft of a first one.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { configName, findConfig, type LoadedConfig, locateConfig } from '../../config/load.ts';
import { readConfig } from '../../config/read.ts';
import type { Config } from '../../config/schema.ts';
import { formatConfig } from '../../config/write.ts';
import { login } from '../../doctor/awsRemedy.ts';
import { defaultStackName } from '../../outputs.ts';
import type { Call } from '../definition.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { textFlag } from '../flags.ts';
import { remedyIn } from '../installation/regionHelp.ts';
import { regionApart } from '../installation/target.ts';
import { type AccountFacts, type EksFacts, readAccount, readEks } from './account.ts';

type Asking = Pick<Call, 'flags' | 'io'>;

export interface Target {
  /** Absolute path of sluice.yaml. */
  readonly file: string;
  readonly config: Config;
  readonly stackName: string;
  readonly region: string;
  readonly account: AccountFacts;
  /** Content for a new sluice.yaml, which `writeDraft` writes; absent if the file exists. */
  readonly draft?: string;
}

/** Reads the AWS account and EKS; writes nothing. `isFirst`: a first installation may be described by options alone. */
export async function readTarget(call: Asking, { isFirst }: { readonly isFirst: boolean }): Promise<Target> {
  const place = { file: textFlag(call.flags, 'config'), environment: call.io.env, folder: process.cwd() };
  const found = findConfig(place);
  const eksName = textFlag(call.flags, 'eksCluster');
  if (found) {
    refuseOtherNames(call, found);
    const { name: stackName = defaultStackName, region = requireRegion(call) } = found.config.stack ?? {};
    const file = locateConfig(place) ?? found.file;
    return { file, config: found.config, stackName, region, account: await readAccount(region, stackName) };
  }
  if (eksName === undefined) throw noConfig(isFirst);
  const region = requireRegion(call);
  const stackName = textFlag(call.flags, 'stack') ?? defaultStackName;
  const [account, eks] = await Promise.all([readAccount(region, stackName), readEks(region, eksName)]);
  if (account.account.kind === 'Missing')
    throw new Failure(
      `AWS did not confirm the credentials: ${account.account.why}`,
      remedyIn(region, account.account.why) ?? login,
    );
  if (eks.kind === 'Missing')
    throw new Failure(`EKS cluster ${eksName} in ${region} cannot be read: ${eks.why}`, 'see: aws eks list-clusters');
  const cluster = { name: textFlag(call.flags, 'cluster') ?? eksName, eksName };
  const draft = firstConfig(cluster, { name: stackName, account: account.account.value, region }, eks.value);
  const file = path.join(process.cwd(), configName);
  return { file, config: readConfig(draft, configName), stackName, region, account, draft };
}

function requireRegion(call: Asking): string {
  const region = regionApart(call);
  if (region !== undefined) return region;
  throw new UsageFailure('no AWS region is set', 'specify --region NAME or set AWS_REGION');
}

function noConfig(isFirst: boolean): UsageFailure {
  return new UsageFailure(
    `there is no ${configName} in this folder`,
    isFirst
      ? 'to create it, specify an EKS cluster: --eks-cluster NAME'
      : 'specify it: --config FILE; or write it from the stack: sluice config import',
  );
}

export function missingStack({ stackName, region, account }: Pick<Target, 'stackName' | 'region' | 'account'>): string {
  return account.uncreated === undefined
    ? `there is no stack ${stackName} in ${region}`
    : `the creation of stack ${stackName} in ${region} has not succeeded: it is ${account.uncreated}`;
}

/** Call options that name exactly this installation, whatever `sluice config use` remembers. */
export function asTarget({ flags, io }: Asking, { stackName, region }: Target): Asking {
  const kept = ['account', 'config'].flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]]));
  return { io, flags: { stack: stackName, region, ...Object.fromEntries(kept) } };
}

/** Refuses options that contradict sluice.yaml; equal ones are allowed, so that an interrupted command can be repeated. */
export function refuseOtherNames({ flags }: Pick<Call, 'flags'>, { file, config }: LoadedConfig): void {
  const { name = defaultStackName, region } = config.stack ?? {};
  for (const [option, said] of Object.entries({ stack: name, region })) {
    const asked = textFlag(flags, option);
    if (asked !== undefined && said !== undefined && asked !== said)
      throw new UsageFailure(
        `${file} has ${option} ${said}, but the command line has --${option} ${asked}`,
        `change ${file}, or omit --${option}`,
      );
  }
  const [eksName, cluster] = [textFlag(flags, 'eksCluster'), textFlag(flags, 'cluster')];
  const isNamed = config.clusters.some(
    (one) =>
      (eksName === undefined || (one.auth.kind === 'eks' && one.auth.clusterName === eksName)) &&
      (cluster === undefined || one.name === cluster),
  );
  if (isNamed) return;
  const hasEks = config.clusters.some(({ auth }) => auth.kind === 'eks' && auth.clusterName === eksName);
  const [option, asked] = eksName === undefined || hasEks ? ['--cluster', cluster] : ['--eks-cluster', eksName];
  throw new UsageFailure(
    `${file} already lists the clusters, without ${asked}`,
    `omit ${option}, or add ${asked} to the file`,
  );
}

/** Minimal sluice.yaml for an EKS cluster. */
export function firstConfig(
  { name, eksName }: { readonly name: string; readonly eksName: string },
  stack: { readonly name: string; readonly account: string; readonly region: string },
  eks: EksFacts,
): string {
  const identity =
    eks.hasPodIdentity || !eks.hasOidcProvider
      ? { kind: 'podIdentity', clusterName: eksName }
      : { kind: 'irsa', issuer: eks.issuer };
  const cluster = { name, auth: { kind: 'eks', clusterName: eksName }, workloadIdentity: identity, accessEntry: true };
  const network = eks.hasPublicEndpoint ? {} : { network: { vpc: eks.vpc, subnets: [...eks.subnets] } };
  return formatConfig({ stack, clusters: [cluster], ...network }, ['Every key with its default: sluice config view']);
}

export function writeDraft({ file, draft }: Target): boolean {
  if (draft === undefined) return false;
  writeFileSync(file, draft, { flag: 'wx' });
  return true;
}
