// Who approved a plan and when: from the note beside the approval, else from the field manager that wrote it.
import { expect, it } from 'vitest';
import { approvalAnnotations, approvalText } from '../../lib/model/approvalNote.ts';

const at = Date.UTC(2026, 0, 1, 12);
const digests = '0123456789ab';
const kubectl = { manager: 'kubectl-annotate', at: at + 1000 };

it.each(['0123456789ab', '0123456789ab,ba9876543210'])(
  'an approval of plan %s names its author and its time',
  (given) => {
    const annotations = approvalAnnotations({ digests: given, by: 'ada', at });
    expect(annotations).toEqual({
      'sluice.dev/approve': given,
      'sluice.dev/approve-note': `${given}; by ada at 2026-01-01T12:00:00Z`,
    });
    expect(approvalText(annotations, kubectl)).toBe(`approval of plan ${given} by ada at 2026-01-01T12:00:00Z`);
  },
);

it.each([
  ['without a note', undefined],
  ['beside the note of another plan', 'ba9876543210; by ada at 2026-01-01T12:00:00Z'],
  ['beside a note that is not read', 'yes, please'],
])('an approval %s names the field manager that wrote it', (_, note) => {
  const annotations = { 'sluice.dev/approve': digests, ...(note ? { 'sluice.dev/approve-note': note } : {}) };
  expect(approvalText(annotations, kubectl)).toBe(
    'approval of plan 0123456789ab by field manager kubectl-annotate at 2026-01-01T12:00:01Z',
  );
  expect(approvalText(annotations, { manager: 'argocd' })).toBe(
    'approval of plan 0123456789ab by field manager argocd',
  );
  expect(approvalText(annotations)).toBe('approval of plan 0123456789ab');
});

it('an approval of several lines stands on one', () => {
  expect(approvalText({ 'sluice.dev/approve': '0123456789ab\n ba9876543210 ' })).toBe(
    'approval of plan 0123456789ab ba9876543210',
  );
});

it.each([
  {},
  { 'sluice.dev/approve': '' },
  { 'sluice.dev/approve-note': `${digests}; by ada at 2026-01-01T12:00:00Z` },
])('annotations %j are no approval', (annotations) => {
  expect(approvalText(annotations, kubectl)).toBeUndefined();
});
