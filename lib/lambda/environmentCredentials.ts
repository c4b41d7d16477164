// Replaces the SDK's credential provider chain in the bundles: AWS Lambda provides a function's credentials in the environment only.
import { fromEnv } from '@aws-sdk/credential-provider-env';

/** The chain would add clients for SSO, STS and the login flow, a seventh of every bundle, which no function can use. */
export const defaultProvider = () => fromEnv();
