import type { LoginLossCause, Tone } from '../account/account-status.ts'
import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { type EpochMs, HOUR_MS } from '../facts/time.ts'

/** Account faults that an operator must fix, with their severity, in the order of the actions. */
export const accountFaults = [
  { code: 'auth_invalid', tone: 'bad' },
  { code: 'deactivated', tone: 'bad' },
  { code: 'quota_hit', tone: 'bad' },
  { code: 'account_unavailable', tone: 'warn' },
] as const satisfies readonly { readonly code: string; readonly tone: Tone }[]

export type AccountFault = (typeof accountFaults)[number]

/** The account's fault that an operator must fix; null for none. For a disabled account, only if the proxy also reports a fault. */
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

/**
 * Logins lost within `WAVE_MS` form a wave if there are `WAVE_COUNT` of them or, in a smaller pool, a share of `WAVE_SHARE`, but at least
 * `WAVE_COUNT_MIN`. See docs/rules.md#health.
 */
const WAVE_MS = HOUR_MS
const WAVE_COUNT = 5
const WAVE_SHARE = 0.2
const WAVE_COUNT_MIN = 2

/** A lost login whose time of loss is known. */
interface DatedLoss {
  readonly account: EvaluatedAccount
  readonly cause: LoginLossCause
  readonly lostAt: EpochMs
}

/**
 * The accounts of all waves of lost logins, in order of loss; empty without a wave. `lost` are the accounts without a login. Accounts with a key in
 * `earlier` belonged to a wave so far and stay in it while at least two are left.
 */
export function loginWaveOf(
  lost: readonly EvaluatedAccount[],
  { poolSize, earlier }: { readonly poolSize: number; readonly earlier: readonly string[] },
): readonly DatedLoss[] {
  const needed = Math.min(WAVE_COUNT, Math.max(WAVE_COUNT_MIN, Math.ceil(poolSize * WAVE_SHARE)))
  const losses = datedLosses(lost)
  const stays = new Set(earlier)
  const wave = new Set(losses.filter(({ account }) => stays.has(account.selector.accountKey)))
  let from = 0
  let added = 0
  for (const [to, { lostAt }] of losses.entries()) {
    while (lostAt - (losses[from]?.lostAt ?? lostAt) > WAVE_MS) from += 1
    if (to - from + 1 < needed) continue
    for (const loss of losses.slice(Math.max(from, added), to + 1)) wave.add(loss)
    added = to + 1
  }
  return wave.size < WAVE_COUNT_MIN ? [] : losses.filter((loss) => wave.has(loss))
}

function datedLosses(lost: readonly EvaluatedAccount[]): readonly DatedLoss[] {
  const byKey = new Map<string, DatedLoss>()
  for (const account of lost) {
    const { loginLoss: loss, selector } = account
    if (loss === null || loss.lostAt === null) continue
    const { cause, lostAt } = loss
    if (lostAt < (byKey.get(selector.accountKey)?.lostAt ?? Number.POSITIVE_INFINITY))
      byKey.set(selector.accountKey, { account, cause, lostAt })
  }
  return [...byKey.values()].sort((one, other) => one.lostAt - other.lostAt)
}
