// The commands of the documentation, and the place where a test runs each of them; a new command is never skipped.
import { readText, trackedFiles } from '../../house/sources.ts';
import { isBeginning, isCommand, notTyped, typedElsewhere } from './sentenceCommands.ts';

export interface PageCommand {
  readonly page: string;
  readonly command: string;
}

/** Every line of a fenced block marked `sh`; continued lines and a here-document belong to their command. */
export function commandsOf(page: string, text: string): readonly PageCommand[] {
  return spansOf(page, text).filter(({ isInSentence }) => !isInSentence);
}

interface Span extends PageCommand {
  readonly isInSentence: boolean;
}

/** Commands in blocks and in code spans of sentences, in the order of the text. */
function spansOf(page: string, text: string): readonly Span[] {
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```|`([^`\n]+)`/gm)].flatMap(
    ([, indent = '', mark, block = '', code]): readonly Span[] => {
      if (code !== undefined) return isCommand(code) ? [{ page, command: code, isInSentence: true }] : [];
      const lines = mark === 'sh' ? linesOf(block.replaceAll(new RegExp(`^${indent}`, 'gm'), '')) : [];
      return lines.map((command) => ({ page, command, isInSentence: false }));
    },
  );
}

function linesOf(block: string): readonly string[] {
  return [...block.replaceAll(/\s*\\\n\s*/g, ' ').matchAll(/^.*<<'?(\w+)'?.*\n[\s\S]*?^\1$|^.*$/gm)]
    .map(([one]) => (one.includes('\n') ? one : one.replace(/(^|\s+)#.*$/, '').trim()))
    .filter((one) => one !== '');
}

/** ADRs and the changelog describe the past and are skipped, as is a code span that is only a prefix of another command. */
export function pageCommands(): readonly PageCommand[] {
  const pages = trackedFiles().filter((file) => file.endsWith('.md') && !/^(docs\/adr\/|CHANGELOG)/.test(file));
  const spans = pages.flatMap((page) => spansOf(page, readText(page)));
  const isName = ({ command }: PageCommand) =>
    spans.some((one) => isBeginning(command, one.command) && (!one.isInSentence || !isBeginning(one.command, command)));
  return spans.filter((one) => !one.isInSentence || !isName(one)).map(({ page, command }) => ({ page, command }));
}

interface Place {
  /** The commands that run there; the first place that matches a command takes it. */
  readonly takes: RegExp;
  /** The test that runs them by `commandsAt`. */
  readonly file: string;
}

export const places = {
  /** `.ci/run` executes them itself: they take minutes, or would run this test again. */
  gate: {
    takes: /^npm test$|^npm run test:planted$|^sluice demo --once --json$/,
    file: 'test/commands/pageCommands.test.ts',
  },
  /** The packed program in an emulated account with EKS, beside a real control plane. */
  account: {
    takes: /^(aws|npx cdk|npm install --global) |^sluice (install|upgrade|uninstall|doctor --stack)\b/,
    file: 'test/deploy/install.deploy.test.ts',
  },
  /** A real control plane, with kubectl and Helm. */
  cluster: { takes: /\b(kubectl|helm) |^sluice doctor --kubeconfig /, file: 'test/cluster/pages.cluster.test.ts' },
  /** The simulated cluster and an emulated table; also for commands of no other place, which fail there if they are unknown. */
  simulated: { takes: /^/, file: 'test/commands/docs.emulator.test.ts' },
} as const satisfies Readonly<Record<string, Place>>;

export type PlaceName = keyof typeof places;

export function placeOf(command: string): PlaceName {
  const found = (Object.keys(places) as PlaceName[]).find((name) => places[name].takes.test(command));
  return found ?? 'simulated';
}

/** Release commands need root, qemu, the signer of Apple programs and minutes; test/release executes them with its own folders and keys. */
export const ofReleases: readonly { readonly takes: RegExp; readonly typed: readonly string[] }[] = [
  {
    takes: /npm run release\b/,
    typed: ["'run', '--silent', 'release', '--', '--out', out, '--key', key()", "'--dry-run'"],
  },
  { takes: /^cosign verify-blob /, typed: ["'verify-blob'", "'--key'", "'--insecure-ignore-tlog'", "'--bundle'"] },
  { takes: /^sha256sum --check SHA256SUMS$/, typed: ["'sha256sum', ['--check'", "'SHA256SUMS'"] },
];

/** The commands of a place in the order of pages and lines. */
export function commandsAt(place: PlaceName): readonly PageCommand[] {
  const isElsewhere = (command: string) =>
    [...ofReleases, ...typedElsewhere, ...notTyped].some(({ takes }) => takes.test(command));
  // The place `gate` keeps the commands that `.ci/run` executes.
  return pageCommands().filter(
    ({ command }) => placeOf(command) === place && (place === 'gate' || !isElsewhere(command)),
  );
}
