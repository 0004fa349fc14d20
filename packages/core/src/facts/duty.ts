/** Whether this monitor acts for a proxy that several monitors watch: takes its usage and queries the vendor through it. */
export interface Duty {
  isOurs(): boolean
  /** Calls `listener` each time this monitor takes over, before it acts for the proxy. */
  onTaken(listener: () => void): void
}

/** Duty of the only monitor, which always acts for the proxy. */
export const soleDuty: Duty = {
  isOurs: () => true,
  onTaken: () => undefined,
}
