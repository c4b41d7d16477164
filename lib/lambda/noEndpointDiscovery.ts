// Replaces endpoint discovery in the bundles: DynamoDB has one endpoint per region, and no command of its client discovers another.

/** The client reads its options, and nothing reads what they say. */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
};

export const resolveEndpointDiscoveryConfig = <Config>(config: Config): Config => config;
