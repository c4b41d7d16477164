// Runs a tool of this project under Node 24 whatever Node started it: `node scripts/run.mjs <tool> [argument...]`.
// Plain JavaScript for Node 18 and later, because it is what runs before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const oldestNode = [22, 19];

/** Installs `folder` from its lock file unless that very lock file is what is installed already. */
function install(folder, what) {
  const lock = createHash('sha256')
    .update(readFileSync(path.join(folder, 'package-lock.json')))
    .digest('hex');
  const stamp = path.join(folder, 'node_modules', '.sluice-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  process.stderr.write(`installing ${what} (once) ...\n`);
  // Both kinds of dependencies are named because NODE_ENV=production or a user's .npmrc would leave them out.
  const always = ['--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  const npm = spawnSync('npm', ['ci', ...always, '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) {
    console.error(`npm ci failed in ${folder}: see above; is the npm registry reachable?`);
    process.exit(1);
  }
  mkdirSync(path.dirname(stamp), { recursive: true });
  writeFileSync(stamp, lock);
}

/** The folder that holds a Node new enough: this one's own, else the one that `toolchain/` installs. */
function nodeFolder() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]))
    return path.dirname(process.execPath);
  const toolchain = path.join(root, 'toolchain');
  install(toolchain, 'Node 24');
  const name = `node-${process.platform}-${process.arch}`;
  const folder = path.join(toolchain, 'node_modules', name, 'bin');
  if (existsSync(path.join(folder, 'node'))) return folder;
  console.error(
    `Sluice needs Node ${oldestNode.join('.')} or later; this is ${process.version} and npm has no ${name} package. Install Node 24 and run this again.`,
  );
  process.exit(1);
}

const [tool, ...rest] = process.argv.slice(2);
if (!tool) {
  console.error('usage: node scripts/run.mjs <node | tool in node_modules/.bin> [argument...]');
  process.exit(2);
}
const bin = nodeFolder();
install(root, 'packages');
const tools = path.join(root, 'node_modules', '.bin');
const command = tool === 'node' ? path.join(bin, 'node') : path.join(tools, tool);
const child = spawn(command, rest, {
  stdio: 'inherit',
  env: { ...process.env, PATH: [bin, tools, process.env.PATH].join(path.delimiter) },
});
// A terminal sends Ctrl-C to the whole group, so the child has it already; only a lone kill has to be handed on.
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
process.on('SIGINT', () => {
  if (!process.stdin.isTTY) child.kill('SIGINT');
});
child.on('error', (error) => {
  console.error(`cannot start ${command}: ${error.message}`);
  process.exit(1);
});
// As shells report it: 128 and the number of the signal.
child.on('exit', (code, signal) => process.exit(code ?? 128 + os.constants.signals[signal]));
