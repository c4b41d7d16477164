// The page of an action, as a phone and a desk show it.
import { expect, it } from 'vitest';
import { actPage } from '../../../lib/view/console/actPage.ts';
import { htmlOf } from '../../../lib/view/markup.ts';

it('what an action will do is said in paragraphs, which wrap on a phone; only its table keeps its columns', () => {
  const effect = ['PacedTaintRule a', '1 pod would be evicted at once', '', 'NAMESPACE  POD', 'team-a     pod-0'];
  const preview = { title: 'Taint', effect, fields: [], button: 'Taint' };
  const page = actPage({ action: 'taint', kind: 'device', name: 'd/p/x' }, preview, 'token');
  const html = htmlOf(page.regions[0]?.html ?? expect.unreachable());
  expect(html).toContain('<p>1 pod would be evicted at once</p>');
  expect(html).toContain('<pre tabindex="0">NAMESPACE  POD\nteam-a     pod-0</pre>');
  expect(html.match(/<p>/g)).toHaveLength(2);
});
