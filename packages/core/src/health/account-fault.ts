import type { Tone } from '../account/account-status.ts'
import type { EvaluatedAccount } from '../account/evaluated-account.ts'

/** Faults of an account that an operator must fix, with their severity, in the order of the actions. */
export const accountFaults = [
  { code: 'auth_invalid', tone: 'bad' },
  { code: 'deactivated', tone: 'bad' },
  { code: 'quota_hit', tone: 'bad' },
  { code: 'account_unavailable', tone: 'warn' },
] as const satisfies readonly { readonly code: string; readonly tone: Tone }[]

/** One row of `accountFaults`. */
export type AccountFault = (typeof accountFaults)[number]

/** The fault of an account that an operator must fix; null for none. A disabled account has one only if the proxy also reports a fault of it. */
export function accountFaultOf(
  account: Pick<EvaluatedAccount, 'status' | 'blockedReasons' | 'deactivated'>,
): AccountFault | null {
  if (account.status.tone !== 'bad') return null
  const code = faultCodeOf(account)
  return accountFaults.find((fault) => fault.code === code) ?? null
}

function faultCodeOf({
  status,
  blockedReasons,
  deactivated,
}: Pick<EvaluatedAccount, 'status' | 'blockedReasons' | 'deactivated'>): AccountFault['code'] {
  const first = blockedReasons.find((reason) => reason !== 'operator_disabled')
  if (first === 'auth_invalid') return deactivated ? 'deactivated' : 'auth_invalid'
  return status.kind === 'quota_hit' ? 'quota_hit' : 'account_unavailable'
}
