import type { CliContext } from './cli-context.ts'

/** Longest gap between the two signals of one Ctrl-C: a program started by npm or npx receives it from the terminal and from npm. */
const SAME_KEY_PRESS_MS = 2_000

/** Resolves with the first stop signal; a second one ends the process at once. */
export function firstStopSignal({ clock, dieBy, onSignal }: CliContext): Promise<string> {
  return new Promise((resolve) => {
    let askedAtMs: number | null = null
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      onSignal(signal, () => {
        if (askedAtMs === null) {
          askedAtMs = clock.monotonicMs()
          resolve(signal)
        } else if (signal === 'SIGTERM' || clock.monotonicMs() - askedAtMs > SAME_KEY_PRESS_MS)
          dieBy(signal)
      })
    }
  })
}
