// Tiers of test files; a file belongs to the first tier whose pattern matches.
import { readdirSync } from 'node:fs';
import path from 'node:path';

export const root = path.join(import.meta.dirname, '..');

export interface Tier {
  readonly name: string;
  readonly shows: string;
  readonly matches: RegExp;
  /** Requirements besides Node and npm; such a tier has its own command. */
  readonly needs?: string;
  /** Options for Vitest. */
  readonly options?: readonly string[];
}

const tiers: readonly Tier[] = [
  {
    name: 'browser',
    shows: 'the console in a real browser',
    matches: /\.browser\.test\.ts$/,
    needs: 'Chromium',
  },
  {
    name: 'emulator',
    shows: 'adapters and processes against local emulators',
    matches: /\.emulator\.test\.ts$/,
    // These tests mostly wait for processes.
    options: ['--maxWorkers=3'],
  },
  { name: 'contract', shows: 'every port and its fake keep one contract', matches: /^test\/contracts\// },
  { name: 'scenario', shows: 'clusters that change, in every order', matches: /^test\/scenarios\// },
  { name: 'template', shows: 'the synthesized CloudFormation template', matches: /^test\/infra\// },
  { name: 'prose', shows: 'plain words', matches: /^test\/house\/prose\.test\.ts$/ },
  { name: 'house', shows: 'layers, links, pins and pages', matches: /^test\/(house\/|architecture\.test\.ts$)/ },
  {
    name: 'unit',
    shows: 'rules and laws',
    matches: /^test\//,
    // Modules have no state shared between files, and reloading them per file takes longer than most files run.
    options: ['--no-isolate'],
  },
];

/** In execution order: the fastest and most frequent failures first. */
export const tierOrder = ['prose', 'house', 'unit', 'scenario', 'contract', 'template', 'emulator', 'browser'] as const;

export function tierOf(file: string): Tier | undefined {
  return tiers.find((tier) => tier.matches.test(file));
}

export function getTier(name: string): Tier {
  const found = tiers.find((tier) => tier.name === name);
  if (!found) throw new Error(`there is no tier ${name}; tiers are ${tierOrder.join(', ')}`);
  return found;
}

/** Folders that need more than Node and npm and have their own runners: `npm run test:cluster`, `test:deploy`, `test:release`. */
const withRunners = ['test/cluster/', 'test/deploy/', 'test/release/'];

export function filesOf(tier: Tier): readonly string[] {
  return readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.split(path.sep).join('/')}`)
    .filter((file) => file.endsWith('.test.ts') && !withRunners.some((folder) => file.startsWith(folder)))
    .filter((file) => tierOf(file) === tier)
    .sort();
}
