// Names that the stack, the chart and those who read them agree on: outputs, namespace, service accounts, and how pods take roles.

/** Of an installation that says nothing else. */
export const defaultStackName = 'Sluice';

/** As a cluster's name appears in the names of the stack's outputs, which have no dashes. */
export function outputNameOf(cluster: string): string {
  return cluster
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

/** The stack's output with the release that `sluice install` or `upgrade` deployed. */
export const releaseOutput = 'Release';

/** Where the chart is installed, as roles of pods name it. */
export const chartNamespace = 'sluice';

/** Service accounts of the chart that call AWS. */
export type ServiceAccount = 'sluice-watcher' | 'sluice-executor';

/** How pods of a cluster take IAM roles that the stack makes for them. */
export type WorkloadIdentity =
  | { readonly kind: 'podIdentity'; readonly clusterName: string }
  /** The cluster's OIDC issuer, for which the account has an identity provider. */
  | { readonly kind: 'irsa'; readonly issuer: string };

/** The stack's output with the role that it made for a cluster's watcher. */
export function watcherRoleOutput(cluster: string): string {
  return `WatcherRoleArn${outputNameOf(cluster)}`;
}

/** The stack's output with the role of an outbound cluster's executor. */
export function executorRoleOutput(cluster: string): string {
  return `ExecutorRoleArn${outputNameOf(cluster)}`;
}
