// Reads new log lines of an embedded Sluice since the last call: name of the part, and line.
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';

export type LogLine = readonly [source: string, line: string];

export function createLogReader(file: string): () => readonly LogLine[] {
  let at = 0;
  let rest = '';
  return () => {
    if (!existsSync(file)) return [];
    const bytes = Buffer.alloc(statSync(file).size - at);
    const opened = openSync(file, 'r');
    readSync(opened, bytes, 0, bytes.length, at);
    closeSync(opened);
    at += bytes.length;
    const lines = `${rest}${bytes}`.split('\n');
    rest = lines.pop() ?? '';
    return lines.map((line): LogLine => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);
  };
}
