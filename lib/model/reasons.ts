// The conditions and Events that Sluice writes, with their objects, reasons and meanings; the reference page is generated from this.

/** Why a rule, a slice or a policy is held. */
export const holdReasons = {
  Stopped: 'An EvictionStop stops the cluster, or it is unknown whether one does.',
  Paused: 'An annotation, `spec.paused`, its EvictionPolicy or a pause of the cluster pauses it.',
  Expired: '`spec.expiresAt` or `sluice.dev/expires-at` has passed.',
  ExpiryUnreadable: 'The expiry is not an RFC 3339 time with a zone.',
  AwaitingApproval: 'Its plan needs an approval: the selector is empty, or the policy says `approval: Required`.',
  PlanGrew: 'Its plan was approved, and has more pods now than the approval covers.',
  SelectorRefused: 'A CEL selector cannot be used, so the rule selects no device.',
  DeviceClassNotFound: 'The DeviceClass of the selector does not exist, so the rule selects no device.',
  ObserverInDoubt: 'So many devices were tainted at once that their observer may be broken.',
  OutsideWindow: 'No window of its policy is open. The message says when the next one opens.',
  PolicyUnusable: 'Its policy has a value that cannot be used.',
  PoliciesContradict: 'Two equally specific policies have different settings for the taint.',
  PolicyGone: 'Its policy was deleted while pods waited under it.',
  OverLimits: 'Its plan exceeds `maxPods`, `maxNamespaces` or `maxPercent` of its policy and needs an approval.',
  StandsStill: 'The rate or burst of its taint is 0 or cannot be read. The message says where it is set.',
  Canary: 'The canary pods are being evicted, or its hold lasts.',
  SluiceOff: 'The mode of the source is `off` in this cluster.',
  SluiceShadow: 'The mode of the source is `shadow` in this cluster: Sluice decides and compares only.',
} as const;

const { SluiceOff, SluiceShadow, PolicyUnusable } = holdReasons;

interface Described {
  /** Kinds, as shown to people. */
  readonly on: string;
  /** What the condition reports, and what its status means. */
  readonly meaning: string;
  readonly reasons: Readonly<Record<string, string>>;
}

/** By type. Upstream's conditions keep upstream's types, reasons and texts. */
export const conditions = {
  EvictionInProgress: {
    on: 'DeviceTaintRule, PacedTaintRule',
    meaning: 'The in-tree controller’s condition, in its words. True while any pod is pending.',
    reasons: {
      PodsPendingEviction: 'Pods wait for their eviction, also while the rule is held.',
      NotStarted: 'No pod was evicted, and none is pending.',
      Completed: 'Pods were evicted, and none is pending.',
      NoEffect: 'The effect is `None`: the message counts devices and pods, once for each generation.',
      OtherEffect: 'The effect is not `NoExecute`.',
      SluiceOff,
      SluiceShadow,
    },
  },
  'sluice.dev/Held': {
    on: 'DeviceTaintRule, PacedTaintRule, DeviceTaintSlice, EvictionPolicy',
    meaning: 'True while no pod is evicted for it, with the command or setting that ends that.',
    reasons: { ...holdReasons, NotHeld: 'It was held, and is not any more.' },
  },
  'sluice.dev/Pacing': {
    on: 'DeviceTaintRule, PacedTaintRule',
    meaning: 'True while pods of one of its taints are evicted at a rate; absent while no pod waits.',
    reasons: {
      Paced: 'The message has rate, burst, their source, the next eviction and the estimated end.',
      Stopped: 'An EvictionStop stops the cluster, or it is unknown whether one does.',
      RateUnreadable: 'A rate or burst is not a number in its range. The message names it and its place.',
      StandsStill: 'The rate, the burst or a cap is 0.',
      Held: 'The rule, its policy or the cluster is held, or the watcher is silent.',
      NotPaced: 'The in-tree controller owns this native rule and evicts all pods at once.',
    },
  },
  'sluice.dev/Plan': {
    on: 'DeviceTaintRule, PacedTaintRule',
    meaning: 'The live plan of a dry run or of a held rule. True while it has pods.',
    reasons: {
      PodsWouldBeEvicted: 'The message counts pods, namespaces, time, budgets and free devices.',
      NoPodWouldBeEvicted: 'No pod matches.',
    },
  },
  'sluice.dev/SchedulerInformed': {
    on: 'PacedTaintRule, DeviceTaintSlice',
    meaning: 'True while native rules keep new pods away from its devices.',
    reasons: {
      Projected: 'The message counts the native rules.',
      NothingToProject: 'No selected device has to be avoided by new pods.',
      TooManyDevices: 'More native rules would be needed than `projection.maxRules` allows.',
      NotServed: 'The cluster serves no DeviceTaintRules.',
      Refused: 'The API server refused a native rule. It is tried again every minute.',
      SluiceOff,
      SluiceShadow,
    },
  },
  Accepted: {
    on: 'EvictionPolicy',
    meaning: 'True while the policy can be used.',
    reasons: {
      Accepted: 'It can be used.',
      PolicyUnusable,
      NeverOpens: 'Its windows never open.',
    },
  },
  DisruptionTarget: {
    on: 'Pod',
    meaning: 'The in-tree controller’s condition, set before the pod is deleted.',
    reasons: { DeletionByDeviceTaintManager: 'A NoExecute taint evicts the pod.' },
  },
  'sluice.dev/EvictionDue': {
    on: 'Pod',
    meaning: 'Set with DisruptionTarget; its lastTransitionTime is when the pod became due.',
    reasons: { UntoleratedTaint: 'A device of the pod has a NoExecute taint that it does not tolerate any more.' },
  },
} as const satisfies Readonly<Record<string, Described>>;

export type ConditionType = keyof typeof conditions;
export type ReasonOf<T extends ConditionType> = keyof (typeof conditions)[T]['reasons'];

/** By reason. */
export const eventReasons = {
  DeviceTaintManagerEviction: {
    on: 'Pod',
    meaning: 'The pod is about to be deleted, or a pending deletion was cancelled.',
  },
  EvictionModeUnreadable: {
    on: 'Pod',
    meaning: 'A label or annotation of the eviction mode cannot be read; the pod stays.',
  },
  EvictionLoop: {
    on: 'Pod',
    meaning: 'Pods of one owner came back to the device too often; the pod is kept until loopWindow ends.',
  },
  ReservedForMalformed: { on: 'ResourceClaim', meaning: 'The annotation that releases reservations cannot be read.' },
  TolerationsIgnored: {
    on: 'ResourceClaim',
    meaning: 'The annotation `sluice.dev/tolerations` cannot be read; the pods of the claim stay.',
  },
  ObjectRefused: {
    on: 'any kind that the watcher sends',
    meaning:
      'The object is too large to keep, or a slice too large for its attributes; pods that depend on it or them stay.',
  },
  ObserverInDoubt: {
    on: 'EvictionPolicy',
    meaning: 'So many devices were tainted at once that these taints are held.',
  },
  PolicyGone: { on: 'EvictionPolicy', meaning: 'The policy was deleted while pods waited under it; they stay.' },
  DeviceTaintRuleExpires: { on: 'DeviceTaintRule', meaning: 'The rule expires within ten minutes.' },
  PacedTaintRuleExpires: { on: 'PacedTaintRule', meaning: 'The rule expires within ten minutes.' },
} as const satisfies Readonly<Record<string, Omit<Described, 'reasons'>>>;
export type EventReason = keyof typeof eventReasons;
