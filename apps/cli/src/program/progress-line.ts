import type { Progress } from '@svc/redact'
import { printable } from '@svc/views/format'
import { isStoreError, storeErrorText } from '@svc/views/messages'
import { type CliContext, failure } from './cli-context.ts'

/**
 * Runs work on a store. Known failures, and failures of files and pipes, are reported in one line; a signal ends the work cleanly. Resolves
 * with the exit code.
 */
export async function runLongTask(
  context: CliContext,
  work: (stop: AbortSignal) => Promise<number>,
): Promise<number> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) context.onSignal(signal, () => stop.abort())
  try {
    return await work(stop.signal)
  } catch (error) {
    const message = messageOf(error)
    if (message === null) throw error
    return failure(context, message)
  }
}

function messageOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if (isStoreError(error)) return storeErrorText(error)
  if (error.name === 'BackupError' || error.name === 'InputError') return error.message
  if (!('syscall' in error && 'code' in error)) return null
  return error.code === 'ENOSPC'
    ? 'there is no space left to write to'
    : `reading or writing failed (${String(error.code)})`
}

/** A progress line for the redaction; shown on a terminal only. */
export function redactProgress(context: CliContext) {
  const { show, end } = overwrittenLine(context)
  const bytesByStep = { read: 0, written: 0, checked: 0 }
  const done = (step: keyof typeof bytesByStep) =>
    `${(bytesByStep[step] / 1_000_000).toFixed(1)} MB ${step}`
  return {
    show(progress: Progress) {
      // Nothing else is shown until preparation ends.
      if (progress.step === 'preparing') return show(`${done('read')}, preparing`, true)
      const { step, bytes, file } = progress
      bytesByStep[step] += bytes
      show(step === 'read' ? done(step) : `${done(step)}, ${printable(file)}`)
    },
    end,
  }
}

const SHOW_EVERY_MS = 200

/** Creates a line that overwrites itself; shown on a terminal only. */
function overwrittenLine({ clock, stderr, stderrIsTerminal }: CliContext) {
  let shownMs = Number.NEGATIVE_INFINITY
  return {
    /** Shows a text at most five times a second, or at once if `isDue`. */
    show(text: string, isDue = false) {
      const nowMs = clock.monotonicMs()
      if (!stderrIsTerminal || (!isDue && nowMs - shownMs < SHOW_EVERY_MS)) return
      shownMs = nowMs
      stderr(`\r\u001b[K${text}`)
    },
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
    /** `total` is null while rows are read whose number is not known yet. */
    show({ rows, total }: { readonly rows: number; readonly total: number | null }) {
      if (total === null) return show(`${rows.toLocaleString('en')} read`)
      const percent = total === 0 ? 100 : Math.floor((100 * rows) / total)
      const rate = Math.round(rows / Math.max(0.001, (clock.monotonicMs() - startedMs) / 1000))
      const [done, all, perSecond] = [rows, total, rate].map((count) => count.toLocaleString('en'))
      show(`${done} of ${all} ${verb} (${percent} %, ${perSecond}/s)`)
    },
    end,
  }
}
