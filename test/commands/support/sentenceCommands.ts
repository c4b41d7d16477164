// Commands that stand within sentences of pages: which of them another test types, and which none can type, each with its reason.

/** Programs whose commands a reader types out of a sentence. */
const programs = /^(sluice|kubectl|helm|npm|npx|aws|cdk) \S/;

export function isCommand(code: string): boolean {
  return programs.test(code);
}

/** `sluice drain` of `sluice drain node node-7`; what stands for a name is any word. */
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
  /** What stands in the file. */
  readonly typed: string;
}

const ofCi = (name: string, more = ''): Elsewhere => ({
  takes: new RegExp(`^npm run ${name}(?= |$)`),
  file: '.ci/run',
  typed: `npm run --silent ${name}${more}`,
});

/** Of contributors: they take minutes, and `.ci/run` or the test that is named types them or runs what they start. */
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

/** What no test types. */
export const notTyped: readonly { readonly takes: RegExp; readonly because: string }[] = [
  { takes: /^npm run bench\b/, because: 'it measures a machine, and no figure of it is wrong' },
  {
    takes: /^npm run test:localstack$/,
    because: 'it is the suite of test:deploy, and installs LocalStack for minutes',
  },
  { takes: /^npm install --save-exact --ignore-scripts$/, because: 'it lacks the package that someone wants' },
  { takes: /^npm run test:faults -- --replay FILE$/, because: 'a run that failed writes the file' },
  { takes: /^kubectl (drain|sluice)$/, because: 'it is named and not told to be typed' },
  { takes: /^cdk drift$/, because: 'the emulated account compares nothing with its template' },
  {
    takes: /^aws sqs (receive-message|start-message-move-task) /,
    because: 'version 1 of the AWS command line asks queue.amazonaws.com, whatever endpoint is set',
  },
];
