import type { Progress } from '@svc/redact'
import type { CliContext } from '../program/cli-context.ts'
import { printable } from './printable.ts'

export interface RedactProgress {
  show(progress: Progress): void
  /** Clears the line. */
  end(): void
}

const SHOW_EVERY_MS = 200
const WORDS = { read: 'read', written: 'written', checked: 'checked' } as const

/** A progress line for the redaction; shown on a terminal only. */
export function redactProgress({ clock, stderr, stderrIsTerminal }: CliContext): RedactProgress {
  let shownMs = Number.NEGATIVE_INFINITY
  let isShown = false
  const bytesByStep = { read: 0, written: 0, checked: 0 }
  return {
    show({ step, bytes, file }) {
      bytesByStep[step] += bytes
      const nowMs = clock.monotonicMs()
      if (!stderrIsTerminal || nowMs - shownMs < SHOW_EVERY_MS) return
      shownMs = nowMs
      isShown = true
      const megabytes = (bytesByStep[step] / 1_000_000).toFixed(1)
      stderr(
        `\r\u001b[K${megabytes} MB ${WORDS[step]}${step === 'read' ? '' : `, ${printable(file)}`}`,
      )
    },
    end() {
      if (isShown) stderr('\r\u001b[K')
    },
  }
}
