// Commands inside sentences of pages: those that another test executes, and those that no test can execute, each with its reason.

/** Programs whose commands a reader copies from a sentence. */
const programs = /^(sluice|kubectl|helm|npm|npx|aws|cdk) \S/;

export function isCommand(code: string): boolean {
  return programs.test(code);
}

/** `sluice drain` is a prefix of `sluice drain node node-7`; a placeholder matches any word. */
export function isBeginning(command: string, of: string): boolean {
  const [short, long] = [command, of].map((one) => one.replace(/^npx /, '').split(' '));
  const isPlaceholder = (word: string) => /^[A-Z]{4,}$|[<…]/.test(word);
  return (
    short !== undefined &&
    long !== undefined &&
    short.length <= long.length &&
    short.every((word, i) => word === long[i] || isPlaceholder(word))
  );
}

interface Elsewhere {
  readonly takes: RegExp;
  readonly file: string;
  /** Text that the file contains. */
  readonly typed: string;
}

const ofCi = (name: string, more = ''): Elsewhere => ({
  takes: new RegExp(`^npm run ${name}(?= |$)`),
  file: '.ci/run',
  typed: `npm run --silent ${name}${more}`,
});

/** Commands for contributors that take minutes: `.ci/run` or the named file executes them or what they start. */
export const typedElsewhere: readonly Elsewhere[] = [
  ...['browser', 'cluster', 'deploy', 'install', 'mutation', 'planted'].map((tier) => ofCi(`test:${tier}`)),
  ofCi('conformance', ' -- --cases 25'),
  ofCi('docs'),
  { takes: /^npm test\b/, file: '.ci/run', typed: 'tier test npm test --silent' },
  { takes: /^npm start -- --once\b/, file: '.ci/run', typed: 'npm start --silent -- --once --json' },
  { takes: /^npm run (check|format)$/, file: 'scripts/test.ts', typed: "runTool('biome'" },
  { takes: /^npm run test:release$/, file: '.github/workflows/release.yml', typed: 'npm run test:release' },
  { takes: /^npm run manifests$/, file: 'test/cluster/chart.cluster.test.ts', typed: 'renderManifests()' },
  { takes: /^npm run pictures$/, file: 'test/local/demo/pictures.browser.test.ts', typed: 'npm run pictures' },
  { takes: /^(npx )?cdk destroy$/, file: 'test/deploy/support/cdk.ts', typed: "['destroy', '--force']" },
  { takes: /^(npx )?cdk bootstrap$/, file: 'test/deploy/support/cdk.ts', typed: "'bootstrap', `aws://" },
  { takes: /^cdk diff$/, file: 'test/deploy/support/cdk.ts', typed: "['diff', '--fail'" },
];

/** Commands that no test executes. */
export const notTyped: readonly { readonly takes: RegExp; readonly because: string }[] = [
  { takes: /^npm run bench\b/, because: 'it measures a machine, and no result is wrong' },
  {
    takes: /^npm run test:localstack$/,
    because: 'it runs the suite of test:deploy, and takes minutes to install LocalStack',
  },
  { takes: /^npm install --save-exact --ignore-scripts$/, because: 'it lacks the name of a package' },
  { takes: /^npm run test:faults -- --replay FILE$/, because: 'only a failed run writes the file' },
  { takes: /^kubectl (drain|sluice)$/, because: 'the sentence only names it' },
  { takes: /^cdk drift$/, because: 'the emulated account cannot detect drift' },
  {
    takes: /^aws sqs (receive-message|start-message-move-task) /,
    because: 'version 1 of the AWS CLI calls queue.amazonaws.com, whatever endpoint is set',
  },
];
