import type { Clock } from '@svc/core/service'
import type { WatchedAccount } from './watched-accounts.ts'

/** Queries refused logins once more, after a new account list. */
export interface LoginConfirmation {
  /** Adds a refused login; those added during the wait share one list. */
  add(watched: WatchedAccount): void
  stop(): void
}

/** Wait before a refused login is confirmed. */
const CONFIRM_AFTER_MS = 3000

export function createLoginConfirmation(
  clock: Clock,
  plan: {
    /** Reads the account list again; true if that worked. */
    readonly refreshAccountList: () => Promise<boolean>
    /** Queries the accounts whose refusal still stands. */
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
