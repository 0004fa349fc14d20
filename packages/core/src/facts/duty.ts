/** Whether this monitor is the one that acts for a proxy, where several watch it: takes its usage and asks the vendor through it. */
export interface Duty {
  isOurs(): boolean
  /** Calls `listener` whenever it has become ours, before anything is done about it. */
  onTaken(listener: () => void): void
  /** Asks `conduct` from now on before the proxy goes from one monitor to another that has fewer. */
  watch(conduct: Conduct): void
}

/** How a monitor does with a proxy, whether it acts for it or not. */
export interface Conduct {
  /** Whether the proxy answers it, so that it could act. */
  isAble(): boolean
  /** Whether nothing is under way: no usage that was taken and is not stored, and no question to the vendor. */
  isAtRest(): boolean
}

/** Nobody else acts for the proxy. */
export const soleDuty: Duty = {
  isOurs: () => true,
  onTaken: () => undefined,
  watch: () => undefined,
}
