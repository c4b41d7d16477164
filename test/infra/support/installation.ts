// An installation as a template, without bundling, and the few queries that the tests need.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import type { SluiceProps } from '../../../infra/props.ts';
import { Sluice } from '../../../infra/sluice.ts';
import { SluiceStack, type SluiceStackProps } from '../../../infra/stack.ts';

export const project = fileURLToPath(new URL('../../../', import.meta.url));

type Properties = Readonly<Record<string, unknown>>;

export interface Resource {
  readonly logicalId: string;
  /** `Sluice/Sluice/Evict/Function/Resource` */
  readonly path: string;
  readonly type: string;
  readonly properties: Properties;
  /** The whole resource, with deletion policy and the like. */
  readonly whole: Properties;
}

export interface Installation {
  readonly sluice: Sluice;
  /** As it is deployed, parsed. */
  readonly template: Properties;
  ofType(type: string): readonly Resource[];
  /** The one resource of that type whose path contains `part`. */
  one(type: string, part: string): Resource;
}

export const cluster = {
  name: 'prod',
  endpoint: 'https://api.example.com',
  auth: { kind: 'eks', clusterName: 'prod-eks' },
  native: 'own',
} as const;

/** Another cluster has another API server. */
export function clusterOf<T extends object = object>(name: string, more?: T) {
  return { ...cluster, name, endpoint: `https://${name}.example.com`, ...more };
}

/** The project's own context, so that feature flags are as in a deployment. */
export function context(more: Properties = {}): Record<string, unknown> {
  const own = JSON.parse(readFileSync(path.join(project, 'cdk.json'), 'utf8')) as { context: object };
  return { ...own.context, 'aws:cdk:bundling-stacks': [], 'aws:cdk:enable-path-metadata': true, ...more };
}

/** Resources that a test imports into the stack need an account and a region. */
const env = { account: '123456789012', region: 'eu-west-1' };

export function install(props: Partial<SluiceProps> = {}): Installation {
  return installStack({ sluice: { clusters: [cluster], ...props } });
}

/** With all props of a stack. */
export function installStack(props: SluiceStackProps): Installation {
  return synthesize((app) => {
    const stack = new SluiceStack(app, 'Sluice', props);
    return { stack, sluice: stack.sluice };
  });
}

/** The construct in another stack, with props built from that stack's resources. */
export function installInto(build: (stack: Stack) => Partial<SluiceProps>): Installation {
  return synthesize((app) => {
    const stack = new Stack(app, 'Sluice', { env });
    return { stack, sluice: new Sluice(stack, 'Sluice', { clusters: [cluster], ...build(stack) }) };
  });
}

/** CDK's own validation takes seconds to load; the validation test has it, like every deployment. */
function synthesize(build: (app: App) => { stack: Stack; sluice: Sluice }): Installation {
  const outdir = mkdtempSync(path.join(tmpdir(), 'sluice-template-'));
  try {
    const app = new App({ context: context(), outdir, builtinCloudFormationValidation: false });
    const { stack, sluice } = build(app);
    return installation(sluice, app.synth().getStackByName(stack.stackName).template as Properties);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function installation(sluice: Sluice, template: Properties): Installation {
  const resources = Object.entries(template.Resources as Record<string, Properties>).map(
    ([logicalId, whole]): Resource => ({
      logicalId,
      path: String(dig(whole, 'Metadata', 'aws:cdk:path')),
      type: String(whole.Type),
      properties: (whole.Properties ?? {}) as Properties,
      whole,
    }),
  );
  const ofType = (type: string) => resources.filter((one) => one.type === type);
  return {
    sluice,
    template,
    ofType,
    one(type, part) {
      const [found, ...more] = ofType(type).filter((one) => one.path.includes(part));
      if (!found || more.length > 0) throw new Error(`${more.length + (found ? 1 : 0)} resources ${type} at ${part}`);
      return found;
    },
  };
}

/** A value deep inside, or `undefined`. */
export function dig(value: unknown, ...keys: readonly (string | number)[]): unknown {
  return keys.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);
}

/** Logical id behind `Ref` or `Fn::GetAtt`. */
export function referred(value: unknown): string {
  const joined = dig(value, 'Fn::Join', 1);
  if (Array.isArray(joined)) return joined.map((part) => (typeof part === 'string' ? part : referred(part))).join('');
  return String(dig(value, 'Ref') ?? dig(value, 'Fn::GetAtt', 0));
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** References become their logical ids, as they become names and URLs when deployed. */
export function environmentOf(one: Resource): Record<string, string> {
  const variables = dig(one.properties, 'Environment', 'Variables') as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, typeof value === 'string' ? value : referred(value)]),
  );
}
