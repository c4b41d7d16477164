// `sluice install` and `sluice upgrade`: preflight checks, preview, deployment of the parts in a safe order, final checks.
import { releasedDefinitions } from '../assets.ts';
import { isConfirmed } from '../confirm.ts';
import type { Call } from '../definition.ts';
import { examineInstallation, printFindings } from '../examine.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { isSet, textFlag } from '../flags.ts';
import { applyPart } from '../install/apply.ts';
import { untilHeard } from '../install/heard.ts';
import { type Order, orderOf } from '../install/order.ts';
import { costText } from '../install/outlook.ts';
import { examineBefore } from '../install/preflight.ts';
import { withStack } from '../install/stack.ts';
import { asTarget, missingStack, readTarget, type Target, writeDraft } from '../install/target.ts';
import { openWorkspace } from '../install/workspace.ts';
import { line } from '../io.ts';

export async function run(call: Call): Promise<number> {
  const { io } = call;
  const [verb = 'install'] = call.args;
  if (isSet(call.flags, 'printCrds')) {
    io.out.write(
      releasedDefinitions()
        .map((one) => `---\n${one.trimEnd()}\n`)
        .join(''),
    );
    return 0;
  }
  const image = imageOf(call);
  const target = await readTarget(call, { isFirst: verb === 'install' });
  const order = orderOf(target.account.deployed, call.program.version);
  refuseOther(verb, order, target);
  const { findings, sizes } = await examineBefore(call, target);
  printFindings({ out: io.err, env: io.env }, findings);
  if (findings.some(({ kind }) => kind === 'Problem'))
    throw new Failure('nothing was changed: fix the problems above first', 'then: run the same command again');
  const workspace = await openWorkspace(io);
  const from = { file: target.file, text: target.draft, workspace };
  const isDone = await withStack(call, from, async (stack) => {
    if (target.account.isBootstrapped) await stack.showDifference();
    else line(io.err, 'the stack is new, and the CDK bootstrap stack CDKToolkit will be created in the account');
    line(io.out, costText(sizes));
    if (!(await isConfirmed(call, questionOf(call, order, target)))) return false;
    if (writeDraft(target)) line(io.err, `wrote ${target.file}`);
    if (!target.account.isBootstrapped) await stack.bootstrap(environmentOf(target));
    for (const part of order.parts) await applyPart(part, { call, target, workspace, stack, image });
    return true;
  });
  if (!isDone) return 0;
  await untilHeard(call, target);
  const after = await examineInstallation(asTarget(call, target));
  printFindings(io, after);
  return after.some(({ kind }) => kind === 'Problem') ? 1 : 0;
}

function environmentOf({ account, region }: Target): string {
  return `aws://${account.account.kind === 'Found' ? account.account.value : ''}/${region}`;
}

/** Requires a digest, because a tag may later point to another image than the released one. */
function imageOf({ flags }: Call): string {
  const image = textFlag(flags, 'image');
  if (image !== undefined && /^[^\s@]+@sha256:[0-9a-f]{64}$/.test(image)) return image;
  throw new UsageFailure(
    image === undefined ? 'no image is given' : `the image ${image} has no digest`,
    'specify --image NAME@sha256:DIGEST: the image of watcher and executor of this release',
  );
}

function refuseOther(verb: string, { kind }: Order, { stackName, region, account }: Target): void {
  // An unread stack is a problem of the checks.
  if (account.unread !== undefined) return;
  if (verb === 'upgrade' && kind === 'Install')
    throw new Failure(missingStack({ stackName, region, account }), 'to create it: sluice install');
  if (verb === 'install' && (kind === 'Upgrade' || kind === 'RollBack'))
    throw new Failure(
      `stack ${stackName} in ${region} already has ${account.deployed === '' ? 'an unknown release' : `release ${account.deployed}`}`,
      'to change it: sluice upgrade',
    );
}

function questionOf({ program }: Call, { kind }: Order, { stackName, region, config }: Target): string {
  const clusters = config.clusters.map(({ name }) => name).join(', ');
  const what = kind === 'RollBack' ? 'Roll back to' : 'Deploy';
  return `${what} release ${program.version}: stack ${stackName} in ${region}, clusters ${clusters}?`;
}
