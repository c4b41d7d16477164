// Errors of AWS in words, and what helps against them, from name or message; pure.

/** Also a mistyped profile has no credentials. */
export const login =
  'sign in (aws sso login), or set AWS_PROFILE (aws configure list-profiles) or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
const identity = 'check your AWS identity: aws sts get-caller-identity';
const connection = 'check the region and the connection to AWS';
const notAws = 'the answer is not one of AWS';

const remedies: readonly (readonly [RegExp, string])[] = [
  [/expired/i, 'log in again: aws sso login'],
  [/CredentialsProviderError|load credentials/, login],
  [/UnrecognizedClient|AccessDenied|InvalidClientTokenId|not authorized|security token/, identity],
  [/ECONNREFUSED|ENOTFOUND|ECONNRESET|ETIMEDOUT|EAI_AGAIN|TimeoutError|timed out/, connection],
  [new RegExp(notAws), connection],
];

/** `text`: name and message of the error. */
export function awsRemedy(text: string): string | undefined {
  return remedies.find(([of]) => of.test(text))?.[1];
}

/** Message of an error of the SDK; a proxy's page, which the SDK cannot parse, is told as such. */
export function awsText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = error.message || error.name;
  return /^(Unknown(Error)?|.*is not valid JSON.*|.*Deserialization error.*)$/s.test(text) ? notAws : text;
}
