import { writeFileSync } from 'node:fs'
import { resolveConfig } from '@svc/config'
import { DAY_MS, type EpochMs, epochMs, instantToIso } from '@svc/core'
import { monthGroups, usageMonthText, usageRowFormats } from '@svc/views/usage-month'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import { choiceOf, configInput, type ParsedOptions, wrongValue } from '../program/flags.ts'
import { runLongTask } from '../program/progress-line.ts'
import { PIPE, pathIn, storeOf } from '../program/store-location.ts'

/** Prints the stored sums of a month, which outlive single requests. Resolves with the exit code; throws ConfigError. */
export async function exportUsage(options: ParsedOptions, context: CliContext): Promise<number> {
  const { month, ...between } = monthOf(options.month?.at(-1), context)
  const group = choiceOf('--by', options.by, monthGroups)
  const format = choiceOf('--format', options.format, usageRowFormats)
  const store = storeOf(options, context)
  if (store === null)
    return usageError(
      context,
      'export-usage needs --state-db <path|address> (or state_db in the configuration)',
    )
  const output = pathIn(context, options.output?.at(-1)) ?? PIPE
  const { usage: settings, history } = resolveConfig(configInput(options, context)).config
  const labelsFile = group === 'client' ? settings.clientLabelsFile : null
  const gapsFrom = context.clock.now() - history.historyRetentionDays * DAY_MS
  const labels = labelsFile === null ? new Map<string, string>() : await labelsIn(labelsFile)
  const { openUsage } = await import('@svc/history')
  return await runLongTask(context, async () => {
    const usage = await openUsage({ ...store, retentionDays: 0 })
    usage.useLabels(labels)
    const { rows, coverage } = await usage.sums(group, between).finally(() => usage.close())
    const missedMs = coverage.gaps.reduce((sum, { from, to }) => sum + to - from, 0)
    const lengthMs = between.to - between.from
    // Rounded down: only a month without a gap has 100.
    const watchedPercent =
      between.from < gapsFrom ? null : Math.floor(10_000 * (1 - missedMs / lengthMs)) / 100
    const text = usageMonthText(rows, { month, group, format, watchedPercent })
    if (output === PIPE) context.stdout(text)
    else writeNew(output, text)
    const notes = [
      `${month}, by days of UTC, until ${instantToIso(between.to)}`,
      watchedPercent === null
        ? `whether requests are missing is not known: gaps are kept for ${history.historyRetentionDays} days`
        : missedMs === 0
          ? 'all of it was watched'
          : `in ${Math.ceil(missedMs / 60_000)} of its ${Math.ceil(lengthMs / 60_000)} min requests may be missing`,
      ...(group === 'client' && labelsFile === null
        ? ['without client_labels_file clients are shown as fingerprints']
        : []),
    ]
    context.stderr(`${notes.join('; ')}.\n`)
    return EXIT.ok
  })
}

/** The requested month, up to now. */
function monthOf(given: string | undefined, { clock }: CliContext) {
  const [month, year, number] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(given ?? '') ?? []
  if (month === undefined) throw wrongValue('--month: a month as 2026-10 is needed')
  const startOf = (index: number): EpochMs => epochMs(Date.UTC(Number(year), index))
  const from = startOf(Number(number) - 1)
  const to = epochMs(Math.min(startOf(Number(number)), clock.now()))
  if (to <= from) throw wrongValue(`--month: ${month} has not begun`)
  return { month, from, to }
}

async function labelsIn(path: string): Promise<ReadonlyMap<string, string>> {
  const { readClientLabels } = await import('@svc/collector')
  try {
    return (await readClientLabels(path)).byName
  } catch (error) {
    if (error instanceof Error && error.name === 'SourceError') throw wrongValue(error.message)
    throw error
  }
}

function writeNew(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw wrongValue(`--output: ${path} exists already`)
    throw error
  }
}
