// How the API server's answer to a written condition is handled: with an alarm, a retry, or not at all.
import { describe, expect, it } from 'vitest';
import type { StatusWritten } from '../../../lib/ports.ts';
import { checkWritten } from '../../../lib/stages/report/checkWritten.ts';

function told(written: StatusWritten) {
  const lines: string[] = [];
  const counted: string[] = [];
  const log = (level: string) => (text: string) => void lines.push(`${level}: ${text}`);
  const deps = {
    metrics: { add: (name: string) => void counted.push(name) },
    log: { info: log('info'), warn: log('warn'), error: log('error') },
  };
  checkWritten(deps, { cluster: 'prod@uid' }, { object: 'DeviceTaintRule/bad', written });
  return { lines, counted };
}

describe('writing conditions', () => {
  it('a condition without room beside eight others is logged and raises no alarm', () => {
    const full = told({ kind: 'Full', why: 'Too many: 9: must have at most 8 items' });
    expect(full).toEqual({ lines: ['warn: no room for a condition'], counted: [] });
  });

  it('a condition that is refused for another reason is logged and counted for the alarm', () => {
    const refused = told({ kind: 'Refused', why: '403', status: 403 });
    expect(refused).toEqual({ lines: ['error: status refused'], counted: ['EvictionsRefused'] });
  });

  it('a condition of a deleted object is neither logged nor counted', () => {
    expect(told({ kind: 'RuleGone' })).toEqual({ lines: [], counted: [] });
  });

  it('a condition that the API server asks to retry later makes the step fail', () => {
    expect(() => told({ kind: 'RetryLater', after: 1000, why: '503' })).toThrow('DeviceTaintRule/bad: 503');
  });
});
