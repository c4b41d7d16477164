// What helps against an error of AWS, from its name or message; pure.

const login = 'set AWS_PROFILE, or log in: aws sso login';
const identity = 'check your AWS identity: aws sts get-caller-identity';

const remedies: readonly (readonly [RegExp, string])[] = [
  [/Expired/, 'log in again: aws sso login'],
  [/CredentialsProviderError|load credentials/, login],
  [/UnrecognizedClient|AccessDenied|InvalidClientTokenId|not authorized|security token/, identity],
  [
    /ECONNREFUSED|ENOTFOUND|ECONNRESET|ETIMEDOUT|EAI_AGAIN|TimeoutError|timed out/,
    'check the region and the connection to AWS',
  ],
];

/** `text`: name and message of the error. */
export function awsRemedy(text: string): string | undefined {
  return remedies.find(([of]) => of.test(text))?.[1];
}
