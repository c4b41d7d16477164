// Packs the objects of a list into few messages: with one message each, requests would cost more than the content.
import { formatMessage } from '../adapters/sqs/wire.ts';
import type { ChangeMessage, Upserted } from '../model/change.ts';
import type { ObjectProjection } from '../model/projection.ts';

export interface Packed {
  readonly body: string;
  /** Number of changes in the message. */
  readonly changes: number;
}

/** Limits of a packed message. SQS bills each 64 KB as a request, and a batch of ten stays far below an invocation's payload limit. */
const packedCharacters = 60_000;
const mostObjects = 300;

/** Keeps the order of changes; adjacent objects of one kind share a message. */
export function packed(changes: readonly ChangeMessage[]): readonly Packed[] {
  const messages: Packed[] = [];
  let open: { readonly kind: string; readonly objects: ObjectProjection[]; characters: number } | undefined;
  let incarnation = '';
  const close = () => {
    const { objects = [] } = open ?? {};
    open = undefined;
    const [first, ...others] = objects;
    if (!first) return;
    const change = others.length === 0 ? { type: 'Upserted', object: first } : { type: 'Listed', objects };
    messages.push({ body: formatMessage({ ...change, incarnation }), changes: objects.length });
  };
  for (const change of changes) {
    if (!isPlain(change)) {
      close();
      messages.push({ body: formatMessage(change), changes: 1 });
      continue;
    }
    const { object } = change;
    const characters = JSON.stringify(object).length;
    const isFull = open && (open.characters + characters > packedCharacters || open.objects.length >= mostObjects);
    if (open?.kind !== object.kind || isFull || incarnation !== change.incarnation) close();
    incarnation = change.incarnation;
    open ??= { kind: object.kind, objects: [], characters: 0 };
    open.objects.push(object);
    open.characters += characters;
  }
  close();
  return messages;
}

function isPlain(change: ChangeMessage): change is ChangeMessage & Upserted {
  return change.type === 'Upserted' && change.refused === undefined;
}
