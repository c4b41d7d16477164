// What can be chosen on the command line: `cdk deploy -c name=value`, or the same names under `context` in cdk.json.
import {
  type App,
  CliCredentialsStackSynthesizer,
  type IStackSynthesizer,
  RemovalPolicy,
  type StackProps,
} from 'aws-cdk-lib';
import type { ClusterProps, SluiceProps } from './props.ts';

/** `node` of the app. */
type Context = Pick<App['node'], 'tryGetContext'>;

/** Stands in until `-c clusters='[…]'` names real ones, so that synthesis needs nothing. */
const exampleCluster: ClusterProps = {
  name: 'local',
  endpoint: 'https://127.0.0.2:6443',
  auth: { kind: 'eks', clusterName: 'local' },
  native: 'own',
};

/**
 * - `clusters`: JSON list of ClusterProps (infra/props.ts)
 * - `destroy`: the table goes with the stack
 * - `limits`: JSON object of stages, as SluiceProps.limits: `{"evict":{"maxConcurrency":10}}`
 * - `logLevel`, `runbookUrl`, `visibilityTimeout`, `maxReceiveCount`: as in SluiceProps
 * - `nossl`: queues accept plain HTTP, for emulators without TLS
 * - `emulator`: grants for emulators that enforce IAM
 *
 * Throws where a value cannot be read.
 */
export function sluicePropsFrom(node: Context): SluiceProps {
  return {
    clusters: readClusters(node.tryGetContext('clusters')),
    enforceSSL: !isSet(node, 'nossl'),
    ...(isSet(node, 'emulator') ? { emulator: true } : {}),
    ...(isSet(node, 'destroy') ? { removalPolicy: RemovalPolicy.DESTROY } : {}),
    ...readText(node, 'logLevel'),
    ...readText(node, 'runbookUrl'),
    ...readNumber(node, 'visibilityTimeout'),
    ...readNumber(node, 'maxReceiveCount'),
    ...readLimits(node.tryGetContext('limits')),
  };
}

/** Names of stages and limits are checked with all other properties. */
function readLimits(value: unknown): Pick<SluiceProps, 'limits'> {
  if (value === undefined) return {};
  const limits = typeof value === 'string' ? parseJson('limits', value) : value;
  const isObject = (one: unknown) => typeof one === 'object' && one !== null && !Array.isArray(one);
  if (!isObject(limits) || !Object.values(limits as object).every(isObject))
    throw new Error('context limits: it must be a JSON object of stages, such as {"evict":{"maxConcurrency":10}}');
  return { limits: limits as NonNullable<SluiceProps['limits']> };
}

/** `clicreds`: deploys with the credentials of the command line instead of the roles that `cdk bootstrap` makes. */
export function stackPropsFrom(node: Context): StackProps {
  return {
    description: 'Sluice: paced eviction of pods from tainted devices',
    tags: { application: 'sluice' },
    ...(isSet(node, 'clicreds') ? { synthesizer: new CliCredentialsStackSynthesizer() as IStackSynthesizer } : {}),
  };
}

function isSet(node: Context, name: string): boolean {
  const value: unknown = node.tryGetContext(name);
  if (value === undefined || ['0', 'false', false, ''].some((one) => one === value)) return false;
  if (['1', 'true', true].some((one) => one === value)) return true;
  throw new Error(`context ${name}: "${value}" must be 1 or 0`);
}

function readText<Name extends 'logLevel' | 'runbookUrl'>(node: Context, name: Name): Pick<SluiceProps, Name> {
  const value: unknown = node.tryGetContext(name);
  return (value === undefined ? {} : { [name]: String(value) }) as Pick<SluiceProps, Name>;
}

function readNumber(node: Context, name: 'visibilityTimeout' | 'maxReceiveCount'): Partial<SluiceProps> {
  const value: unknown = node.tryGetContext(name);
  return value === undefined ? {} : { [name]: Number(value) };
}

function readClusters(value: unknown): readonly ClusterProps[] {
  if (value === undefined) return [exampleCluster];
  const clusters = typeof value === 'string' ? parseJson('clusters', value) : value;
  if (!Array.isArray(clusters) || clusters.some((one) => typeof one?.name !== 'string'))
    throw new Error('context clusters: it must be a JSON list of objects with name, endpoint, auth and native');
  return clusters.map((one): ClusterProps => ({ native: 'own', ...one }));
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`context ${name}: it is not JSON (${error instanceof Error ? error.message : error})`);
  }
}
