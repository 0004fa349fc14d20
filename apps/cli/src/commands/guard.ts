import type { GuardNeed, GuardVerdict } from '@svc/client'
import { ConfigError } from '@svc/config'
import { defaultNeed, mainWindows } from '@svc/core'
import { durationText } from '@svc/views/format'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import { isOn, type ParsedOptions, textsGiven } from '../program/flags.ts'
import { durationMs } from '../service/duration.ts'
import { askService } from '../service/running-service.ts'

const EXIT_OF = { enough: EXIT.ok, not_enough: EXIT.failed, unknown: EXIT.unknown } as const

/** Prints whether the pool has what a job needs. Resolves with the exit code: unknown where that is not known. Throws ConfigError. */
export function guard(options: ParsedOptions, context: CliContext): Promise<number> {
  const need = needOf(options, context)
  return askService(options, context, async (client) => {
    const verdict = await client.guard(need)
    context.stdout(
      `${isOn(options.json) ? JSON.stringify(verdict, null, 2) : sentenceOf(verdict)}\n`,
    )
    return EXIT_OF[verdict.verdict]
  })
}

function needOf(options: ParsedOptions, context: CliContext): GuardNeed {
  const given = textsGiven(['window', 'min-units', 'min-accounts'], context)
  const { window = defaultNeed.window } = given
  const known = mainWindows.find(({ id }) => id === window)
  if (known === undefined)
    throw wrong(`--window: ${mainWindows.map(({ id }) => id).join(' or ')} is needed`)
  const maxAge = options.maxAge
  return {
    window: known.id,
    minUnits:
      numberOf('--min-units', given['min-units'], /^\d{1,9}(?:\.\d{1,3})?$/) ??
      defaultNeed.minUnits,
    minAccounts:
      numberOf('--min-accounts', given['min-accounts'], /^\d{1,9}$/) ?? defaultNeed.minAccounts,
    maxAgeSeconds:
      maxAge === undefined ? defaultNeed.maxAgeSeconds : durationMs('--max-age', maxAge) / 1000,
    staleOk: isOn(options.staleOk),
  }
}

function numberOf(flag: string, text: string | undefined, form: RegExp): number | null {
  if (text === undefined) return null
  if (!form.test(text)) throw wrong(`${flag}: a number as 2 is needed, not ${JSON.stringify(text)}`)
  return Number(text)
}

function wrong(message: string): ConfigError {
  return new ConfigError({ code: 'invalid_value', message })
}

const REASONS: Readonly<Record<GuardVerdict['reason'], string>> = {
  enough: 'enough',
  too_few_accounts: 'not enough accounts',
  too_few_units: 'not enough quota',
  no_reading: 'unknown, no account list was read',
  age_unknown: 'unknown, the age of the account list is not known',
  stale: 'unknown, the account list is too old',
  no_capacity: 'unknown, no account has quota that is counted',
  units_stale: 'unknown, readings are too old',
  units_unknown: 'unknown, some quota was never read',
}

/** `enough: 15.7 Plus units of the week window (2 needed), 14 routable accounts (1 needed), read 2min ago`. */
function sentenceOf(verdict: GuardVerdict): string {
  const { reason, units, minUnits, window, routableCount, minAccounts, ageSeconds } = verdict
  const age = ageSeconds === null ? 'age unknown' : `read ${durationText(ageSeconds)} ago`
  return `${REASONS[reason]}: ${units ?? 'unknown'} Plus units of the ${window} window (${minUnits} needed), ${routableCount} routable accounts (${minAccounts} needed), ${age}`
}
