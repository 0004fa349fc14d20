/** Whether this monitor is the one that acts for a proxy, where several watch it: takes its usage and asks the vendor through it. */
export interface Duty {
  isOurs(): boolean
  /** Calls `listener` whenever it has become ours, before anything is done about it. */
  onTaken(listener: () => void): void
}

/** Duty of the only monitor: no other one acts for the proxy. */
export const soleDuty: Duty = {
  isOurs: () => true,
  onTaken: () => undefined,
}
