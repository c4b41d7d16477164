// What the doctor says of a cluster that is served by one API server alone, as that of `npm start`.
import { expect, it } from 'vitest';
import { startScene } from './support/scene.ts';

it.each([[[]], [['--no-probe']]])(
  'nothing is wrong in the simulated cluster, nor to be looked at: doctor %s',
  async (options) => {
    const scene = await startScene({ hasStops: true });
    try {
      const { status, out, err } = await scene.sluice('doctor', ...options);
      expect({ status, err, told: out.split('\n').filter((one) => !one.startsWith('ok ')) }).toEqual({
        status: 0,
        err: '',
        told: [expect.stringMatching(/^\d+ ok, 0 to look at, 0 wrong$/), ''],
      });
    } finally {
      await scene.stop();
    }
  },
);
