// Why pods stay although a taint would have them go.

export interface Hold {
  readonly reason:
    | 'Paused'
    | 'Expired'
    | 'ExpiryUnreadable'
    | 'AwaitingApproval'
    | 'PlanGrew'
    | 'SelectorRefused'
    | 'DeviceClassNotFound'
    | 'OutsideWindow'
    | 'PolicyUnusable'
    | 'OverLimits'
    | 'Canary'
    | 'SluiceOff'
    | 'SluiceShadow';
  /** A sentence for the rule's condition. */
  readonly message: string;
}
