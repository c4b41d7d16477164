// The grants of the stack's functions, one case each, and in which account each is tried.
import { type FunctionName, sendsTo, tableActions } from '../../../infra/grants.ts';
import type { Grant } from './policies.ts';

/** Which functions are tried in one account; two accounts side by side take half as long. */
const accounts: Readonly<Record<FunctionName, Account>> = {
  ingest: 'OfThePath',
  evaluate: 'Beside',
  evict: 'OfThePath',
  report: 'OfThePath',
  sweep: 'Beside',
  widget: 'Beside',
};
const functions = Object.keys(sendsTo) as FunctionName[];

export interface Case {
  readonly name: FunctionName;
  readonly grant: string;
  readonly isTaken: (grant: Grant) => boolean;
  /** As the denial names it. */
  readonly denied: RegExp;
  /** A resource of the API server that does not answer meanwhile. */
  readonly broken?: string;
}

const onTable = (name: FunctionName) =>
  tableActions[name].map(
    (action): Case => ({
      name,
      grant: `dynamodb:${action}`,
      isTaken: (grant) => grant.action === `dynamodb:${action}`,
      denied: new RegExp(`not authorized to perform: dynamodb:${action}\\b`),
    }),
  );
const onQueues = (name: FunctionName) =>
  sendsTo[name].map(
    (stage): Case => ({
      name,
      grant: `sqs:SendMessage to ${stage}`,
      isTaken: (grant) => grant.action.startsWith('sqs:SendMessage') && grant.on.endsWith(`Sluice-${stage}`),
      // The emulator does not name the queue; no other grant is missing.
      denied: /not authorized to perform: sqs:SendMessage/,
    }),
  );
/** Those that need a rule over many pods come first, while there are many. */
const cases: readonly Case[] = [
  // Evict sends to its own queue only after two minutes of work: gaps.ts.
  ...functions
    .flatMap((name) => [...onTable(name), ...onQueues(name)])
    .filter(({ name, grant }) => !(name === 'evict' && grant.endsWith('to evict')))
    // The sweep deletes only rows of an earlier cluster.
    .filter(({ name, grant }) => !(name === 'sweep' && grant.endsWith(':DeleteItem'))),
  {
    name: 'report',
    grant: 'sqs:ChangeMessageVisibility of its own queue',
    isTaken: (grant) => grant.action.startsWith('sqs:ChangeMessageVisibility'),
    denied: /not authorized to perform: sqs:ChangeMessageVisibility/,
    broken: 'devicetaintrules',
  },
];

export type Account = 'OfThePath' | 'Beside';

export function casesOf(account: Account): readonly Case[] {
  return cases.filter(({ name }) => accounts[name] === account);
}
