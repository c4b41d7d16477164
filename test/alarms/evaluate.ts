// How CloudWatch decides on an alarm's state from the data points of its metric.

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

export interface AlarmDefinition {
  readonly comparison: 'GreaterThanOrEqualToThreshold' | 'LessThanThreshold';
  readonly threshold: number;
  /** N: the most recent data points that count. */
  readonly evaluationPeriods: number;
  /** M of N that must breach. */
  readonly datapointsToAlarm: number;
  readonly treatMissingData: 'breaching' | 'notBreaching' | 'ignore' | 'missing';
}

/** Periods that are fetched beyond N, so that a late data point does not count as missing (CloudWatch user guide). */
const slack = 2;

export function evaluationRange({ evaluationPeriods }: Pick<AlarmDefinition, 'evaluationPeriods'>): number {
  return evaluationPeriods + slack;
}

/** `points`: one per period of the evaluation range, oldest first; `undefined` is missing. */
export function nextState(
  alarm: AlarmDefinition,
  points: readonly (number | undefined)[],
  current: AlarmState,
): AlarmState {
  const { evaluationPeriods: n, datapointsToAlarm: m, treatMissingData } = alarm;
  const real = points.filter((point) => point !== undefined).map((point) => breaches(alarm, point));
  // With enough real data points, missing ones are ignored.
  if (real.length >= n) return count(real.slice(-n)) >= m ? 'ALARM' : 'OK';
  const missing = n - real.length;
  const breaching = count(real);
  switch (treatMissingData) {
    case 'breaching':
      return breaching + missing >= m ? 'ALARM' : 'OK';
    case 'notBreaching':
      return breaching >= m ? 'ALARM' : 'OK';
    case 'ignore':
      return fewReal(real, m, { none: current, allBreach: current });
    case 'missing':
      return fewReal(real, m, { none: 'INSUFFICIENT_DATA', allBreach: 'ALARM' });
    default:
      return treatMissingData satisfies never;
  }
}

/** The state with too few real data points, if missing ones are not filled in. */
function fewReal(
  real: readonly boolean[],
  m: number,
  otherwise: { readonly none: AlarmState; readonly allBreach: AlarmState },
): AlarmState {
  if (real.length === 0) return otherwise.none;
  if (count(real) >= m) return 'ALARM';
  return real.every(Boolean) ? otherwise.allBreach : 'OK';
}

function breaches({ comparison, threshold }: AlarmDefinition, point: number): boolean {
  return comparison === 'LessThanThreshold' ? point < threshold : point >= threshold;
}

function count(breaching: readonly boolean[]): number {
  return breaching.filter(Boolean).length;
}
