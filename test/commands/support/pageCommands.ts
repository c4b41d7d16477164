// The commands that pages tell people to type: every line of a fenced block marked `sh`.
import { readText, trackedFiles } from '../../house/sources.ts';

export interface PageCommand {
  readonly page: string;
  readonly command: string;
}

/** Lines that a backslash continues are one command; comments and empty lines are none. */
export function commandsOf(page: string, text: string): readonly PageCommand[] {
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
  const lines = blocks.flatMap((block) => block.replace(/\s*\\\n\s*/g, ' ').split('\n'));
  return lines
    .map((one) => one.replace(/\s+#.*$/, '').trim())
    .filter((one) => one !== '' && !one.startsWith('#'))
    .map((command) => ({ page, command }));
}

/** Decisions tell of their time. */
export function pageCommands(): readonly PageCommand[] {
  const pages = trackedFiles().filter((file) => file.endsWith('.md') && !/^(docs\/adr\/|CHANGELOG)/.test(file));
  return pages.flatMap((page) => commandsOf(page, readText(page)));
}

/** Commands that this harness leaves to others, by their beginning, with who runs them or why nothing here can. */
export const elsewhere: readonly { readonly begins: RegExp; readonly because: string }[] = [
  { begins: /^npm start$/, because: 'test/local runs it' },
  { begins: /^npm run test:faults\b/, because: '.ci/run plays as many histories as five minutes hold' },
  { begins: /^npm run test:planted\b/, because: '.ci/run plants every defect' },
  { begins: /^npm test$/, because: 'it runs this test' },
  { begins: /^sluice demo\b/, because: 'it is npm start, which test/local and .ci/run run' },
  { begins: /kubectl /, because: 'kubectl is not a package of npm; test/cluster applies the same files' },
  { begins: /^helm /, because: 'test/helm renders the chart, and test/cluster installs it' },
  { begins: /npm run release\b|^cosign |^sha256sum /, because: 'test/release builds the artefacts and verifies them' },
  {
    begins: /^npm install --global |^sluice (install|upgrade|uninstall)\b/,
    because: 'it needs an AWS account and a cluster of EKS',
  },
  { begins: /^aws /, because: 'it needs an AWS account' },
  {
    begins: /^npx cdk deploy\b/,
    because: 'it needs an AWS account; test/deploy deploys, and test/infra/app.test.ts allows a removal so',
  },
  {
    begins: /^sluice doctor --kubeconfig /,
    because: 'the simulated cluster answers no access reviews; test/cluster runs it on a real one',
  },
  { begins: /^sluice doctor --stack /, because: 'it needs a deployed stack; test/deploy runs it' },
  { begins: /^source <\(/, because: 'it changes the shell of the reader; test/commands/pages.test.ts runs the script' },
];
