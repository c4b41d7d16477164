// Projects a DeviceTaintSlice of sluice.dev/v1alpha1.
import type { DeviceTaintSlice } from '../../model/taintSlice.ts';
import { authorOf } from './author.ts';
import { checkNames } from './checkTaint.ts';
import { pacedTaintOf } from './projectPacedRule.ts';
import {
  instantOf,
  type Json,
  listOf,
  metaOf,
  noIdentity,
  numberOf,
  objectOf,
  type Problems,
  type Projected,
  present,
  type Reader,
  readerOf,
  textOf,
  unreadable,
} from './read.ts';

export function projectTaintSlice(value: unknown): Projected<DeviceTaintSlice> {
  const object = objectOf(value);
  const meta = metaOf(object);
  if (!meta) return unreadable('DeviceTaintSlice', value, { problems: noIdentity });
  const { namespace: _, ...identity } = meta;
  const problems: Problems = [];
  const spec = readerOf(object, problems).object('spec') ?? readerOf({}, problems, 'spec');
  const place = {
    kind: 'DeviceTaintSlice',
    ...identity,
    generation: numberOf(objectOf(object.metadata).generation) ?? 0,
    driver: spec.text('driver'),
    pool: spec.text('pool'),
  } as const;
  const isPlaced = problems.length === 0;
  checkNames(spec, { driver: place.driver, pool: place.pool });
  const poolGeneration = spec.optionalNumber('generation');
  const taints = spec.list('taints').map((entry) => ({
    device: deviceOf(entry),
    taint: pacedTaintOf(entry.object('taint') ?? readerOf({}, problems, 'spec.taints[].taint')),
  }));
  if (problems.length === 0) {
    const optional = present<Required<Pick<DeviceTaintSlice, 'poolGeneration' | 'counts' | 'author'>>>({
      poolGeneration,
      counts: countsOf(object),
      author: authorOf(object),
    });
    return { kind: 'Projected', object: { ...place, ...optional, taints, seen: seenOf(object) } };
  }
  const harmless: DeviceTaintSlice = { ...place, taints: [], seen: [] };
  return unreadable('DeviceTaintSlice', value, isPlaced ? { problems, harmless } : { problems });
}

function deviceOf(entry: Reader): string {
  const device = entry.text('device');
  checkNames(entry, { device });
  return device;
}

function countsOf(object: Json): DeviceTaintSlice['counts'] {
  const { staleEntries, unknownDevices } = objectOf(object.status);
  if (numberOf(staleEntries) === undefined && numberOf(unknownDevices) === undefined) return undefined;
  return { staleEntries: numberOf(staleEntries) ?? 0, unknownDevices: numberOf(unknownDevices) ?? 0 };
}

function seenOf(object: Json): DeviceTaintSlice['seen'] {
  return listOf(objectOf(object.status).taints).flatMap((one) => {
    const [timeAdded, specTimeAdded] = [instantOf(one.timeAdded), instantOf(one.specTimeAdded)];
    if (timeAdded === undefined) return [];
    const [device, key, effect] = [one.device, one.key, one.effect].map((text) => textOf(text) ?? '');
    const times = { timeAdded, ...(specTimeAdded === undefined ? {} : { specTimeAdded }) };
    return [{ device: device ?? '', key: key ?? '', effect: effect ?? '', ...times }];
  });
}
