// A rule whose CEL expression cannot be used: terminal and page show the error, and that no pod is evicted.
import { describe, expect, it } from 'vitest';
import { renderFinished } from '../../lib/view/lists.ts';
import { htmlOf } from '../../lib/view/markup.ts';
import { readClusterProgress } from '../../lib/view/readModel.ts';
import { renderTerminal } from '../../lib/view/terminal.ts';
import { selectorText } from '../../lib/view/words.ts';

import { aHeartbeat, upserted } from '../support/objects.ts';
import { pacedRule } from '../support/pacedBuilders.ts';
import { createWorld } from '../support/world.ts';
import { sceneStart, tell } from './scene.ts';

describe('a rule with a CEL expression that cannot be used', () => {
  it('a rule with a CEL expression that cannot be used shows the error and that no pod is evicted', async () => {
    const world = createWorld({ start: sceneStart });
    await tell(world, aHeartbeat(world.now()));
    await tell(world, upserted(pacedRule({ name: 'broken', deviceSelector: { selectors: ['device.drivr == "x"'] } })));
    const progress = await readClusterProgress({ table: world.table, cluster: world.cluster }, world.now());
    const [limiter] = progress.limiters;
    expect(limiter).toMatchObject({ name: 'broken', selector: '1 CEL expression' });
    const why =
      /no pod is evicted: spec\.deviceSelector\.selectors\[0\] cannot be used, so the rule selects nothing: line 1, column \d+: /;
    expect(limiter?.heldBecause).toMatch(why);
    expect(renderTerminal(progress, { width: 200, color: false }).join('\n')).toMatch(
      /broken +Held[\s\S]*held: no pod is evicted: /,
    );
    expect(htmlOf(renderFinished(progress.limiters) ?? expect.unreachable())).toMatch(why);
  });
});

it.each([
  [undefined, 'no device'],
  [{}, 'every device'],
  [{ all: true }, 'every device'],
  [{ selectors: ['true'] }, '1 CEL expression'],
  [{ driver: 'd', deviceClassName: 'gpu', deviceTaints: [{ key: 'k' }] }, 'driver d, class gpu, 1 taint'],
] as const)('the devices of the selector %j are said to be %s', (selector, text) => {
  expect(selectorText(selector)).toBe(text);
});
