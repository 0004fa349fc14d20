/** Whether this monitor is the one that acts for a proxy, where several watch it: takes its usage and asks the vendor through it. */
export interface Duty {
  isOurs(): boolean
  /** Calls `listener` whenever it has become ours, before anything is done about it. */
  onTaken(listener: () => void): void
  /** Asks `conduct` from now on before the proxy goes from one monitor to another that has fewer. */
  watch(conduct: Conduct): void
}

/** State of a monitor with regard to a proxy, whether it acts for the proxy or not. */
export interface Conduct {
  /** Whether the proxy answers this monitor, so that it could act. */
  isAble(): boolean
  /** Whether nothing is under way: no usage taken but not yet stored, and no query to the vendor. */
  isAtRest(): boolean
}

/** Duty of the only monitor: no other one acts for the proxy. */
export const soleDuty: Duty = {
  isOurs: () => true,
  onTaken: () => undefined,
  watch: () => undefined,
}
