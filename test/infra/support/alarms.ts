// Alarms of a template, and which metrics they watch.
import { asList, dig, type Resource, referred } from './installation.ts';

/** The alarms on the metric of this name. */
export function alarmsOn(alarms: readonly Resource[], metricName: string): readonly Resource[] {
  return alarms.filter((one) => one.properties.MetricName === metricName);
}

/** Dimensions with references as logical ids. */
export function dimensionsOf(alarm: Resource): Readonly<Record<string, string>> {
  const dimensions = asList(alarm.properties.Dimensions ?? []).map((one) => {
    const value = dig(one, 'Value');
    return [String(dig(one, 'Name')), typeof value === 'string' ? value : referred(value)];
  });
  return Object.fromEntries(dimensions);
}
