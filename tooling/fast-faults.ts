/** Where `fast-service.ts` sends faults to its pipeline. */
export const FAULTS = 'faults'

/**
 * What each signal does to the pipeline's thread: ends its worker threads or itself as a crash would, hangs it for good or for 3 s, or closes its port.
 */
export const FAULT_OF_SIGNAL = {
  SIGWINCH: 'end_workers',
  SIGPWR: 'end',
  SIGURG: 'hang',
  SIGUSR2: 'block',
  SIGIO: 'close_port',
} as const

export type PipelineFault = (typeof FAULT_OF_SIGNAL)[keyof typeof FAULT_OF_SIGNAL]

export function blockFor(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}
