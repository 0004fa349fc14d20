/** The channel on which `paced-service.entry.ts` sends faults to its pipeline. */
export const FAULTS = 'faults'

/**
 * The signal that brings each fault to a paced service: its pipeline's thread ends its own worker threads, or itself as a crash would,
 * hangs for good, or closes its port; `block` holds up every thread for 3 s.
 */
export const SIGNAL_OF_FAULT = {
  end_workers: 'SIGWINCH',
  end: 'SIGPWR',
  hang: 'SIGURG',
  block: 'SIGUSR2',
  close_port: 'SIGIO',
} as const

export type ServiceFault = keyof typeof SIGNAL_OF_FAULT

export function blockFor(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}
