import type { CliContext } from './cli-context.ts'

const SHOW_EVERY_MS = 200

/** Creates a line that is written over; shown on a terminal only. */
export function overwrittenLine({ clock, stderr, stderrIsTerminal }: CliContext) {
  let shownMs = Number.NEGATIVE_INFINITY
  return {
    /** Five times a second at most, unless it is due. */
    show(text: string, isDue = false) {
      const nowMs = clock.monotonicMs()
      if (!stderrIsTerminal || (!isDue && nowMs - shownMs < SHOW_EVERY_MS)) return
      shownMs = nowMs
      stderr(`\r\u001b[K${text}`)
    },
    /** Clears the line. */
    end() {
      if (Number.isFinite(shownMs)) stderr('\r\u001b[K')
    },
  }
}

/** A progress line for rows that are exported, imported or moved. */
export function progressLine(context: CliContext, verb: string) {
  const { clock } = context
  const startedMs = clock.monotonicMs()
  const { show, end } = overwrittenLine(context)
  return {
    show({ rows, total }: { readonly rows: number; readonly total: number }) {
      const percent = total === 0 ? 100 : Math.floor((100 * rows) / total)
      const rate = Math.round(rows / Math.max(0.001, (clock.monotonicMs() - startedMs) / 1000))
      const [done, all, perSecond] = [rows, total, rate].map((count) => count.toLocaleString('en'))
      show(`${done} of ${all} ${verb} (${percent} %, ${perSecond}/s)`)
    },
    end,
  }
}
