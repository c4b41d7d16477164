// Results of the doctor: one finding per check.

export interface Finding {
  /** Ok: as expected. Warning: works, but should be checked. Problem: pods are kept that should be evicted, or worse. */
  readonly kind: 'Ok' | 'Warning' | 'Problem';
  /** Checked object, such as `queue Sluice-evict`. */
  readonly subject: string;
  /** Result with the value. */
  readonly text: string;
  /** What to do; absent for Ok. */
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
