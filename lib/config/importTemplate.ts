// Makes sluice.yaml from the template of a deployed stack, so that the file can manage that stack.
import { maxReceiveCount, environmentNames as names, type Stage, stageLimits, stages } from '../contract.ts';
import { at } from './at.ts';
import { importAlarms } from './importAlarms.ts';
import { importClusters } from './importClusters.ts';
import { readTemplate, referredId, type Template, type TemplateResource, textOr, textsIn } from './template.ts';
import { type Functions, functionsOf, jsonIn, variableOf } from './templateFunctions.ts';

export interface Imported {
  /** Not validated: the stack may have been changed by hand. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Values that could not be imported, and where to find them. */
  readonly notes: readonly string[];
}

type Values = Record<string, unknown>;

/** Not in any template. */
export const notInTemplate = ['stack.account', 'removal.terminationProtection', 'tags'] as const;

const withoutVpc = 'The id of the VPC is not in the template: add network.vpc.';

/** Throws if it is not a template of Sluice. */
export function configFromTemplate(
  value: unknown,
  stack: { readonly name: string; readonly region?: string },
): Imported {
  const template = readTemplate(value);
  const functions = functionsOf(template);
  if (!functions.evict)
    throw new Error(`the stack ${stack.name} is not one of Sluice: it has no function "Sluice evict"`);
  const network = networkOf(template, functions.evict);
  const { clusters, notes } = importClusters(template, functions, stack.name);
  const values: Values = {
    stack: {
      name: stack.name,
      ...(stack.region === undefined ? {} : { region: stack.region }),
      // Only the roles of `cdk bootstrap` have a version.
      ...(template.parameters.includes('BootstrapVersion') ? {} : { credentials: 'cli' }),
    },
    clusters,
    settings: jsonIn(functions.evict, names.settings),
    network,
    alarms: importAlarms(template),
    encryption: encryptionOf(template),
    retention: retentionOf(template, functions.evict),
    removal: removalOf(template),
    limits: limitsOf(template, functions),
    logLevel: unless('INFO', variableOf(functions.evict, names.logLevel)),
    emulator: emulatorOf(template),
  };
  return { values: compact(values), notes: [...notes, ...(network && !network.vpc ? [withoutVpc] : [])] };
}

/** Leaves out security groups created by the stack, which show the VPC: the stack creates them again. */
function networkOf({ resources }: Template, { properties }: TemplateResource): Values | undefined {
  const subnets = textsIn(at(properties, 'VpcConfig', 'SubnetIds'));
  if (subnets.length === 0) return undefined;
  const securityGroups = textsIn(at(properties, 'VpcConfig', 'SecurityGroupIds'));
  const made = resources.find(({ type }) => type === 'AWS::EC2::SecurityGroup');
  const vpc = textOr(made?.properties.VpcId, undefined);
  return {
    ...(vpc === undefined ? {} : { vpc }),
    subnets,
    ...(securityGroups.length > 0 ? { securityGroups } : {}),
  };
}

/** What emulators need shows in the policies of queues and roles. */
function emulatorOf({ resources }: Template): Values {
  const has = (text: string) => resources.some(({ properties }) => JSON.stringify(properties).includes(text));
  return {
    plainHttp: has('"aws:SecureTransport"') ? undefined : true,
    batchActions: has('"sqs:SendMessageBatch"') || undefined,
  };
}

function tableOf({ resources }: Template): TemplateResource | undefined {
  return resources.find(({ type }) => /^AWS::DynamoDB::(Global)?Table$/.test(type));
}

function encryptionOf(template: Template): Values {
  return {
    keyArn: textOr(at(tableOf(template)?.properties, 'Replicas', 0, 'SSESpecification', 'KMSMasterKeyId'), undefined),
  };
}

function retentionOf({ resources }: Template, evict: TemplateResource): Values {
  const group = resources.find(({ type }) => type === 'AWS::Logs::LogGroup');
  const days = group?.properties.RetentionInDays;
  const records = Number(variableOf(evict, names.recordDays));
  return {
    logs: group && days === undefined ? 'forever' : unless(14, days),
    records: Number.isNaN(records) ? undefined : records,
  };
}

function removalOf(template: Template): Values {
  const table = tableOf(template);
  const destroys = table?.deletionPolicy === 'Delete';
  const isProtected = at(table?.properties, 'Replicas', 0, 'DeletionProtectionEnabled');
  return {
    policy: destroys ? 'destroy' : undefined,
    deletionProtection: isProtected === !destroys || typeof isProtected !== 'boolean' ? undefined : isProtected,
  };
}

function limitsOf(template: Template, functions: Functions): Values {
  const queue = queueOf(template, functions.report);
  const perStage = stages.map((stage) => [stage, limitsOfStage(template, functions[stage], stage)] as const);
  // Unless set for all queues, each has six times the timeout of its own function.
  const isOwn = stages.some((stage) => {
    const timeout = at(functions[stage]?.properties, 'Timeout');
    return typeof timeout === 'number' && visibilityOf(template, functions[stage]) !== 6 * timeout;
  });
  return {
    ...Object.fromEntries(perStage),
    visibilityTimeout: isOwn ? visibilityOf(template, functions.report) : undefined,
    maxReceiveCount: unless(maxReceiveCount, at(queue?.properties, 'RedrivePolicy', 'maxReceiveCount')),
  };
}

function limitsOfStage(template: Template, of: TemplateResource | undefined, stage: Stage): Values {
  const mapping = mappingOf(template, of);
  const defaults = stageLimits[stage];
  return {
    timeout: unless(defaults.timeout, at(of?.properties, 'Timeout')),
    memoryMiB: unless(defaults.memoryMiB, at(of?.properties, 'MemorySize')),
    batchSize: unless(defaults.batchSize, at(mapping?.properties, 'BatchSize')),
    maxConcurrency: unless(defaults.maxConcurrency, at(mapping?.properties, 'ScalingConfig', 'MaximumConcurrency')),
  };
}

function mappingOf({ resources }: Template, of: TemplateResource | undefined): TemplateResource | undefined {
  const mappings = resources.filter(({ type }) => type === 'AWS::Lambda::EventSourceMapping');
  return mappings.find(({ properties }) => of !== undefined && referredId(properties.FunctionName) === of.id);
}

function visibilityOf(template: Template, of: TemplateResource | undefined): unknown {
  return at(queueOf(template, of)?.properties, 'VisibilityTimeout');
}

function queueOf(template: Template, of: TemplateResource | undefined): TemplateResource | undefined {
  const id = referredId(mappingOf(template, of)?.properties.EventSourceArn);
  return template.resources.find((one) => one.id === id);
}

const unless = (usual: unknown, value: unknown) => (value === usual ? undefined : value);

/** Removes undefined and empty values. */
function compact(values: Values): Values {
  const entries = Object.entries(values).map(([key, value]) => {
    const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
    return [key, isMapping ? compact(value as Values) : value] as const;
  });
  return Object.fromEntries(
    entries.filter(([, value]) => value !== undefined && !(isObject(value) && Object.keys(value).length === 0)),
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
