import type { CliContext } from './cli-context.ts'

export interface ProgressLine {
  show(done: { readonly rows: number; readonly total: number }): void
  /** Clears the line. */
  end(): void
}

const SHOW_EVERY_MS = 200

/** A progress line for a long task; shown on a terminal only. */
export function progressLine(
  { clock, stderr, stderrIsTerminal }: CliContext,
  verb: string,
): ProgressLine {
  const startedMs = clock.monotonicMs()
  let shownMs = Number.NEGATIVE_INFINITY
  let shown = false
  return {
    show({ rows, total }) {
      const nowMs = clock.monotonicMs()
      if (!stderrIsTerminal || nowMs - shownMs < SHOW_EVERY_MS) return
      shownMs = nowMs
      shown = true
      const percent = total === 0 ? 100 : Math.floor((100 * rows) / total)
      const rate = Math.round(rows / Math.max(0.001, (nowMs - startedMs) / 1000))
      stderr(
        `\r\u001b[K${rows.toLocaleString('en')} of ${total.toLocaleString('en')} ${verb} (${percent} %, ${rate.toLocaleString('en')}/s)`,
      )
    },
    end() {
      if (shown) stderr('\r\u001b[K')
    },
  }
}
