// The schedule of an installation, as the pages tell a reader to find it.
import { ListFunctionsCommand } from '@aws-sdk/client-lambda';
import type { Machine, ReleaseUnderTest } from './machine.ts';

/** Fills `SWEEP`, the ARN of the function, and `SCHEDULE`, the rule that starts it. */
export async function withSweep(command: string, machine: Machine, release: ReleaseUnderTest): Promise<string> {
  if (!/SWEEP|SCHEDULE/.test(command)) return command;
  const { Functions = [] } = await machine.cloud.lambda.send(new ListFunctionsCommand({}));
  const arn = Functions.find(({ FunctionName = '' }) => FunctionName.includes('Sweep'))?.FunctionArn ?? '';
  const asked = `aws events list-rule-names-by-target --target-arn ${arn} --query 'RuleNames[0]' --output text`;
  const { said } = await machine.type(release, asked);
  return command.replace('SWEEP', arn).replace('SCHEDULE', said.trim());
}
