// Who is let through to the evictor, when, and in which order.
import { describe, expect, it } from 'vitest';
import { createLanes, lanesOf } from '../../lib/steps/lanes.ts';

/** Enters and says when it was let through. */
function enterAll(lanes: ReturnType<typeof createLanes>, count: number) {
  const through: number[] = [];
  const leaves = Array.from({ length: count }, (_, i) =>
    lanes.enter().then((leave) => {
      through.push(i);
      return leave;
    }),
  );
  return { through, leaves };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('lanes', () => {
  it('let as many through as are open, the others in the order in which they came', async () => {
    const { through, leaves } = enterAll(createLanes(2), 4);
    await settled();
    expect(through).toEqual([0, 1]);
    (await leaves[1])?.(undefined);
    await settled();
    expect(through).toEqual([0, 1, 2]);
    (await leaves[0])?.(undefined);
    await settled();
    expect(through).toEqual([0, 1, 2, 3]);
  });

  it('open one more for each pod in time', async () => {
    const { through, leaves } = enterAll(createLanes(1), 4);
    (await leaves[0])?.('InTime');
    await settled();
    expect(through).toEqual([0, 1, 2]);
  });

  it('let nobody through for late pods that came in together while too many are under way, and halve once for them', async () => {
    const { through, leaves } = enterAll(createLanes(4), 6);
    await settled();
    for (const i of [0, 1]) (await leaves[i])?.('Late');
    await settled();
    expect(through).toEqual([0, 1, 2, 3]);
    (await leaves[2])?.(undefined);
    await settled();
    expect(through).toEqual([0, 1, 2, 3, 4]);
  });

  it('halve again for a pod that came in after that, and is late as well', async () => {
    const { through, leaves } = enterAll(createLanes(4), 8);
    await settled();
    for (const i of [0, 1, 2]) (await leaves[i])?.('Late');
    await settled();
    expect(through).toEqual([0, 1, 2, 3, 4]);
    (await leaves[4])?.('Late');
    await settled();
    expect(through).toEqual([0, 1, 2, 3, 4]);
    (await leaves[3])?.(undefined);
    await settled();
    expect(through).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('are shared by all that use one table', () => {
    const table = {};
    expect(lanesOf(table)).toBe(lanesOf(table));
    expect(lanesOf(table)).not.toBe(lanesOf({}));
  });
});
