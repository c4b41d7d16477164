// `sluice doctor` on the simulated cluster of `npm start`.
import { expect, it } from 'vitest';
import { startScene } from './support/scene.ts';

it.each([[[]], [['--no-probe']]])(
  'doctor reports no problem and no warning in the simulated cluster, with options %j',
  async (options) => {
    const scene = await startScene({ hasStops: true });
    try {
      const { status, out, err } = await scene.sluice('doctor', ...options);
      expect({ status, err, told: out.split('\n').filter((one) => !one.startsWith('ok ')) }).toEqual({
        status: 0,
        err: '',
        told: [expect.stringMatching(/^\d+ ok, 0 warnings, 0 problems$/), ''],
      });
    } finally {
      await scene.stop();
    }
  },
);
