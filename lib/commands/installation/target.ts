// Which installation a verb acts on: given by options, environment, `sluice config use` or sluice.yaml.

import { configName, findConfig } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { defaultStackName } from '../../outputs.ts';
import type { Call } from '../definition.ts';
import { UsageFailure } from '../failure.ts';
import { textFlag } from '../flags.ts';
import { type Io, line } from '../io.ts';
import { currentTarget, type Target } from './remembered.ts';

export type Asking = Pick<Call, 'flags' | 'io'>;

type Installation = Pick<Target, 'stack' | 'table'>;

/**
 * Options (including `--config`) take precedence over the environment, and that over what is remembered. Stack and table are of the
 * first place that names either: those of two places would be two installations. The region that is remembered with a stack belongs to
 * it, whatever AWS_REGION is.
 */
export function targetOf(call: Asking): Target {
  const { flags, io } = call;
  const kept = currentTarget(io.env);
  const inFile = textFlag(flags, 'config') === undefined ? {} : stackOfFile(call);
  const table = textFlag(flags, 'table');
  const stack = textFlag(flags, 'stack') ?? (table === undefined ? inFile.stack : undefined);
  const inEnvironment = { stack: io.env.SLUICE_STACK || undefined, table: io.env.SLUICE_TABLE || undefined };
  const given: Installation | undefined = [{ stack, table }, inEnvironment].find(isNamed);
  const saved = given === undefined ? savedTarget(call, kept) : {};
  const found: Record<keyof Target, string | undefined> = {
    stack: (given ?? saved).stack,
    region: textFlag(flags, 'region') ?? inFile.region ?? saved.region ?? (regionOf(io.env) || kept.region),
    table: (given ?? saved).table,
    cluster: textFlag(flags, 'cluster') ?? (io.env.SLUICE_CLUSTER || kept.cluster),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as Target;
}

/** Where something is remembered, the file of SLUICE_CONFIG takes its place; it is not read for an installation that is given. */
function savedTarget(call: Asking, kept: Target): Target {
  if (!isNamed(kept)) return {};
  return call.io.env.SLUICE_CONFIG ? stackOfFile(call) : kept;
}

function isNamed({ stack, table }: Installation): boolean {
  return (stack ?? table) !== undefined;
}

function regionOf({ AWS_REGION, AWS_DEFAULT_REGION }: Io['env']): string | undefined {
  return AWS_REGION ?? AWS_DEFAULT_REGION;
}

/** For a stack that `sluice.yaml` names without a region: that of another, remembered stack comes last. */
export function regionApart({ flags, io }: Asking): string | undefined {
  return textFlag(flags, 'region') ?? (regionOf(io.env) || currentTarget(io.env).region);
}

/** For verbs that need an installation: like `targetOf`, with sluice.yaml as the last resort. */
export function configuredTarget(call: Asking): Target {
  const target = targetOf(call);
  if (isNamed(target)) return target;
  const region = textFlag(call.flags, 'region');
  return { ...target, ...stackOfFile(call), ...(region === undefined ? {} : { region }) };
}

/**
 * A line on stderr if a remembered stack is used in a folder whose sluice.yaml has another one: either may be meant. Nothing if that
 * file cannot be read, because it is not used.
 */
export function tellOtherStack({ flags, io }: Asking, { stack }: Target): void {
  if (stack === undefined || isInstallationNamed({ flags, io }) || stack !== currentTarget(io.env).stack) return;
  if (io.env.SLUICE_STACK || io.env.SLUICE_CONFIG) return;
  const other = stackOfOwnFile({ flags, io });
  if (other === undefined || other === stack) return;
  line(
    io.err,
    `using stack ${stack} of sluice config use, not ${other} of ${configName}; for that add --config ${configName}`,
  );
}

function stackOfOwnFile(call: Asking): string | undefined {
  try {
    return stackOfFile(call).stack;
  } catch {
    return undefined;
  }
}

function configOf({ flags, io }: Asking): Config | undefined {
  return findConfig({ file: textFlag(flags, 'config'), environment: io.env, folder: process.cwd() })?.config;
}

/** Clusters of the file that `--config` or SLUICE_CONFIG names; ./sluice.yaml may be of another installation than the table. */
export function clustersOfFile({
  file,
  io,
}: {
  readonly file: string | undefined;
  readonly io: Pick<Io, 'env'>;
}): readonly string[] | undefined {
  if (!file && !io.env.SLUICE_CONFIG) return undefined;
  const found = findConfig({ file, environment: io.env, folder: process.cwd() });
  return found?.config.clusters.map(({ name }) => name).sort();
}

function stackOfFile(call: Asking): Pick<Target, 'stack' | 'region'> {
  const found = configOf(call);
  const { name, region } = found?.stack ?? {};
  return found ? { stack: name ?? defaultStackName, ...(region === undefined ? {} : { region }) } : {};
}

/** AWS account required by sluice.yaml. */
export function configuredAccount(call: Asking): string | undefined {
  return configOf(call)?.stack?.account;
}

/** Whether options, environment, memory or sluice.yaml name an installation; some verbs need only a kubeconfig. */
export function hasInstallation(call: Asking): boolean {
  return isNamed(configuredTarget(call));
}

/**
 * For verbs that read the installation where there is one. With a cluster that can be asked, sluice.yaml is not a reason to need AWS.
 * Throws for a `--cluster` without an installation: the answer would be about the cluster of the kubeconfig, whatever name was written.
 */
export function readsInstallation(call: Asking, { hasCluster }: { readonly hasCluster: boolean }): boolean {
  const cluster = textFlag(call.flags, 'cluster');
  if (hasCluster && cluster === undefined) return isNamed(targetOf(call));
  if (hasInstallation(call)) return true;
  if (cluster === undefined) return false;
  throw new UsageFailure(
    `--cluster ${cluster} is a cluster of an installation, and no installation is given`,
    'specify --stack NAME or --table NAME, or omit --cluster',
  );
}

/** Whether the command line itself names the installation. */
export function isInstallationNamed({ flags }: Asking): boolean {
  return ['table', 'stack', 'config'].some((name) => textFlag(flags, name) !== undefined);
}
