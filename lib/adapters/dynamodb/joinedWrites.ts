// Joins the transactions of one turn of the event loop: concurrently written pods need few requests.
import type { Key, Table, Write } from '../../table.ts';

/** Maximum rows of a joint transaction: a larger one conflicts with more writers. One-row transactions may use DynamoDB's limit of 100. */
const mostRows = 25;
const mostAlone = 100;

/**
 * Minimum for joining one-row transactions: a row in a transaction costs twice a single write (DynamoDB); below this the saved calls do not
 * pay for it.
 */
const fewestRows = 20;

type Outcome = Awaited<ReturnType<Table['transact']>>;

interface Asked {
  readonly writes: readonly Write[];
  readonly settle: (outcome: Promise<Outcome>) => void;
}

/**
 * Each transaction stays atomic. A joint transaction that is lost, or rejected for its size, has written nothing, so its parts are retried
 * one by one; if it fails without a response, all parts fail.
 */
export function joinTransactions(table: Table): Table {
  let open: Asked[] = [];
  const send = () => {
    const asked = open;
    open = [];
    for (const parts of jointOf(asked)) void sendTogether(table, parts);
  };
  return {
    ...table,
    transact: (writes) =>
      new Promise<Outcome>((settle) => {
        if (open.length === 0) setImmediate(send);
        open.push({ writes, settle });
      }),
  };
}

/** Groups transactions in order, as many as fit together; no two with the same row. */
function jointOf(asked: readonly Asked[]): readonly (readonly Asked[])[] {
  const joint: { readonly parts: Asked[]; readonly rows: Set<string> }[] = [];
  for (const one of asked) {
    const rows = one.writes.map(rowOf);
    const last = joint.at(-1);
    const most = rows.length === 1 && last?.parts.every(({ writes }) => writes.length === 1) ? mostAlone : mostRows;
    const fits = last && last.rows.size + rows.length <= most && rows.every((row) => !last.rows.has(row));
    const into = fits ? last : { parts: [], rows: new Set<string>() };
    if (!fits) joint.push(into);
    into.parts.push(one);
    for (const row of rows) into.rows.add(row);
  }
  return joint.map(({ parts }) => parts);
}

async function sendTogether(table: Table, parts: readonly Asked[]): Promise<void> {
  const alone = ({ writes, settle }: Asked) => settle(sendAlone(table, writes));
  const areFew = parts.length < fewestRows && parts.every(({ writes }) => writes.length === 1);
  if (areFew || parts.length === 1) return parts.forEach(alone);
  const outcome = table.transact(parts.flatMap(({ writes }) => writes));
  const hasWrittenNothing = await outcome.then(({ kind }) => kind === 'Lost', isRefused);
  if (hasWrittenNothing) parts.forEach(alone);
  else for (const { settle } of parts) settle(outcome);
}

async function sendAlone(table: Table, writes: readonly Write[]): Promise<Outcome> {
  const [first, ...others] = writes;
  if (!first || others.length > 0) return table.transact(writes);
  return { kind: (await table.write(first)).kind };
}

/** Rejected for its size: the limit is 4 MB (DynamoDB API, TransactWriteItems). */
function isRefused(error: unknown): boolean {
  return error instanceof Error && error.name === 'ValidationException';
}

function rowOf(write: Write): string {
  const { pk, sk }: Key = write.kind === 'Put' ? write.row : write.key;
  return `${pk}\n${sk}`;
}
