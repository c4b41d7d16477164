// Rows of `sluice pauses` for EvictionStops, rules, policies and namespaces; pure.
import { writerOf } from '../../adapters/kubernetes/author.ts';
import { type Json, objectOf, textOf } from '../../adapters/kubernetes/read.ts';
import { pausedAnnotation, pausePrefix } from '../../decide/pauses.ts';
import { managerText, parseNote } from '../../model/note.ts';
import { formatInstant } from '../../model/time.ts';
import { nameOf } from '../cluster/objects.ts';
import { annotationsOf } from '../get/policies.ts';
import { pausedField } from './annotatedPause.ts';
import { noteAnnotation } from './clusterPause.ts';

export interface PauseRow {
  readonly what: string;
  /** The paused or pausing object as kubectl names it, `pacedtaintrule.sluice.dev/a`; from the state table, `cluster/prod/…` or `cluster/*`. */
  readonly object: string;
  readonly name: string;
  readonly by?: string;
  readonly since?: string;
  readonly why: string;
}

/** One for each pause, without spaces: the object, and the name of the pause if the object can have several. */
export function pauseId({ object, name }: PauseRow): string {
  return /(^|\/)evictionstop\.sluice\.dev(\/|$)/.test(object) ? object : `${object}:${name}`;
}

/** Takes full API objects. */
export function pauseRows(of: {
  readonly stops: readonly Json[];
  readonly rules: readonly Json[];
  readonly policies: readonly Json[];
  readonly namespaces: readonly Json[];
  readonly context: string;
}): readonly PauseRow[] {
  const { stops, rules, policies, namespaces, context } = of;
  return [
    ...stops.map((one) => stopRow(one, context)),
    ...[...rules, ...policies, ...namespaces].flatMap((one) => annotatedRows(one, `${one.kind} ${nameOf(one)}`)),
  ];
}

export function stopRow(stop: Json, context: string): PauseRow {
  const text = annotationsOf(stop)[noteAnnotation] ?? textOf(objectOf(stop.spec).reason) ?? '';
  const since = textOf(objectOf(stop.metadata).creationTimestamp);
  const row = rowOf(stop, `cluster of context ${context}`, {
    object: `evictionstop.sluice.dev/${nameOf(stop)}`,
    name: nameOf(stop),
    text,
    // An object without a spec has no field of it that anyone wrote.
    path: writerOf(stop, ['spec']) ? ['spec'] : [],
  });
  return since === undefined ? row : { since, ...row };
}

/** The row of one pause of a rule, a policy or a namespace; absent if there is none of that name. */
export function annotatedRow(object: Json, name: string): PauseRow | undefined {
  return annotatedRows(object, `${object.kind} ${nameOf(object)}`).find((one) => one.name === name);
}

/** Rows of a rule, a policy or a namespace; `what`: text of the first column. */
export function annotatedRows(written: Json, what: string): readonly PauseRow[] {
  const annotations = annotationsOf(written);
  const object = `${resourceName(String(written.kind))}/${nameOf(written)}`;
  const plain = annotations[pausedAnnotation];
  return [
    ...(objectOf(written.spec).paused === true
      ? [rowOf(written, what, { object, name: pausedField, text: '', path: ['spec', 'paused'] })]
      : []),
    ...(plain === undefined || plain === 'false'
      ? []
      : [rowOf(written, what, { object, name: pausedAnnotation, text: '', path: annotation(pausedAnnotation) })]),
    ...Object.entries(annotations)
      .filter(([key]) => key.startsWith(pausePrefix))
      .map(([key, text]) =>
        rowOf(written, what, { object, name: key.slice(pausePrefix.length), text, path: annotation(key) }),
      ),
  ];
}

function resourceName(kind: string): string {
  if (kind === 'Namespace') return 'namespace';
  return `${kind.toLowerCase()}.${kind === 'DeviceTaintRule' ? 'resource.k8s.io' : 'sluice.dev'}`;
}

const annotation = (key: string) => ['metadata', 'annotations', key];

/** Author and time come from the note; for a handwritten note, from the managedFields entry of its field. */
function rowOf(
  written: Json,
  what: string,
  by: { readonly object: string; readonly name: string; readonly text: string; readonly path: readonly string[] },
): PauseRow {
  const writer = writerOf(written, by.path);
  return {
    what,
    object: by.object,
    name: by.name,
    ...(writer ? { by: managerText(writer.manager) } : {}),
    ...(writer?.at === undefined ? {} : { since: formatInstant(writer.at) }),
    ...parseNote(by.text),
  };
}
