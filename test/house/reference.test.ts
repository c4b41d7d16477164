// The pages of conditions, Events and metrics say what the code writes, and their table has no reason that the code does not write.
import { describe, expect, it } from 'vitest';
import { conditions, eventReasons } from '../../lib/model/reasons.ts';
import { exampleEvents } from '../../scripts/reference/events.ts';
import { referencePages } from '../../scripts/reference/pages.ts';
import { readText, sourcesUnder } from './sources.ts';

describe('the reference', () => {
  it.each(Object.entries(referencePages()))('%s is up to date: npm run generate:reference', (file, text) => {
    expect(readText(file)).toBe(text);
  });

  it('the reference shows a text for every reason of an Event', () => {
    expect(new Set(exampleEvents().map(({ reason }) => reason))).toEqual(new Set(Object.keys(eventReasons)));
  });

  it('the reference has no reason that the code does not write', () => {
    const code = sourcesUnder('lib')
      .filter((file) => file !== 'lib/model/reasons.ts')
      .map(readText)
      .join('\n');
    const reasons = [
      ...Object.values(conditions).flatMap((one) => Object.keys(one.reasons)),
      ...Object.keys(eventReasons),
    ];
    // Made of the kind, in lib/stages/report/expiry.ts.
    const composed = (reason: string) => reason.endsWith('Expires');
    expect(reasons.filter((reason) => !composed(reason) && !code.includes(`'${reason}'`))).toEqual([]);
  });
});
