// How the launcher ends when its terminal is closed: by the hangup, after its program, whatever Node runs it.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(path.join(tmpdir(), 'sluice-hangup-'));
const file = (name: string) => path.join(folder, name);

async function found(name: string): Promise<string> {
  for (let i = 0; i < 600 && !existsSync(file(name)); i++) await setTimeout(50);
  return readFileSync(file(name), 'utf8').trim();
}

it.runIf(process.platform === 'linux')(
  'the launcher whose terminal is closed ends after its program, by the hangup and not by a crash',
  async () => {
    const program = `const { writeFileSync } = require('node:fs');
      process.on('SIGHUP', () => setTimeout(() => { writeFileSync('${file('ended')}', ''); process.exit(3); }, 200));
      setInterval(() => undefined, 1000);
      writeFileSync('${file('started')}', '');`;
    const launch = `node scripts/run.mjs node -e "${program.replace(/\s+/g, ' ')}"`;
    // The terminal tells the shell alone, which waits for the status.
    const wait = 'trap "kill -HUP $child" HUP; wait $child; wait $child';
    const note = `echo $? > ${file('part')}; mv ${file('part')} ${file('status')}`;
    const command = `ulimit -c 0; ${launch} & child=$!; ${wait}; ${note}`;
    const terminal = spawn('script', ['--quiet', '--command', command, '/dev/null'], {
      cwd: root,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    try {
      await found('started');
      terminal.kill('SIGKILL');
      expect(Number(await found('status'))).toBe(128 + 1);
      expect(existsSync(file('ended'))).toBe(true);
    } finally {
      terminal.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);
