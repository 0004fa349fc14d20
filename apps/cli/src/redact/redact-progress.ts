import type { Progress } from '@svc/redact'
import { printable } from '@svc/views/format'
import type { CliContext } from '../program/cli-context.ts'
import { overwrittenLine } from '../program/progress-line.ts'

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
