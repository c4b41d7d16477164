// Values of sluice.yaml that AWS refuses: reserved tags, unknown regions, the same subnet twice.
import { nearestOf } from './nearest.ts';
import type { Path, Problem } from './problem.ts';
import { regions } from './regions.ts';
import type { Config } from './schema.ts';

/** Of a stack and of most resources. */
const mostTags = 50;
const tagText = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

export function accountProblems({ stack, network, alarms, tags = {} }: Config): readonly Problem[] {
  return [
    ...regionProblems(stack?.region),
    ...twice(['network', 'subnets'], network?.subnets),
    ...twice(['network', 'securityGroups'], network?.securityGroups),
    ...twice(['alarms', 'topics'], alarms?.topics),
    ...Object.entries(tags).flatMap(([key, value]) => tagProblems(key, value)),
    ...(Object.keys(tags).length > mostTags
      ? [{ path: ['tags'], text: `it has ${Object.keys(tags).length} tags, and AWS allows ${mostTags}` }]
      : []),
  ];
}

function regionProblems(region: string | undefined): readonly Problem[] {
  if (region === undefined || regions.includes(region)) return [];
  const meant = nearestOf(region, regions);
  const help = meant === undefined ? 'for' : `did you mean "${meant}"? For`;
  const otherwise = 'a newer region, leave this out and set AWS_REGION';
  return [
    { path: ['stack', 'region'], text: `"${region}" is no AWS region known to this release; ${help} ${otherwise}` },
  ];
}

function tagProblems(key: string, value: string): readonly Problem[] {
  const path = ['tags', key];
  if (/^aws:/i.test(key))
    return [{ path, isKey: true, text: 'tags that begin with aws: are reserved by AWS; choose another name' }];
  const allowed = 'letters, digits, spaces and _ . : / = + - @';
  if (!tagText.test(key)) return [{ path, isKey: true, text: `the name of a tag may have ${allowed}` }];
  return tagText.test(value) ? [] : [{ path, text: `the value of a tag may have ${allowed}` }];
}

function twice(path: Path, values: readonly string[] = []): readonly Problem[] {
  return values.flatMap((one, at) =>
    values.indexOf(one) === at ? [] : [{ path: [...path, at], text: `"${one}" is there twice; remove one of them` }],
  );
}
