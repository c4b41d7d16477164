// `sluice config use` and `config view`: the default installation and cluster for verbs without such options.
import { parse, stringify } from 'yaml';
import { findConfig } from '../../config/load.ts';
import { viewConfig } from '../../config/write.ts';
import type { Call } from '../definition.ts';
import { Failure, UsageFailure } from '../failure.ts';
import { textFlag } from '../flags.ts';
import { regionHelp } from '../installation/regionHelp.ts';
import { readRemembered, rememberedPath, type Target, writeRemembered } from '../installation/remembered.ts';
import { targetOf } from '../installation/target.ts';
import { line } from '../io.ts';
import { nearestHelp } from '../nearest.ts';
import { formatOf, printFound } from '../output/print.ts';
import { isPauseName } from '../pause/note.ts';

const fields = ['stack', 'region', 'table', 'cluster'] as const;

export async function run(call: Call): Promise<number> {
  const [verb, name = ''] = call.args;
  if (verb === 'use') use(call, name);
  else await view(call);
  return 0;
}

/** Options update what is remembered under the name: stack and table together, because they are of one installation; without options, the name must be known. */
function use({ flags, io }: Call, name: string): void {
  const { targets } = readRemembered(io.env);
  const given: Target = Object.fromEntries(
    fields.flatMap((one) => (textFlag(flags, one) === undefined ? [] : [[one, textFlag(flags, one)]])),
  );
  const known = Object.hasOwn(targets, name) ? targets[name] : undefined;
  if (!known && !isPauseName(name))
    throw new UsageFailure(`"${name}" is not a name: letters, digits, dashes, dots and underscores, 63 at most`);
  if (!known && Object.keys(given).length === 0)
    throw new Failure(
      `nothing is remembered under ${name}`,
      `${nearestHelp(name, Object.keys(targets), 'sluice config view')}; or: sluice config use ${name} --stack STACK --region REGION --cluster CLUSTER`,
    );
  refuseUnknown(given);
  const { stack: _, table: __, ...kept } = known ?? {};
  const isOther = (given.stack ?? given.table) !== undefined;
  const target: Target = { ...(isOther ? kept : known), ...given };
  writeRemembered(io.env, { current: name, targets: { ...targets, [name]: target } });
  line(
    io.out,
    `using ${name}: ${fields.flatMap((one) => (target[one] === undefined ? [] : [`${one} ${target[one]}`])).join(', ')}`,
  );
}

/** Mistyped now, each later verb would fail. A region that is newer than this release is set by AWS_REGION. */
function refuseUnknown({ region, stack }: Target): void {
  const help = region === undefined ? undefined : regionHelp(region);
  if (help !== undefined) throw new UsageFailure(help, 'for a newer region, omit --region and set AWS_REGION');
  if (stack !== undefined && !/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(stack))
    throw new UsageFailure(
      `"${stack}" is not the name of a stack: letters, digits and dashes, beginning with a letter`,
    );
}

async function view(call: Call): Promise<void> {
  const { io } = call;
  const format = await formatOf(call);
  const { current, targets } = readRemembered(io.env);
  const known = {
    file: rememberedPath(io.env),
    ...(current === undefined ? {} : { current }),
    targets,
    effective: targetOf(call),
  };
  const found = findConfig({ file: textFlag(call.flags, 'config'), environment: io.env, folder: process.cwd() });
  if (format.kind !== 'table' && format.kind !== 'wide') {
    const configuration = found && { file: found.file, values: parse(viewConfig(found.config)) as unknown };
    const whole = { kind: 'View', ...known, ...(configuration && { configuration }) };
    const names = Object.keys(targets);
    if (format.kind === 'name') for (const one of names) line(io.out, `target/${one}`);
    else
      await printFound(
        call,
        { items: [whole], columns: [], object: (one) => one, name: () => '', isSingle: true, noun: 'targets' },
        format,
      );
    return;
  }
  io.out.write(stringify(known));
  if (found) io.out.write(`---\n# ${found.file}, with every default\n${viewConfig(found.config)}`);
}
