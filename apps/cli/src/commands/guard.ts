import type { Client, GuardNeed, PoolVerdict } from '@svc/client'
import { defaultNeed, mainWindows } from '@svc/core'
import { providerRowOf } from '@svc/core/service'
import { countedText, durationText, printable, unitsText } from '@svc/views/format'
import { firstClauseOf, unitNames } from '@svc/views/messages'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import { choiceOf, durationMs, isOn, type ParsedOptions, wrongValue } from '../program/flags.ts'
import { askService, providerFilter } from '../service/running-service.ts'

const EXIT_OF = { enough: EXIT.ok, not_enough: EXIT.failed, unknown: EXIT.unknown } as const

/** Prints whether the pool has what a job needs. Resolves with the exit code: unknown where that is not known. Throws ConfigError. */
export function guard(options: ParsedOptions, context: CliContext): Promise<number> {
  const need = needOf(options)
  return askService(options, context, async (client) => {
    const verdict = await client.guard({ ...need, ...providerFilter(options) })
    checkNeed(verdict)
    const cause = verdict.verdict === 'unknown' ? await causeOf(options, client) : null
    const text = () => `${printable(sentenceOf(verdict, cause))}\n`
    const problem = verdict.reason === 'no_reading' && (cause ?? verdict.sourceText)
    return { exit: EXIT_OF[verdict.verdict], document: { ...verdict, cause }, text, problem }
  })
}

/** Throws ConfigError if the need cannot be met by the provider, whatever its accounts have left. */
function checkNeed({ provider, unit, minUnits, window, windows }: PoolVerdict): void {
  if (minUnits === 0) return
  if (unit === 'mixed')
    throw wrongValue(
      '--provider: units of several providers never add up; name one, or need accounts alone with --min-units 0',
    )
  // Of a vendor without further windows this is known before every account was read.
  const isOfMain = providerRowOf(provider).furtherWindows.length === 0
  const known = windows ?? (isOfMain ? mainWindows.map(({ id }) => id) : [window])
  if (known.includes(window)) return
  throw wrongValue(
    known.length === 0
      ? `--window: no window of ${provider} is read; need accounts alone with --min-units 0`
      : `--window: ${provider} has no ${window} window; it has ${known.join(', ')}`,
  )
}

/** Codes of the service's answer that say why something is not known. */
const CAUSES: readonly string[] = ['monitor_silent', 'not_ready', 'proxy_down']

/** The service's own answer, if it says why something is not known; else null. */
async function causeOf(options: ParsedOptions, client: Client): Promise<string | null> {
  const { answer } = await client.health(providerFilter(options))
  return answer !== undefined && CAUSES.includes(answer.code) ? answer.text : null
}

/** Windows that a need may name; which of them a provider has, its accounts tell. */
const WINDOWS = ['5h', 'day', 'week', 'month'] as const

function needOf({
  window: windows,
  minUnits,
  minAccounts,
  maxAge,
  staleOk,
}: ParsedOptions): GuardNeed {
  const window = windows === undefined ? defaultNeed.window : choiceOf('--window', windows, WINDOWS)
  const maxAgeMs = durationMs('--max-age', maxAge)
  return {
    window,
    minUnits: numberOf('--min-units', minUnits, /^\d{1,9}(?:\.\d{1,3})?$/) ?? defaultNeed.minUnits,
    minAccounts: numberOf('--min-accounts', minAccounts, /^\d{1,9}$/) ?? defaultNeed.minAccounts,
    maxAgeSeconds: maxAgeMs === undefined ? defaultNeed.maxAgeSeconds : maxAgeMs / 1000,
    staleOk: isOn(staleOk),
  }
}

function numberOf(flag: string, values: ParsedOptions[string], form: RegExp): number | undefined {
  const text = values?.at(-1)
  if (text === undefined) return undefined
  if (form.test(text)) return Number(text)
  throw wrongValue(`${flag}: a number as 2 is needed, not ${JSON.stringify(text)}`)
}

const REASONS: Readonly<Record<PoolVerdict['reason'], string>> = {
  enough: 'enough',
  too_few_accounts: 'not enough accounts',
  too_few_units: 'not enough quota',
  no_reading: 'unknown, no account list was read',
  age_unknown: 'unknown, the age of the account list is not known',
  stale: 'unknown, the account list is too old',
  no_window: 'unknown, no account has this window',
  no_capacity: 'unknown, no account has quota that is counted',
  units_stale: 'unknown, readings are too old',
  units_unknown: 'unknown, some quota was never read',
}

/** `enough: 15.7 Plus usable in the week window (2 needed), 0.9 of them stale, 14 routable accounts (1 needed), read 2min ago`. */
function sentenceOf(verdict: PoolVerdict, cause: string | null): string {
  const { reason, minUnits, routableCount, minAccounts, ageSeconds } = verdict
  // What follows the first clause repeats figures of this line, or has those of another window.
  const why = cause === null ? REASONS[reason] : `${REASONS[reason]} (${firstClauseOf(cause)})`
  if (reason === 'no_reading') return why
  const parts = [
    ...(minUnits === 0 ? [] : [unitsPart(verdict)]),
    `${countedText(routableCount, 'routable account')} (${minAccounts} needed)`,
    ageSeconds === null ? 'age unknown' : `read ${durationText(ageSeconds)} ago`,
  ]
  return `${why}: ${parts.join(', ')}`
}

function unitsPart(verdict: PoolVerdict): string {
  const { units, atLeast, staleUnits, unknownUnits, minUnits, window, unit } = verdict
  const needed = `in the ${window} window (${minUnits} needed)`
  if (units === null) return `no quota known ${needed}`
  const names: Readonly<Record<string, string>> = unitNames
  const usable = unitsText(units + (staleUnits ?? 0))
  const beside = [
    staleUnits ? `, ${unitsText(staleUnits)} of them stale` : '',
    unknownUnits ? `, ${unitsText(unknownUnits)} never read` : '',
  ]
  // Rounded, 1.96 would look like the 2 that it is not.
  const shown = units < minUnits && Number(usable) >= minUnits && !staleUnits ? units : usable
  return `${atLeast ? 'at least ' : ''}${shown} ${names[unit] ?? unit} usable ${needed}${beside.join('')}`
}
