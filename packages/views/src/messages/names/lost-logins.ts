import type { ActionOf } from '../conditions/action-condition.ts'

type LoginWave = ActionOf<'login_wave'>
export type LossCause = LoginWave['accounts'][number]['cause']

/** Number of accounts by cause, in the order of their first loss. */
export function causesIn({ accounts }: LoginWave): ReadonlyMap<LossCause, number> {
  const counts = new Map<LossCause, number>()
  for (const { cause } of accounts) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  return counts
}

/** The cause that all accounts share; null if there are several. */
export function onlyCauseIn(wave: LoginWave): LossCause | null {
  const [cause, ...others] = causesIn(wave).keys()
  return cause === undefined || others.length > 0 ? null : cause
}
