// Alarms of a deployed stack: whom they notify, their runbook, and the thresholds that are not the usual ones.
import { type RunbookEntry, runbookEntries, usualThresholds } from './runbookEntries.ts';
import { type Template, type TemplateResource, textOr, textsIn } from './template.ts';

export function importAlarms({ resources }: Template): Readonly<Record<string, unknown>> {
  const alarms = resources.filter(({ type }) => type === 'AWS::CloudWatch::Alarm');
  const topics = textsIn(alarms[0]?.properties.AlarmActions);
  return {
    topics: topics.length > 0 ? topics : undefined,
    runbookUrl: linkOf(alarms[0])?.[1],
    thresholds: Object.fromEntries(
      runbookEntries.map((entry) => [
        entry,
        changed(
          entry,
          alarms.filter((one) => linkOf(one)?.[2] === entry),
        ),
      ]),
    ),
  };
}

/** Address of the runbook, absent for a path, and the entry. */
function linkOf(alarm: TemplateResource | undefined): readonly (string | undefined)[] | null {
  const text = textOr(alarm?.properties.AlarmDescription, '');
  return / Runbook: (?:(https?:\/\/\S+)|\S*)#([\w-]+)$/.exec(text);
}

/** A configured threshold is the same for all alarms of the entry. */
function changed(entry: RunbookEntry, alarms: readonly TemplateResource[]) {
  const { threshold, minutes, ofEvict = threshold } = usualThresholds[entry];
  const seen = (name: string) => [...new Set(alarms.map(({ properties }) => properties[name]))];
  const isUsual = isSame(seen('Threshold'), [threshold, ofEvict]);
  return {
    threshold: isUsual ? undefined : seen('Threshold')[0],
    minutes: isSame(seen('EvaluationPeriods'), [minutes]) ? undefined : seen('EvaluationPeriods')[0],
  };
}

function isSame(seen: readonly unknown[], usual: readonly number[]): boolean {
  return seen.length === new Set(usual).size && seen.every((one) => usual.includes(one as number));
}
