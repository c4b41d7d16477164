// `config import`: makes sluice.yaml from an old cdk.json or from the template of a deployed stack.
import { configFromContext, isRecord } from './contextKeys.ts';
import { configFromTemplate, notInTemplate } from './importTemplate.ts';
import { formatProblem, validateConfig } from './read.ts';
import { formatConfig } from './write.ts';

export type ImportSource =
  /** `text`: content of a cdk.json. */
  | { readonly kind: 'CdkJson'; readonly text: string }
  /** `template`: parsed response of CloudFormation's GetTemplate. */
  | { readonly kind: 'Template'; readonly template: unknown; readonly stackName: string; readonly region?: string };

export interface ImportedConfig {
  /** Content of sluice.yaml, with comments about values to complete. */
  readonly text: string;
  /** What the user must complete before the file is valid. */
  readonly open: readonly string[];
  /** What the source cannot show. */
  readonly unseen: readonly string[];
}

const notShown = `A template does not show ${notInTemplate.join(', ')}, nor network.vpc beside security groups: add those that you set.`;

/** Throws if the source contains no configuration of Sluice. */
export function importConfig(source: ImportSource): ImportedConfig {
  const { values, notes } = source.kind === 'CdkJson' ? fromCdkJson(source.text) : fromTemplate(source);
  const read = validateConfig(formatConfig(values));
  const open =
    read.kind === 'Valid' ? [] : read.problems.map((one) => formatProblem('', one).replace(/^:\d+:\d+: /, ''));
  return {
    text: formatConfig(values, [
      ...(source.kind === 'Template' ? ['From the deployed stack.', notShown] : []),
      ...notes,
      ...open.map((one) => `To complete: ${one}`),
    ]),
    open: [...notes, ...open],
    unseen: source.kind === 'Template' ? [notShown] : [],
  };
}

function fromTemplate({ template, stackName, region }: Extract<ImportSource, { kind: 'Template' }>) {
  return configFromTemplate(template, { name: stackName, ...(region === undefined ? {} : { region }) });
}

function fromCdkJson(text: string) {
  const context = contextIn(text);
  const values = configFromContext(context);
  if (Object.keys(values).length === 0)
    throw new Error('this cdk.json sets no context key of Sluice: there is nothing to import');
  return { values, notes: [] };
}

function contextIn(text: string): Readonly<Record<string, unknown>> {
  const content = jsonOf(text);
  if (!isRecord(content)) throw new Error('this cdk.json is not a JSON object');
  const { context = {} } = content;
  if (!isRecord(context)) throw new Error('context of this cdk.json is not a JSON object');
  return context;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`this cdk.json is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}
