// Runs a program and ends it when this process's standard input closes: its parent is gone then, however it went.
import { spawn } from 'node:child_process';

const [command, ...rest] = process.argv.slice(2);
const child = spawn(command, rest, { stdio: ['ignore', 'inherit', 'inherit'] });
const end = () => child.kill('SIGKILL');
process.stdin.on('end', end).on('error', end).resume();
process.on('SIGTERM', end);
process.on('SIGINT', () => {});
child.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
child.on('exit', (status) => process.exit(status ?? 0));
