// `sluice get devices` and `sluice get taints`: published devices, their taints and the pods that use them.
import { taintText } from '../../decide/taintText.ts';
import { type DeviceOfCluster, devicesOf, deviceText, requireDevice, type TaintOfDevice } from '../cluster/devices.ts';
import type { OpenCluster } from '../cluster/open.ts';
import { readPicture } from '../cluster/picture.ts';
import { Failure } from '../failure.ts';
import { nearestHelp } from '../nearest.ts';
import type { Found } from '../output/print.ts';
import { ageText } from './age.ts';

export async function devicesFound(cluster: OpenCluster, name: string | undefined): Promise<Found<DeviceOfCluster>> {
  const devices = await listDevices(cluster, name);
  return {
    items: devices,
    columns: [
      { name: 'DEVICE', of: deviceText, isName: true },
      { name: 'TAINTS', of: ({ taints }) => taints.map(({ taint }) => taintText(taint)).join(', ') },
      { name: 'PODS', of: ({ pods }) => String(pods.length) },
      {
        name: 'DESCRIPTION',
        isOptional: true,
        of: ({ taints }) => taints.flatMap(({ taint }) => taint.description ?? []).join('; '),
      },
      { name: 'USED BY', wide: true, of: ({ pods }) => pods.join(', ') },
      { name: 'TAINTED BY', wide: true, of: ({ taints }) => taints.map(({ source }) => source).join(', ') },
    ],
    object: ({ driver, pool, device, taints, pods }) => ({
      kind: 'Device',
      driver,
      pool,
      device,
      taints: taints.map(taintObject),
      pods,
    }),
    name: (one) => `device/${deviceText(one)}`,
    isSingle: name !== undefined,
    noun: 'devices',
  };
}

async function listDevices(cluster: OpenCluster, name: string | undefined): Promise<readonly DeviceOfCluster[]> {
  const devices = devicesOf(await readPicture(cluster));
  if (name === undefined) return devices;
  requireDevice(name);
  const found = devices.filter((one) => deviceText(one) === name);
  if (found.length > 0) return found;
  throw new Failure(
    `no ResourceSlice in context ${cluster.context} publishes device ${name}`,
    nearestHelp(name, devices.map(deviceText), 'sluice get devices'),
  );
}

interface TaintRow extends TaintOfDevice {
  readonly devices: readonly DeviceOfCluster[];
}

/** One row per taint and source, for any number of devices. */
export async function taintsFound(
  cluster: OpenCluster,
  by: { readonly name: string | undefined; readonly now: number },
): Promise<Found<TaintRow>> {
  const devices = devicesOf(await readPicture(cluster));
  const all = devices.flatMap((device) => device.taints.map((one) => ({ one, device })));
  const rows = [...Map.groupBy(all, ({ one }) => `${taintText(one.taint)} ${one.source}`)].map(([, group]) => ({
    ...(group[0]?.one as TaintOfDevice),
    devices: group.map(({ device }) => device),
  }));
  const found = by.name === undefined ? rows : rows.filter(({ taint }) => taint.key === by.name);
  if (by.name !== undefined && found.length === 0)
    throw new Failure(
      `no device in context ${cluster.context} has a taint ${by.name}`,
      nearestHelp(
        by.name,
        rows.map(({ taint }) => taint.key),
        'sluice get taints',
      ),
    );
  return {
    items: found,
    columns: [
      { name: 'TAINT', of: ({ taint }) => taintText(taint), isName: true },
      { name: 'SOURCE', of: ({ source }) => source },
      { name: 'DEVICES', of: (one) => String(one.devices.length) },
      { name: 'PODS', of: (one) => String(new Set(one.devices.flatMap(({ pods }) => pods)).size) },
      { name: 'AGE', of: ({ taint }) => (taint.timeAdded === undefined ? '' : ageText(by.now - taint.timeAdded)) },
      { name: 'DESCRIPTION', isOptional: true, of: ({ taint }) => taint.description ?? '' },
      { name: 'ON', wide: true, of: (one) => one.devices.map(deviceText).join(', ') },
    ],
    object: (one) => ({ kind: 'DeviceTaint', ...taintObject(one), devices: one.devices.map(deviceText) }),
    name: ({ taint, source }) => `${source.replace(' ', '/').toLowerCase()}:${taintText(taint)}`,
    noun: 'taints',
  };
}

function taintObject({ taint, source }: TaintOfDevice): object {
  const { timeAdded, ...rest } = taint;
  return { ...rest, ...(timeAdded === undefined ? {} : { timeAdded: new Date(timeAdded).toISOString() }), source };
}
