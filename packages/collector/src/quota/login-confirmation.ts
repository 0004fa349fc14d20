import type { Clock } from '@svc/core/service'
import type { WatchedAccount } from './watched-accounts.ts'

/** Has refused logins asked about once more, after a new account list. */
export interface LoginConfirmation {
  /** All that are added within the seconds of waiting are confirmed after the same list. */
  add(watched: WatchedAccount): void
  stop(): void
}

/** A refused login is asked about again after this. */
const CONFIRM_AFTER_MS = 3000

export function createLoginConfirmation(
  clock: Clock,
  plan: {
    /** Reads the account list once more; true when that worked. */
    readonly refreshAccountList: () => Promise<boolean>
    /** Asks about those whose refusal still stands. */
    readonly confirm: (refused: readonly WatchedAccount[]) => void
  },
): LoginConfirmation {
  const unconfirmed = new Set<WatchedAccount>()
  let cancel = () => {}

  const confirmAll = async () => {
    const refused = [...unconfirmed]
    unconfirmed.clear()
    if (!(await plan.refreshAccountList())) return
    plan.confirm(refused.filter(({ evidence }) => evidence.refusedLogin !== null))
  }

  return {
    add(watched) {
      unconfirmed.add(watched)
      if (unconfirmed.size === 1) cancel = clock.schedule(CONFIRM_AFTER_MS, () => void confirmAll())
    },
    stop: () => cancel(),
  }
}
