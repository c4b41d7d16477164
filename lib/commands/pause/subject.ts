// Subject of pause and resume: everything, one cluster, or an object in a cluster.
import { isClusterNamed } from '../cluster/open.ts';
import type { Call } from '../definition.ts';
import { UsageFailure } from '../failure.ts';
import { isSet, textFlag } from '../flags.ts';
import { hasInstallation } from '../installation/target.ts';
import { isPauseName } from './note.ts';

export type Subject =
  /** Every cluster of the installation, through the state table. */
  | { readonly kind: 'Everything' }
  /** One cluster of the installation, through the state table. */
  | { readonly kind: 'Cluster'; readonly cluster: string }
  /** The cluster of the kubeconfig, through an EvictionStop. */
  | { readonly kind: 'Stop' }
  | { readonly kind: 'rule' | 'policy' | 'taint' | 'namespace'; readonly name: string };

/** Subjects whose pause is written to the cluster itself. */
export type LiveSubject = Exclude<Subject, { kind: 'Everything' | 'Cluster' }>;

/**
 * `--kubeconfig` or `--context` means exactly that cluster, whatever installation is remembered. `--all --cluster NAME` is the
 * whole cluster NAME, so that a misspelt name is an error.
 */
export function subjectOf(call: Asking, verb: string): Subject {
  const subject = namedSubject(call, verb);
  refuseUnread(call, subject);
  return subject;
}

type Asking = Pick<Call, 'args' | 'flags' | 'io'>;

const inCluster = ['kubeconfig', 'context'] as const;
const inInstallation = ['cluster', 'stack', 'table', 'region', 'config'] as const;

/** Refuses options that have no effect: the user would believe that they choose where evictions stop. */
function refuseUnread({ flags }: Asking, subject: Subject): void {
  const isStored = subject.kind === 'Everything' || subject.kind === 'Cluster';
  const unread = (isStored ? inCluster : inInstallation).find((option) => textFlag(flags, option) !== undefined);
  if (unread !== undefined)
    throw new UsageFailure(
      `--${unread} has no effect: ${subject.kind === 'Stop' ? 'everything' : subjectWords(subject)} is paused in ${isStored ? 'the state table' : 'the cluster of a kubeconfig'}; nothing was written`,
      isStored ? `omit --${unread}` : 'specify the cluster: --context NAME',
    );
  const cluster = textFlag(flags, 'cluster');
  if (subject.kind === 'Cluster' && cluster !== undefined && cluster !== subject.cluster)
    throw new UsageFailure(
      `cluster ${subject.cluster} and --cluster ${cluster} differ; nothing was written`,
      'omit --cluster',
    );
}

function namedSubject(call: Asking, verb: string): Subject {
  const [kind, name] = call.args;
  if (isSet(call.flags, 'all')) {
    if (kind !== undefined)
      throw new UsageFailure(`--all cannot be combined with ${call.args.join(' ')}`, `see: sluice ${verb} --help`);
    const isNamed = isClusterNamed(call);
    const isInstalled = !isNamed && hasInstallation(call);
    const cluster = textFlag(call.flags, 'cluster');
    if (cluster === undefined) return isInstalled ? { kind: 'Everything' } : { kind: 'Stop' };
    if (isInstalled) return { kind: 'Cluster', cluster };
    throw new UsageFailure(
      `--cluster ${cluster} is a cluster of an installation, and no installation is given; nothing was written`,
      `specify --stack NAME or --table NAME, or ${verb} the cluster of a kubeconfig: sluice ${verb} --all --context NAME`,
    );
  }
  if (kind === undefined || name === undefined)
    throw new UsageFailure(
      `${verb} needs a kind and a name, or --all; nothing was written`,
      `specify both, such as rule NAME, or everything: sluice ${verb} --all`,
    );
  if (kind === 'cluster') return { kind: 'Cluster', cluster: name };
  return { kind: kind as 'rule' | 'policy' | 'taint' | 'namespace', name };
}

/** `isStanding`: names beside those that `sluice pause` gives, which stand where other programs or people have paused. */
export function nameFlag(call: Pick<Call, 'flags'>, isStanding: (name: string) => boolean = () => false): string {
  const name = textFlag(call.flags, 'name') ?? 'manual';
  if (!isPauseName(name) && !isStanding(name))
    throw new UsageFailure(`--name is "${name}": letters, digits, dashes, dots and underscores, 63 at most`);
  return name;
}

/** The subject as written on the command line. */
export function subjectWords(subject: Subject): string {
  switch (subject.kind) {
    case 'Everything':
    case 'Stop':
      return '--all';
    case 'Cluster':
      return `cluster ${subject.cluster}`;
    default:
      return `${subject.kind} ${subject.name}`;
  }
}
