import type { GuardNeed, PoolVerdict } from '@svc/client'
import { defaultNeed, mainWindows } from '@svc/core'
import { durationText, printable } from '@svc/views/format'
import { unitWords } from '../glance/pool-words.ts'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import { durationMs, isOn, type ParsedOptions, wrongValue } from '../program/flags.ts'
import { askService, providerFilter } from '../service/running-service.ts'

const EXIT_OF = { enough: EXIT.ok, not_enough: EXIT.failed, unknown: EXIT.unknown } as const

/** Prints whether the pool has what a job needs. Resolves with the exit code: unknown where that is not known. Throws ConfigError. */
export function guard(options: ParsedOptions, context: CliContext): Promise<number> {
  const need = needOf(options)
  return askService(options, context, async (client) => {
    const verdict = await client.guard({ ...need, ...providerFilter(options) })
    if (verdict.unit === 'mixed' && need.minUnits > 0)
      throw wrongValue(
        '--provider: units of several providers never add up; name one, or need accounts alone with --min-units 0',
      )
    const text = () => `${printable(sentenceOf(verdict))}\n`
    const problem = verdict.reason === 'no_reading' && verdict.sourceText
    return { exit: EXIT_OF[verdict.verdict], document: verdict, text, problem }
  })
}

function needOf({
  window: windows,
  minUnits,
  minAccounts,
  maxAge,
  staleOk,
}: ParsedOptions): GuardNeed {
  const asked = windows?.at(-1) ?? defaultNeed.window
  const window = mainWindows.map(({ id }) => id).find((id) => id === asked)
  if (window === undefined)
    throw wrongValue(`--window: ${mainWindows.map(({ id }) => id).join(' or ')} is needed`)
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

/** `enough: 15.7 Plus units of the week window (2 needed), 14 routable accounts (1 needed), read 2min ago`. */
function sentenceOf(verdict: PoolVerdict): string {
  const { reason, units, minUnits, window, unit, routableCount, minAccounts, ageSeconds } = verdict
  const age = ageSeconds === null ? 'age unknown' : `read ${durationText(ageSeconds)} ago`
  return `${REASONS[reason]}: ${units ?? 'unknown'} ${unitWords(unit)} of the ${window} window (${minUnits} needed), ${routableCount} routable accounts (${minAccounts} needed), ${age}`
}
