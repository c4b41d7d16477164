// Stands in for the SDK's chain of credential providers in the bundles: AWS Lambda gives a function its role by environment alone.
import { fromEnv } from '@aws-sdk/credential-provider-env';

/** The chain also brings clients of SSO, STS and the login flow along, a seventh of every bundle, which no function can use. */
export const defaultProvider = () => fromEnv();
