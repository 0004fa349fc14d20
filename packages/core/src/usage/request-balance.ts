/**
 * What the proxy has counted against what was taken out of its queue. Both only grow, and neither is read at the very moment of the other, so the balance
 * is kept from both sides: what is missing by it is missing for certain, and all of it shows once the queue has been emptied after a list.
 */
export interface RequestBalance {
  /** The least that counted − taken can have been at any list: requests from before the watch, waiting or taken by others. Null before the first. */
  readonly leastOpen: number | null
  /** Requests that were missing when it was last lowered. */
  readonly missingThen: number
  /** Requests that were handed out, or are gone, and were not taken by us. Never goes back. */
  readonly missing: number
}

/** The balance before the first list. */
export const noBalance: RequestBalance = { leastOpen: null, missingThen: 0, missing: 0 }

/** A list shows this many requests, `taken` of which had been taken before it was asked for. */
export function balanceAtList(
  balance: RequestBalance,
  counted: number,
  taken: number,
): RequestBalance {
  const open = counted - taken
  if (balance.leastOpen !== null && balance.leastOpen <= open) return balance
  return { ...balance, leastOpen: open, missingThen: balance.missing }
}

/** The queue has been emptied since a list showed this many requests; `taken` in all have been taken by now. */
export function balanceAtEmptyQueue(
  balance: RequestBalance,
  counted: number,
  taken: number,
): RequestBalance {
  if (balance.leastOpen === null) return balance
  const missing = balance.missingThen + counted - taken - balance.leastOpen
  return missing > balance.missing ? { ...balance, missing } : balance
}

/** What has been missing stays so; from now on it is counted anew, as after a time in which the proxy kept no records. */
export function restartedBalance({ missing }: RequestBalance): RequestBalance {
  return { leastOpen: null, missingThen: missing, missing }
}
