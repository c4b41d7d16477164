// What the API server's answer to a condition comes to: an alarm, a retry, or nothing.
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

describe('a condition', () => {
  it('that has no room beside eight of others is logged and rings no alarm', () => {
    const full = told({ kind: 'Full', why: 'Too many: 9: must have at most 8 items' });
    expect(full).toEqual({ lines: ['warn: no room for a condition'], counted: [] });
  });

  it('that is refused for another reason is counted for the alarm', () => {
    const refused = told({ kind: 'Refused', why: '403', status: 403 });
    expect(refused).toEqual({ lines: ['error: status refused'], counted: ['EvictionsRefused'] });
  });

  it('of an object that is gone is not missed', () => {
    expect(told({ kind: 'RuleGone' })).toEqual({ lines: [], counted: [] });
  });

  it('that may be written later comes back', () => {
    expect(() => told({ kind: 'RetryLater', after: 1000, why: '503' })).toThrow('DeviceTaintRule/bad: 503');
  });
});
