// The generated pages say what code and CRDs have, and no reason, annotation or label that the code does not know.
import { describe, expect, it } from 'vitest';
import { conditions, eventReasons } from '../../lib/model/reasons.ts';
import { annotations } from '../../scripts/reference/annotations.ts';
import { exampleEvents } from '../../scripts/reference/events.ts';
import { addressesIn } from '../../scripts/reference/links.ts';
import { referencePages } from '../../scripts/reference/pages.ts';
import { readText, sourcesUnder } from './sources.ts';

/** Condition types and the label of the demo's own rules have no row. */
function namesInCode(): ReadonlySet<string> {
  const code = sourcesUnder('lib').filter((file) => !file.startsWith('lib/local/'));
  const names = code.flatMap((file) => readText(file).match(/'(?:pause\.)?sluice\.dev\/[a-z-]*'/g) ?? []);
  // The group itself, as the beginning of any name, is none.
  return new Set(names.flatMap((one) => (one === "'sluice.dev/'" ? [] : [one.slice(1, -1).replace(/\/$/, '/<name>')])));
}

describe('the reference', () => {
  it('the reference has every annotation, label and taint key of the code, and no other', () => {
    expect(Object.keys(annotations).toSorted()).toEqual([...namesInCode()].toSorted());
  });

  it('an address in a page is found in text and HTML, and not in code', () => {
    const text =
      'See [a](https://a.example/x_(y)), <https://b.example>, <img src="https://c.example/d.svg">, `https://e.example` and [f](f.md).';
    expect(addressesIn(text)).toEqual(['https://a.example/x_(y)', 'https://b.example', 'https://c.example/d.svg']);
  });

  it('the reference has every field of every kind that the chart installs', () => {
    const page = readText('docs/reference/kinds.md');
    for (const field of [
      'spec.windows[].timeZone',
      'spec.taints[].taint.effect',
      'spec.deviceSelector.selectors[].cel.expression',
      'spec.reason',
    ])
      expect(page).toContain(`\`${field}\``);
  });

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
