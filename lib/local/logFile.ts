// Log file of functions and watcher in a local run, so that the terminal stays readable; counts errors.
import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';

export interface LogFile {
  readonly path: string;
  /** Number of lines of level ERROR, and of lines that are not JSON, such as the stack of a crash. */
  readonly errors: () => number;
  readonly lastError: () => string;
  write(source: string, line: string): void;
  close(): void;
}

/** `isTemporary`: the file is removed at the end, unless it has errors to read. */
export function createLogFile(file: string, { isTemporary = false } = {}): LogFile {
  mkdirSync(path.dirname(file), { recursive: true });
  const stream = createWriteStream(file);
  let errors = 0;
  let lastError = '';
  return {
    path: file,
    errors: () => errors,
    lastError: () => lastError,
    write(source, line) {
      if (isError(line)) {
        errors++;
        lastError = `${source}: ${line.slice(0, 300)}`;
      }
      stream.write(`${source} ${line}\n`);
    },
    close() {
      stream.end();
      if (isTemporary && errors === 0) rmSync(file, { force: true });
    },
  };
}

function isError(line: string): boolean {
  try {
    const parsed: unknown = JSON.parse(line);
    return (parsed as { level?: string } | null)?.level === 'ERROR';
  } catch {
    return line.trim() !== '';
  }
}
