// Who approved a plan and when: a note beside the approval, as a pause has one. It decides nothing.
import { approveAnnotation } from './hold.ts';
import { managerText, noteText, parseNote } from './note.ts';
import type { SpecAuthor } from './objects.ts';
import { formatInstant, type Instant } from './time.ts';

/** `DIGESTS; by AUTHOR at TIME`: counts only beside the approval of the same plans. */
export const approveNoteAnnotation = 'sluice.dev/approve-note';

/** What an approval writes. */
export function approvalAnnotations(of: {
  readonly digests: string;
  readonly by: string;
  readonly at: Instant;
}): Readonly<Record<string, string>> {
  const { digests, by, at } = of;
  return { [approveAnnotation]: digests, [approveNoteAnnotation]: noteText({ why: digests, by, at }) };
}

/** `approval of plan DIGEST by ada at 2026-01-01T12:00:00Z`; absent without one. `writer`: of the approval, where no note is about it. */
export function approvalText(
  annotations: Readonly<Record<string, string>>,
  writer?: Pick<SpecAuthor, 'manager' | 'at'>,
): string | undefined {
  const digests = annotations[approveAnnotation];
  if (!digests) return undefined;
  // Stryker disable next-line StringLiteral: any text that is no digest
  const note = parseNote(annotations[approveNoteAnnotation] ?? '');
  const { by, since } = note.why === digests ? note : writtenBy(writer);
  const who = `${by === undefined ? '' : ` by ${by}`}${since === undefined ? '' : ` at ${since}`}`;
  return `approval of plan ${digests.trim().replaceAll(/\s+/g, ' ')}${who}`;
}

function writtenBy(writer: Parameters<typeof approvalText>[1]): { readonly by?: string; readonly since?: string } {
  if (!writer) return {};
  const { manager, at } = writer;
  return { by: managerText(manager), ...(at === undefined ? {} : { since: formatInstant(at) }) };
}
