// CloudWatch's documented examples of missing data, and metrics that it extracts from log lines.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AlarmDefinition, type AlarmState, evaluationRange, nextState } from './evaluate.ts';
import { createMetricStore } from './metricStore.ts';

const treatments = ['missing', 'ignore', 'breaching', 'notBreaching'] as const;
const alarmOf = (m: number, n: number, treatMissingData: AlarmDefinition['treatMissingData']): AlarmDefinition => ({
  comparison: 'GreaterThanOrEqualToThreshold',
  threshold: 1,
  evaluationPeriods: n,
  datapointsToAlarm: m,
  treatMissingData,
});
/** `0` is within the threshold, `X` is not, `-` is missing. */
const pointsOf = (drawn: string) =>
  drawn.split(' ').map((point) => (point === '-' ? undefined : point === 'X' ? 1 : 0));

describe('the state of an alarm (CloudWatch user guide, "how alarm state is evaluated when data is missing")', () => {
  const retained: AlarmState = 'INSUFFICIENT_DATA';
  it.each<[string, [m: number, n: number], string, AlarmState[]]>([
    ['enough are real, one is fine', [3, 3], '0 - X - X', ['OK', 'OK', 'OK', 'OK']],
    ['one is real and fine', [3, 3], '- - - - 0', ['OK', 'OK', 'OK', 'OK']],
    ['none is real', [3, 3], '- - - - -', ['INSUFFICIENT_DATA', retained, 'ALARM', 'OK']],
    ['enough are real and breach', [3, 3], '0 X X - X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
    ['one is real and breaches', [3, 3], '- - X - -', ['ALARM', retained, 'ALARM', 'OK']],
    ['two of three real ones breach', [2, 3], '0 - X - X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
    ['two of the last three breach', [2, 3], '0 0 X 0 X', ['ALARM', 'ALARM', 'ALARM', 'ALARM']],
    ['one of two real ones breaches', [2, 3], '0 - X - -', ['OK', 'OK', 'ALARM', 'OK']],
    ['one is real and fine, two are filled in', [2, 3], '- - - - 0', ['OK', 'OK', 'ALARM', 'OK']],
    ['the last one alone is real and breaches', [2, 3], '- - - - X', ['ALARM', retained, 'ALARM', 'OK']],
  ])('an alarm with missing data has the state that CloudWatch documents: %s', (_, [m, n], drawn, expected) => {
    const states = treatments.map((treatment) => nextState(alarmOf(m, n, treatment), pointsOf(drawn), retained));
    expect(states).toEqual(expected);
  });

  it('an alarm that fires below its threshold is OK at the threshold', () => {
    const alarm = { ...alarmOf(1, 1, 'breaching'), comparison: 'LessThanThreshold' as const };
    expect([0, 1, 2].map((value) => nextState(alarm, [value], 'OK'))).toEqual(['ALARM', 'OK', 'OK']);
  });

  it('one more breaching data point never clears an alarm', () => {
    const point = fc.constantFrom(0, 1, undefined);
    const setting = fc.record({ n: fc.integer({ min: 1, max: 5 }), treatment: fc.constantFrom(...treatments) });
    fc.assert(
      fc.property(setting, fc.array(point, { minLength: 7, maxLength: 7 }), fc.nat(), ({ n, treatment }, all, i) => {
        const alarm = alarmOf(n, n, treatment);
        const points = all.slice(-evaluationRange(alarm));
        fc.pre(nextState(alarm, points, 'OK') === 'ALARM');
        const worse = points.map((one, at) => (at === i % points.length && one !== undefined ? 1 : one));
        expect(nextState(alarm, worse, 'OK')).toBe('ALARM');
      }),
    );
  });
});

describe('metrics of log lines', () => {
  const metric = { namespace: 'Sluice', name: 'PodsEvicted', dimensions: { cluster: 'prod' } };
  const line = (body: object, Timestamp = 61_000) =>
    JSON.stringify({
      _aws: {
        Timestamp,
        CloudWatchMetrics: [{ Namespace: 'Sluice', Dimensions: [['cluster']], Metrics: [{ Name: 'PodsEvicted' }] }],
      },
      cluster: 'prod',
      ...body,
    });
  const minute = (statistic: 'Sum' | 'Maximum' | 'Minimum' | 'Average' | 'SampleCount', ...lines: string[]) => {
    const store = createMetricStore();
    for (const one of lines) store.putLine(one);
    return store.statistic(metric, { statistic, from: 60_000, period: 60_000 });
  };

  it('a list of values counts as one sample for each value', () => {
    const list = line({ PodsEvicted: [1, 2, 6] });
    const all = (['Sum', 'Maximum', 'Minimum', 'Average', 'SampleCount'] as const).map((one) => minute(one, list));
    expect(all).toEqual([9, 6, 1, 3, 3]);
  });

  it('a minute includes its first millisecond and excludes the first one of the next minute', () => {
    const at = [59_999, 60_000, 119_999, 120_000].map((when) => line({ PodsEvicted: 1 }, when));
    expect(minute('Sum', ...at)).toBe(2);
  });

  it('another dimension is another metric, and a line without metrics is ignored', () => {
    expect(minute('Sum', line({ PodsEvicted: 1, cluster: 'stage' }), 'START', '{"level":"INFO"}')).toBeUndefined();
  });
});
