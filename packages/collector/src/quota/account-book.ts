import type { Account, AccountEvidence, EpochMs } from '@svc/core'
import { evidenceAskedElsewhere, mergedEvidence } from '@svc/core/account'
import type { RememberedAccount } from '@svc/core/pool'
import { type Clock, fileKeyOf, lastAskedAt } from '@svc/core/service'
import {
  followAccounts,
  note,
  noWatchedAccounts,
  type WatchedAccount,
  type WatchedAccounts,
} from './watched-accounts.ts'

/** The listed accounts with their quota evidence. */
export interface AccountBook {
  all(): Iterable<WatchedAccount>
  /** The account of a file name; null if it is not listed. */
  at(authName: string): WatchedAccount | null
  count(): number
  /** Number of account lists followed so far. */
  listCount(): number
  /** Follows a new account list. */
  follow(list: readonly Account[]): void
  /** Adds an earlier process's readings, by file name, to the accounts of the current list or, without one, of the next. */
  restore(known: ReadonlyMap<string, RememberedAccount>): void
  /** Takes the evidence, by file name, of another process that queries the accounts. */
  adopt(known: ReadonlyMap<string, RememberedAccount>): void
  /** Whether the account is listed, under this index if one is given. */
  lists(watched: WatchedAccount, authIndex?: string): boolean
  /** Evidence by `fileKeyOf`; accounts without any are left out. */
  evidence(): ReadonlyMap<string, AccountEvidence>
  /** Notes that the evidence of an account has changed. */
  evidenceChanged(): void
}

export function createAccountBook(clock: Clock): AccountBook {
  let accounts: WatchedAccounts = noWatchedAccounts
  let listedAt: EpochMs | null = null
  let listCount = 0
  let remembered: ReadonlyMap<string, RememberedAccount> = new Map()
  let evidenceByAuthName: ReadonlyMap<string, AccountEvidence> | null = null

  /** Adds an earlier process's evidence, once, to accounts that are still listed. */
  const recall = () => {
    for (const [authName, watched] of accounts.byAuthName) {
      const known = remembered.get(authName)
      if (
        known?.evidence == null ||
        known.account.selector.accountKey !== watched.account.selector.accountKey
      )
        continue
      watched.evidence = mergedEvidence(watched.evidence, known.evidence)
      noteSent(watched)
    }
    if (accounts.byAuthName.size > 0) remembered = new Map()
    evidenceByAuthName = null
  }

  /** Takes over the time at which another process sent the last query. */
  const noteSent = (watched: WatchedAccount) => {
    const { askedAt } = watched.evidence
    if (askedAt === undefined) return
    const agoMs = Math.max(0, clock.now() - askedAt)
    note(watched, { kind: 'sent_elsewhere', atMs: clock.monotonicMs() - agoMs })
  }

  return {
    all: () => accounts.byAuthName.values(),
    at: (authName) => accounts.byAuthName.get(authName) ?? null,
    count: () => accounts.byAuthName.size,
    listCount: () => listCount,
    follow(list) {
      accounts = followAccounts(accounts, list, {
        nowMs: clock.monotonicMs(),
        listedBefore: listedAt,
      })
      recall()
      listedAt = clock.now()
      listCount += 1
    },
    restore(known) {
      remembered = known
      recall()
    },
    adopt(known) {
      for (const [authName, watched] of accounts.byAuthName) {
        const { evidence = null, account } = known.get(authName) ?? {}
        if (evidence === null || account === undefined) continue
        if (account.selector.accountKey !== watched.account.selector.accountKey) continue
        watched.evidence = evidenceAskedElsewhere(watched.evidence, evidence)
        noteSent(watched)
        const askedAt = lastAskedAt(watched.evidence)
        if (askedAt !== null)
          note(watched, {
            kind: 'asked_elsewhere',
            atMs: clock.monotonicMs() - (clock.now() - askedAt),
          })
      }
      evidenceByAuthName = null
    },
    lists(watched, authIndex = watched.account.selector.authIndex) {
      const { selector } = watched.account
      return (
        accounts.byAuthName.get(selector.authName) === watched && selector.authIndex === authIndex
      )
    },
    evidence() {
      evidenceByAuthName ??= evidenceOf(accounts)
      return evidenceByAuthName
    },
    evidenceChanged() {
      evidenceByAuthName = null
    },
  }
}

function evidenceOf(accounts: WatchedAccounts): ReadonlyMap<string, AccountEvidence> {
  const queried = [...accounts.byAuthName.values()].filter(
    ({ evidence }) =>
      evidence.samples.length > 0 ||
      evidence.probeFailure !== null ||
      evidence.askedAt !== undefined ||
      evidence.disabledProbe.state !== 'unknown',
  )
  return new Map(queried.map(({ account, evidence }) => [fileKeyOf(account), evidence]))
}
