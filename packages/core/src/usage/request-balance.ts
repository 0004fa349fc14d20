/**
 * Compares the requests counted by the proxy with those taken out of its queue. Both numbers only grow, but are never read at the same
 * moment, so the balance is bounded from both sides: a request shown as missing is certainly missing, and every missing one shows once the
 * queue has been emptied after a list.
 */
export interface RequestBalance {
  /** Smallest value of counted − taken at any list: requests from before the watch, waiting, or taken by others. Null before the first list. */
  readonly leastOpen: number | null
  /** Number of missing requests when `leastOpen` was last lowered. */
  readonly missingThen: number
  /** Requests that were handed out to others or lost. Never decreases. */
  readonly missing: number
}

/** The balance before the first list. */
export const noBalance: RequestBalance = { leastOpen: null, missingThen: 0, missing: 0 }

/** Updates the balance after a list with `counted` requests; `taken` had been taken before the list was requested. */
export function balanceAtList(
  balance: RequestBalance,
  counted: number,
  taken: number,
): RequestBalance {
  const open = counted - taken
  if (balance.leastOpen !== null && balance.leastOpen <= open) return balance
  return { ...balance, leastOpen: open, missingThen: balance.missing }
}

/** Updates the balance after the queue was emptied; the last list showed `counted` requests, and `taken` were taken in total. */
export function balanceAtEmptyQueue(
  balance: RequestBalance,
  counted: number,
  taken: number,
): RequestBalance {
  if (balance.leastOpen === null) return balance
  const missing = balance.missingThen + counted - taken - balance.leastOpen
  return missing > balance.missing ? { ...balance, missing } : balance
}

/** Starts a new comparison, as after a time in which the proxy kept no records; requests missing so far stay counted. */
export function restartedBalance({ missing }: RequestBalance): RequestBalance {
  return { leastOpen: null, missingThen: missing, missing }
}
