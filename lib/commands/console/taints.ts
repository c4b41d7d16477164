// Previews and performs taint and untaint of a device.
import { deviceKey } from '../../model/identity.ts';
import type { Preview } from '../../view/console/actPage.ts';
import { countText } from '../../view/words.ts';
import { devicesOfPod, requireDevice } from '../cluster/devices.ts';
import { uidOf } from '../cluster/objects.ts';
import { readPicture } from '../cluster/picture.ts';
import { Failure } from '../failure.ts';
import { parseTaint } from '../madeRules.ts';
import { taintInCluster, writeTaint } from '../verbs/taint.ts';
import { rulesMadeFor, untaintInCluster } from '../verbs/untaint.ts';
import type { Acting } from './acting.ts';
import { captured } from './captured.ts';
import { countedIn, uncounted, untaintText } from './counts.ts';
import { typedRate } from './rateForm.ts';

export async function previewTaint(acting: Acting, subject: string): Promise<Preview> {
  const { fields, request } = acting;
  if (request.kind !== 'device') throw new Failure(`a ${request.kind} cannot be tainted`, 'taint a device');
  requireDevice(request.name);
  const problems = problemsOf(fields);
  const asks = [
    {
      name: 'taint',
      label: 'Taint: KEY=VALUE:EFFECT',
      value: fields.taint ?? 'example.com/unhealthy:NoSchedule',
      isRequired: true,
      ...(problems.taint === undefined ? {} : { problem: problems.taint }),
    },
    {
      name: 'rate',
      label: 'Evictions a second',
      value: fields.rate ?? (fields.taint ? '' : '1'),
      type: 'number',
      ...(problems.rate === undefined ? {} : { problem: problems.rate }),
    },
  ] as const;
  const common = { title: `Taint ${subject}`, fields: asks, button: 'Taint' };
  const unknown = uncounted(acting);
  const open =
    unknown === undefined ? { isOpen: true as const } : { isOpen: true as const, isUncounted: true as const };
  if (unknown !== undefined || !fields.taint || problems.taint !== undefined || problems.rate !== undefined)
    return {
      ...common,
      ...open,
      effect: [
        unknown ?? (await usersText(acting)),
        'Creates a PacedTaintRule for this device. NoExecute evicts its pods; NoSchedule only keeps new pods away.',
      ],
    };
  const lines = await planTaint(acting);
  const isEvicting = fields.taint.endsWith(':NoExecute');
  const none = 'No pod is evicted: only NoExecute evicts. New pods are kept away by NoExecute and NoSchedule.';
  return { ...common, effect: isEvicting && lines.length > 0 ? lines : [none] };
}

/** Why what was typed cannot be used, by field. */
function problemsOf(fields: Acting['fields']): { readonly taint?: string; readonly rate?: string } {
  const taint = fields.taint ? parseTaint(fields.taint) : undefined;
  const { problem: rate } = typedRate(fields);
  return {
    ...(typeof taint === 'string' ? { taint: `${taint}.` } : {}),
    ...(rate === undefined ? {} : { rate }),
  };
}

/** How many pods use the device, which a taint with effect NoExecute evicts if they do not tolerate it. */
async function usersText({ cluster, request }: Acting): Promise<string> {
  const { snapshot } = await readPicture(cluster);
  const key = deviceKey(requireDevice(request.name));
  const users = snapshot.pods.filter((pod) => devicesOfPod(pod, snapshot).some((one) => deviceKey(one) === key));
  return `${countText(users.length, 'pod')} ${users.length === 1 ? 'uses' : 'use'} this device.`;
}

export async function previewUntaint(acting: Acting, subject: string): Promise<Preview> {
  const common = { title: `Untaint ${subject}`, fields: [], button: 'Untaint' };
  const which = 'Only rules created by sluice taint or sluice drain for it are deleted.';
  const rules = await rulesMadeFor(acting.cluster, `device/${acting.request.name}`);
  const lines = await untaint(acting, true);
  const unknown = uncounted(acting);
  if (unknown !== undefined) return { ...common, effect: [unknown, which, ...lines], isUncounted: true };
  const snapshot = await countedIn(acting);
  return { ...common, effect: [untaintText(new Set(rules.map(uidOf)), snapshot), which, ...lines] };
}

async function planTaint(acting: Acting): Promise<readonly string[]> {
  const said = captured(acting.io);
  const call = callOf(acting);
  await taintInCluster(acting.cluster, { ...call, flags: { ...call.flags, dryRun: true }, io: said.io });
  return said.lines();
}

export function taint(acting: Acting): Promise<readonly string[]> {
  return writeTaint(acting.cluster, callOf(acting));
}

function callOf({ io, request, fields }: Acting) {
  const flags = fields.rate ? { rate: fields.rate } : {};
  return { args: ['taint', 'device', request.name, fields.taint ?? ''], flags, io };
}

export async function untaint({ cluster, io, request }: Acting, dryRun: boolean): Promise<readonly string[]> {
  const said = captured(io);
  await untaintInCluster(cluster, { args: ['device', request.name], flags: dryRun ? { dryRun } : {}, io: said.io });
  return said.lines();
}
