// The answer to a dashboard: the picture of the requested cluster, the usage of the widget, or what is wrong with the request.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerWidget, readWidgetRequest } from '../../lib/view/widget.ts';
import { aPicture } from './pictures.ts';

const clusters = ['prod', 'stage'];
const answer = (event: unknown) => answerWidget(event, { clusters, read: async (cluster) => aPicture({ cluster }) });

describe('the custom widget', () => {
  it.each<[string, unknown, string]>([
    ['the cluster that is named', { cluster: 'stage' }, 'cluster <b>stage</b>'],
    ['the first cluster when none is named', {}, 'cluster <b>prod</b>'],
    ['the first cluster when the name is not a text', { cluster: 7 }, 'cluster <b>prod</b>'],
    [
      'the light theme in a light console',
      { widgetContext: { theme: 'light' } },
      'class="sluice cwdb-no-default-styles"',
    ],
    [
      'the dark theme in a dark console',
      { widgetContext: { theme: 'dark' } },
      'class="sluice cwdb-no-default-styles dark"',
    ],
    ['its usage when it is asked to describe itself', { describe: true, cluster: 'stage' }, '| `cluster` |'],
    [
      'an error for an unknown cluster, as text',
      { cluster: '<b>' },
      'There is no cluster "&lt;b&gt;" in this installation, only prod, stage: set the widget',
    ],
  ])('the custom widget of a dashboard shows %s', async (_, event, text) => {
    expect(await answer(event)).toContain(text);
  });

  it('the widget reads no table to describe itself', async () => {
    const read = () => Promise.reject(new Error('read'));
    await expect(answerWidget({ describe: true }, { clusters, read })).resolves.toContain('cluster: prod');
    await expect(answerWidget({}, { clusters, read })).rejects.toThrow('read');
  });

  it('the widget can read any request', () => {
    fc.assert(
      fc.property(fc.anything(), (event) => {
        const { describe: asked, cluster, theme } = readWidgetRequest(event);
        expect([typeof asked, typeof cluster]).toEqual(['boolean', 'string']);
        expect(['light', 'dark']).toContain(theme);
      }),
    );
  });
});
