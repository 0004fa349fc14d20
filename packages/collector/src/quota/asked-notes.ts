import { type AskedAccount, askedAccountOf } from '@svc/core/account'
import type { WatchedAccount } from './watched-accounts.ts'

/** Keeps the last queries of a proxy's accounts for later processes and other monitors. */
export interface AskedStore {
  /** `awaited`: no queries until those of other processes are known. `none`: nothing can be stored now. */
  standing(): 'awaited' | 'known' | 'none'
  /** Never rejects; takes a few seconds at most. `not_ours`: another monitor has taken over the queries. */
  keep(accounts: readonly AskedAccount[]): Promise<'kept' | 'not_kept' | 'not_ours'>
  /** Calls `listener` when the standing may have changed. */
  onChange(listener: () => void): void
}

/** A store that keeps nothing, used without a history. */
export const noAskedStore: AskedStore = {
  standing: () => 'none',
  keep: () => Promise.resolve('not_kept'),
  onChange() {},
}

type Facts = Pick<WatchedAccount, 'account' | 'evidence' | 'waitUntil'>

/** Stores changes of the last queries; changes made at about the same time share one write. */
export function createAskedNotes(store: AskedStore, accounts: () => Iterable<WatchedAccount>) {
  const keptTexts = new Map<string, string>()
  /** Facts that needed no write, by account; most accounts still have them at the next one. */
  const settledFacts = new WeakMap<WatchedAccount, Facts>()
  let writing: Promise<boolean> = Promise.resolve(true)
  let isBegun = true

  const write = async () => {
    isBegun = true
    const changed = [...accounts()].flatMap((watched) => {
      const { account, evidence, waitUntil } = watched
      const settled = settledFacts.get(watched)
      const isSettled = settled?.account === account && settled.evidence === evidence
      if (isSettled && settled.waitUntil === waitUntil) return []
      const asked = askedAccountOf(account, evidence, waitUntil)
      const text = JSON.stringify(asked)
      const kept = keptTexts.get(asked.authName)
      if (kept !== text && (kept !== undefined || !saysNothing(asked))) return [{ asked, text }]
      settledFacts.set(watched, { account, evidence, waitUntil })
      return []
    })
    if (changed.length === 0) return true
    const outcome = await store.keep(changed.map(({ asked }) => asked))
    if (outcome === 'kept')
      for (const { asked, text } of changed) keptTexts.set(asked.authName, text)
    return outcome !== 'not_ours'
  }

  return {
    /** Resolves once everything known at the call is stored or cannot be stored; false if another monitor has taken over the queries. */
    keep(): Promise<boolean> {
      if (store.standing() !== 'known') return Promise.resolve(true)
      // A write that has not begun takes everything known by then.
      if (isBegun) {
        isBegun = false
        writing = writing.then(write)
      }
      return writing
    },
  }
}

function saysNothing({ verdict, evidence: { askedAt, probeFailure } }: AskedAccount): boolean {
  return verdict === null && askedAt === undefined && probeFailure === null
}
