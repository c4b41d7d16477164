// What the doctor says: one finding per thing that was looked at.

export interface Finding {
  /** Ok: as it must be. Warning: it works, but an operator should check it. Problem: pods stay that should be evicted, or worse. */
  readonly kind: 'Ok' | 'Warning' | 'Problem';
  /** What was looked at, such as `queue Sluice-evict`. */
  readonly subject: string;
  /** What was found, with the value. */
  readonly text: string;
  /** What to do; on all but Ok. */
  readonly remedy?: string;
}

export function ok(subject: string, text: string): Finding {
  return { kind: 'Ok', subject, text };
}

export function warning(subject: string, text: string, remedy: string): Finding {
  return { kind: 'Warning', subject, text, remedy };
}

export function problem(subject: string, text: string, remedy: string): Finding {
  return { kind: 'Problem', subject, text, remedy };
}

const marks = { Ok: 'ok     ', Warning: 'warning', Problem: 'PROBLEM' } as const;

export function render(finding: Finding): string {
  const first = `${marks[finding.kind]}  ${finding.subject}: ${finding.text}`;
  return finding.remedy === undefined ? first : `${first}\n         -> ${finding.remedy}`;
}
