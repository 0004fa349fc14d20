import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import type { LoginLossCause } from '../account/login-loss.ts'
import { type EpochMs, HOUR_MS } from '../facts/time.ts'

/** Accounts that lose their login within this time are a wave if they are so many, or such a share of a smaller pool. See docs/rules.md#health. */
const WAVE_MS = HOUR_MS
const WAVE_COUNT = 5
const WAVE_SHARE = 0.2
const WAVE_COUNT_MIN = 2

/** A lost login whose time of loss is known. */
export interface DatedLoss {
  readonly account: EvaluatedAccount
  readonly cause: LoginLossCause
  readonly lostAt: EpochMs
}

/**
 * The accounts of all waves, each once, the first loss first; empty without a wave. `lost` are the accounts without a login. Those with a key
 * in `earlier` were in a wave until now and stay in it, as long as at least two are left.
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
