import type { AccountFilter } from '@svc/client'
import type { CliContext } from '../program/cli-context.ts'
import { listsGiven } from '../program/flags.ts'

/** Options of a command that may leave accounts out. */
export const FILTER_OPTIONS = [
  ['--plan <plans>', 'Only accounts of these plans, as plus,pro.'],
  ['--provider <providers>', 'Only accounts of these providers, as codex.'],
  ['--upstream <names>', 'Only accounts of these proxies of the configuration.'],
] as const

/** The accounts that these options leave. */
export function accountFilter(context: CliContext): AccountFilter {
  return listsGiven(['plan', 'provider', 'upstream'], context)
}
