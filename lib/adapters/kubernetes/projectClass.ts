// Projects a DeviceClass of resource.k8s.io v1, v1beta2 or v1beta1.
import type { DeviceClass } from '../../model/objects.ts';
import { metaOf, noIdentity, objectOf, type Problems, type Projected, readerOf, unreadable } from './read.ts';

/** A selector that is not a CEL expression would narrow the class: such a class selects nothing. */
export function projectClass(value: unknown): Projected<DeviceClass> {
  const object = objectOf(value);
  const meta = metaOf(object);
  if (!meta) return unreadable('DeviceClass', value, { problems: noIdentity });
  const { namespace: _, ...identity } = meta;
  const problems: Problems = [];
  const spec = readerOf(object, problems).object('spec');
  const selectors = (spec?.list('selectors') ?? []).map((one) => {
    const cel = one.object('cel');
    if (!cel) one.problem('selector is not a CEL expression, so the class selects nothing');
    return cel?.text('expression') ?? 'false';
  });
  if (problems.length === 0) return { kind: 'Projected', object: { kind: 'DeviceClass', ...identity, selectors } };
  const harmless: DeviceClass = { kind: 'DeviceClass', ...identity, selectors: ['false'] };
  return unreadable('DeviceClass', value, { problems, harmless });
}
