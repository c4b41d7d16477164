// `sluice version`: prints the release, the version of Node and the platform.
import type { Call } from '../definition.ts';
import { formatOf, printFound } from '../output/print.ts';

export async function run(call: Call): Promise<number> {
  const version = {
    version: call.program.version,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
  };
  await printFound(
    call,
    {
      items: [version],
      columns: [
        { name: 'SLUICE', of: (one) => one.version },
        { name: 'NODE', of: (one) => one.node },
        { name: 'PLATFORM', of: (one) => one.platform },
      ],
      object: (one) => one,
      name: (one) => one.version,
      isSingle: true,
      noun: 'version',
    },
    await formatOf(call),
  );
  return 0;
}
