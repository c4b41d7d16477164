// Watches the credential plugins that a kubeconfig starts: one that is slow is told once, and one that hangs is ended with all that it has started.
import type { ChildProcess } from 'node:child_process';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Milliseconds } from '../../model/time.ts';
import { endGroup, startInGroup } from './pluginGroup.ts';
import { objectOf } from './read.ts';

export interface PluginWatch {
  /** Called once for a plugin that does not answer for a while. */
  readonly say?: (text: string) => void;
  /** Default: 2 s. */
  readonly slowAfter?: Milliseconds;
  /** Default: 30 s. */
  readonly within?: Milliseconds;
}

/** client-node has no limit for a plugin, and hides its process. */
export function watchPlugins(config: KubeConfig, watch: PluginWatch = {}): KubeConfig {
  const { authenticators } = config as unknown as { authenticators: readonly { execFn?: typeof start }[] };
  const start = (command: string, args: readonly string[] = [], options: object = {}) =>
    watched(command, startInGroup(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }), watch);
  for (const one of authenticators) if (one.execFn) one.execFn = start;
  return config;
}

function watched(command: string, child: ChildProcess, watch: PluginWatch) {
  const { say, slowAfter = 2000, within = 30_000 } = watch;
  const slow = setTimeout(
    () => say?.(`credential plugin ${command} has not answered yet; it has ${within / 1000} s`),
    slowAfter,
  );
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    const why = `credential plugin ${command} did not answer within ${within / 1000} s: run it by hand to see what it waits for`;
    child.emit('error', new Error(why));
    endGroup(child, 'SIGKILL');
    // A process that has left the group may hold these open.
    child.stdout?.destroy();
    child.stderr?.destroy();
  }, within);
  let printed = '';
  let complained = '';
  child.stdout?.on('data', (text) => {
    printed += text;
  });
  child.stderr?.on('data', (text) => {
    complained += text;
  });
  // Runs before that of client-node, which takes the last error.
  child.once('close', (code, signal) => {
    clearTimeout(slow);
    clearTimeout(late);
    const why = isLate || child.pid === undefined ? undefined : whyRefused({ code, signal, printed, complained });
    if (why !== undefined) child.emit('error', new Error(`credential plugin ${command} ${why}`));
  });
  return child;
}

/** Characters of the plugin's own words. */
const mostWords = 300;

function whyRefused(ended: {
  readonly code: number | null;
  readonly signal: string | null;
  readonly printed: string;
  readonly complained: string;
}): string | undefined {
  const { code, signal } = ended;
  const complained = shortened(ended.complained);
  if (signal !== null) return `was ended by ${signal}`;
  if (code !== 0) return `ended with status ${code}: ${complained || 'it says nothing about why'}`;
  const credential = credentialIn(ended.printed);
  if (credential === 'Usable') return undefined;
  if (ended.printed.trim() === '') return `printed nothing: ${complained || 'run it by hand to see why'}`;
  if (credential === 'Other')
    return 'printed JSON that is no ExecCredential with a status: check its command and arguments';
  // What it printed is not shown: it may be a secret.
  return `printed text that is not the JSON of an ExecCredential: ${complained || 'check its command and arguments'}`;
}

function credentialIn(printed: string): 'Usable' | 'Other' | 'Unreadable' {
  try {
    const { status } = objectOf(JSON.parse(printed));
    return typeof status === 'object' && status !== null ? 'Usable' : 'Other';
  } catch {
    return 'Unreadable';
  }
}

function shortened(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > mostWords ? `${line.slice(0, mostWords)}…` : line;
}
