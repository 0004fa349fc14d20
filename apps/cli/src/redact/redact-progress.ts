import type { Progress } from '@svc/redact'
import type { CliContext } from '../program/cli-context.ts'
import { printable } from './printable.ts'

export interface RedactProgress {
  show(progress: Progress): void
  /** Clears the line. */
  end(): void
}

const SHOW_EVERY_MS = 200

/** A progress line for the redaction; shown on a terminal only. */
export function redactProgress({ clock, stderr, stderrIsTerminal }: CliContext): RedactProgress {
  let shownMs = Number.NEGATIVE_INFINITY
  let isShown = false
  const bytesByStep = { read: 0, written: 0, checked: 0 }
  const done = (step: keyof typeof bytesByStep) =>
    `${(bytesByStep[step] / 1_000_000).toFixed(1)} MB ${step}`
  const lineOf = (progress: Progress) => {
    switch (progress.step) {
      case 'read':
        return done('read')
      case 'preparing':
        return `${done('read')}, preparing`
      default:
        return `${done(progress.step)}, ${printable(progress.file)}`
    }
  }
  return {
    show(progress) {
      const isPreparing = progress.step === 'preparing'
      if (!isPreparing) bytesByStep[progress.step] += progress.bytes
      const nowMs = clock.monotonicMs()
      // Nothing else is shown until preparation ends.
      const isDue = isPreparing || nowMs - shownMs >= SHOW_EVERY_MS
      if (!stderrIsTerminal || !isDue) return
      shownMs = nowMs
      isShown = true
      stderr(`\r\u001b[K${lineOf(progress)}`)
    },
    end() {
      if (isShown) stderr('\r\u001b[K')
    },
  }
}
