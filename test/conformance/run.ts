// Finds or builds the control plane that both peers run, then compares them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureBinary, findTools } from '../cluster/binary.ts';

const say = (line: string) => console.error(line);

// Only an ordinary exit stops the control planes.
for (const [signal, status] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.on(signal, () => process.exit(status));

async function run(): Promise<number> {
  const tools = findTools();
  if (tools.kind === 'Missing') {
    say(`npm run conformance compares with a real Kubernetes control plane that it builds itself.\n${tools.install}`);
    return 2;
  }
  const runs = mkdtempSync(path.join(tmpdir(), 'sluice-conformance-'));
  try {
    process.env.SLUICE_CONTROL_PLANE = await ensureBinary(tools.go, say);
    process.env.SLUICE_CLUSTER_RUNS = runs;
    const { conformance } = await import('./main.ts');
    return await conformance(process.argv.slice(2));
  } catch (error) {
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 2;
  } finally {
    rmSync(runs, { recursive: true, force: true });
  }
}

process.exit(await run());
