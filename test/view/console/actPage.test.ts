// The page of an action, on a phone and on a wide screen.
import { expect, it } from 'vitest';
import { actPage } from '../../../lib/view/console/actPage.ts';
import { htmlOf } from '../../../lib/view/markup.ts';

it('the effect of an action is shown in paragraphs, which wrap on a phone, and only its table is preformatted', () => {
  const effect = ['PacedTaintRule a', '1 pod would be evicted at once', '', 'NAMESPACE  POD', 'team-a     pod-0'];
  const preview = { title: 'Taint', effect, fields: [], button: 'Taint' };
  const page = actPage({ action: 'taint', kind: 'device', name: 'd/p/x' }, preview, {
    token: 'token',
    boundTo: 'bound',
  });
  const html = htmlOf(page.regions[0]?.html ?? expect.unreachable());
  expect(html).toContain('<p>1 pod would be evicted at once</p>');
  expect(html).toContain('<pre tabindex="0">NAMESPACE  POD\nteam-a     pod-0</pre>');
  expect(html.match(/<p>/g)).toHaveLength(2);
});

it.each([[true], [undefined]])('each step of an action has one way back: before its effect is known (%s)', (isOpen) => {
  const rate = { name: 'rate', label: 'Evictions per second', value: '' };
  const preview = { title: 'Rate', effect: ['Now 1/s.'], fields: [rate], button: 'Set', ...(isOpen ? { isOpen } : {}) };
  const page = actPage({ action: 'rate', kind: 'rule', name: 'PacedTaintRule/a' }, preview, {
    token: 'token',
    boundTo: 'bound',
  });
  expect(
    page.regions
      .map(({ html }) => htmlOf(html))
      .join('')
      .match(/>Cancel</g),
  ).toHaveLength(1);
});
