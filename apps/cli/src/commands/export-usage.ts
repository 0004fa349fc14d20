import { writeFileSync } from 'node:fs'
import { noOwnPrices, type OwnPriceFile, ownPricesIn, resolveConfig } from '@svc/config'
import { DAY_MS, type EpochMs } from '@svc/core'
import type { StoredUsage } from '@svc/history'
import { readSecretFile } from '@svc/secret-files'
import { createZone } from '@svc/views/format'
import {
  monthGroups,
  monthOf,
  statementNotes,
  statementOf,
  statementParts,
  usageFilters,
  usageRowFormats,
  usageStatementText,
  watchOf,
} from '@svc/views/usage-month'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import { choiceOf, configInput, type ParsedOptions, wrongValue } from '../program/flags.ts'
import { runLongTask } from '../program/progress-line.ts'
import { PIPE, pathIn, storeOf } from '../program/store-location.ts'

type UsageQuestion = Parameters<StoredUsage['series']>[0]
type UsageSeries = Awaited<ReturnType<StoredUsage['series']>>

/** Text of an export, with notes about it. */
interface Exported {
  readonly text: string
  readonly notes: readonly string[]
}

/** Prints the stored usage of a month or any other time. Resolves with the exit code; throws ConfigError. */
export async function exportUsage(options: ParsedOptions, context: CliContext): Promise<number> {
  try {
    return await exported(options, context)
  } catch (error) {
    throw error instanceof RangeError ? wrongValue(`--${error.message}`) : error
  }
}

async function exported(options: ParsedOptions, context: CliContext): Promise<number> {
  const { config } = resolveConfig(configInput(options, context))
  const isMonth = ['from', 'to', 'each', 'filter'].every((name) => options[name] === undefined)
  const read = isMonth
    ? monthlySums(options, context, config.history.historyRetentionDays)
    : statement(options, context, config.display.displayTimezone)
  const store = storeOf(options, context)
  if (store === null)
    return usageError(
      context,
      'export-usage needs --state-db <path|address> (or state_db in the configuration)',
    )
  const output = pathIn(context, options.output?.at(-1)) ?? PIPE
  const isOfClients = (options.by?.at(-1) ?? 'client').includes('client')
  const { clientLabelsFile } = config.usage
  const labels =
    isOfClients && clientLabelsFile !== null
      ? await labelsIn(clientLabelsFile)
      : new Map<string, string>()
  const own = await ownPricesAt(config.history.priceOverrides)
  const { openUsage } = await import('@svc/history')
  return await runLongTask(context, async () => {
    const usage = await openUsage({ ...store, retentionDays: 0 })
    usage.useLabels(labels)
    usage.usePrices({ own, refused: new Map() })
    const { text, notes } = await read(usage).finally(() => usage.close())
    if (output === PIPE) context.stdout(text)
    else writeNew(output, text)
    const fingerprints =
      isOfClients && clientLabelsFile === null
        ? ['without client_labels_file clients are shown as fingerprints']
        : []
    context.stderr(`${[...notes, ...fingerprints].join('; ')}.\n`)
    return EXIT.ok
  })
}

/** Reads the sums of a month of UTC, which outlive single requests. */
function monthlySums(options: ParsedOptions, { clock }: CliContext, gapDays: number) {
  const month = monthOf(options.month?.at(-1), clock.now())
  const group = choiceOf('--by', options.by, monthGroups)
  const format = choiceOf('--format', options.format, usageRowFormats)
  const gapsFrom = clock.now() - gapDays * DAY_MS
  return async (usage: StoredUsage): Promise<Exported> => {
    const question: UsageQuestion = {
      ...{ range: 'custom' as const, between: month, bucket: '1d' as const },
      ...{ group, metric: 'tokens' as const, top: Number.POSITIVE_INFINITY },
    }
    const answer = await pricedAnswer(usage, question, clock.now())
    const { notes, watchedPercent } = watchOf(month, answer.coverage.gaps, { gapsFrom, gapDays })
    const ofMonth = { month: month.month, watchedPercent }
    return { text: usageStatementText([answer], { groups: [group], ofMonth }, format), notes }
  }
}

/** The answer with its cost, where something tells it. */
async function pricedAnswer(
  usage: Pick<StoredUsage, 'series'>,
  question: UsageQuestion,
  now: EpochMs,
): Promise<UsageSeries> {
  const answer = await usage.series(question, now)
  const priced = answer.isPriced && (await usage.series({ ...question, metric: 'cost' }, now))
  return priced && priced.refused === null ? priced : answer
}

/** Reads the usage of some time, by one or two dimensions, whole or by days or months of the display timezone. */
function statement(options: ParsedOptions, { clock }: CliContext, displayTimezone: string) {
  const parameters = new URLSearchParams((options.filter ?? []).join('&'))
  for (const [name, ids] of parameters)
    if (!usageFilters.some((id) => id === name) || ids === '')
      throw wrongValue(
        `--filter: name=ids is needed, not ${JSON.stringify(`${name}=${ids}`)}; names are ${usageFilters.join(', ')}`,
      )
  for (const name of ['from', 'to']) parameters.set(name, options[name]?.at(-1) ?? '')
  const each = choiceOf('--each', options.each, statementParts)
  const format = choiceOf('--format', options.format, usageRowFormats)
  const moment = { now: clock.now(), zone: createZone(displayTimezone) }
  const asked = statementOf({ by: options.by?.at(-1), each, parameters }, moment)
  return async (usage: StoredUsage): Promise<Exported> => {
    const answers: UsageSeries[] = []
    for (const question of asked.questions)
      answers.push(await pricedAnswer(usage, question, moment.now))
    const text = usageStatementText(answers, asked, format)
    return { text, notes: statementNotes(answers, asked) }
  }
}

async function ownPricesAt(path: string | null): Promise<OwnPriceFile['own']> {
  if (path === null) return noOwnPrices.own
  const reading = await readSecretFile(path)
  if (reading.kind === 'problem' && reading.reason !== 'empty')
    throw wrongValue(`price_overrides: ${path} cannot be used (${reading.reason})`)
  const found = ownPricesIn(reading.kind === 'text' ? reading.text : '')
  if ('problem' in found) throw wrongValue(`price_overrides: ${path}: ${found.problem}`)
  return found.own
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
