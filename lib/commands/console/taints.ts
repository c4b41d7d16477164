// Previews and performs taint and untaint of a device.
import type { Preview } from '../../view/console/actPage.ts';
import { requireDevice } from '../cluster/devices.ts';
import { Failure } from '../failure.ts';
import { taintInCluster } from '../verbs/taint.ts';
import { untaintInCluster } from '../verbs/untaint.ts';
import type { Acting } from './acting.ts';
import { captured } from './captured.ts';

export async function previewTaint(acting: Acting, subject: string): Promise<Preview> {
  const { fields, request } = acting;
  if (request.kind !== 'device') throw new Failure(`a ${request.kind} cannot be tainted`, 'taint a device');
  requireDevice(request.name);
  const asks = [
    {
      name: 'taint',
      label: 'Taint: KEY=VALUE:EFFECT',
      value: fields.taint ?? 'example.com/unhealthy:NoSchedule',
      isRequired: true,
    },
    { name: 'rate', label: 'Evictions a second', value: fields.rate ?? (fields.taint ? '' : '1'), type: 'number' },
  ] as const;
  const common = { title: `Taint ${subject}`, fields: asks, button: 'Taint' };
  if (!fields.taint)
    return {
      ...common,
      isOpen: true,
      effect: [
        'Creates a PacedTaintRule for this device. NoExecute evicts its pods; NoSchedule only keeps new pods away.',
      ],
    };
  const lines = await taint(acting, { dryRun: true });
  const isEvicting = fields.taint.endsWith(':NoExecute');
  const none = 'No pod is evicted: only NoExecute evicts. New pods are kept away by NoExecute and NoSchedule.';
  return { ...common, effect: isEvicting && lines.length > 0 ? lines : [none] };
}

export async function taint({ cluster, io, request, fields }: Acting, flags: Readonly<Record<string, boolean>>) {
  const said = captured(io);
  const rate = fields.rate ? { rate: fields.rate } : {};
  const args = ['taint', 'device', request.name, fields.taint ?? ''];
  await taintInCluster(cluster, { args, flags: { ...flags, ...rate }, io: said.io });
  return said.lines();
}

export async function untaint({ cluster, io, request }: Acting, dryRun: boolean): Promise<readonly string[]> {
  const said = captured(io);
  await untaintInCluster(cluster, { args: ['device', request.name], flags: dryRun ? { dryRun } : {}, io: said.io });
  return said.lines();
}
