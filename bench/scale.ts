// Measures a large cluster on this machine: memory of every function, or the initial mirror and a rule on a real API server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBinary, findTools } from '../test/cluster/binary.ts';
import { measureFunctions } from './scale/functions.ts';
import { measureRealCluster } from './scale/realCluster.ts';

const { values } = parseArgs({
  options: {
    pods: { type: 'string' },
    rules: { type: 'string', default: '10000' },
    'evict-seconds': { type: 'string', default: '120' },
    minutes: { type: 'string', default: '18' },
    real: { type: 'boolean', default: false },
  },
});
const began = Date.now();
const say = (line: string) =>
  console.error(`${String(Math.round((Date.now() - began) / 1000)).padStart(5)} s  ${line}`);
if (values.real) {
  const tools = findTools();
  if (tools.kind === 'Missing') {
    console.error(
      `bench:scale -- --real starts a real Kubernetes control plane that it builds itself.\n${tools.install}`,
    );
    process.exit(2);
  }
  process.env.SLUICE_CLUSTER_RUNS = mkdtempSync(path.join(tmpdir(), 'sluice-scale-'));
  process.env.SLUICE_CONTROL_PLANE = await ensureBinary(tools.go, say);
  const order = { pods: Number(values.pods ?? 20_000), evictSeconds: Number(values['evict-seconds']) };
  try {
    const measured = await measureRealCluster({ ...order, rate: { perSecond: 10, burst: 10 }, say });
    console.log(JSON.stringify(measured, undefined, 2));
    // Speed is only printed; fail if no pod was evicted or not all pods were listed.
    if (!(measured.deleted > 0) || measured.listedSeconds === undefined) process.exitCode = 1;
  } finally {
    rmSync(process.env.SLUICE_CLUSTER_RUNS, { recursive: true, force: true });
  }
} else {
  const { text, isBounded } = await measureFunctions({
    pods: Number(values.pods ?? 100_000),
    rules: Number(values.rules),
    evictSeconds: Number(values['evict-seconds']),
    minutes: Number(values.minutes),
    say: (line) => console.error(line),
  });
  console.log(text);
  if (!isBounded) process.exitCode = 1;
}
process.exit();
