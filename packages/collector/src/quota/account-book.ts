import type { Account, AccountEvidence, EpochMs } from '@svc/core'
import {
  type Clock,
  evidenceAskedElsewhere,
  fileKeyOf,
  mergedEvidence,
  newestDirectSample,
  type RememberedAccount,
} from '@svc/core/service'
import {
  followAccounts,
  note,
  noWatchedAccounts,
  type WatchedAccount,
  type WatchedAccounts,
} from './watched-accounts.ts'

/** The listed accounts with what is known of each. */
export interface AccountBook {
  all(): Iterable<WatchedAccount>
  count(): number
  /** How many lists have been followed. */
  listCount(): number
  /** Follows a new account list. */
  follow(list: readonly Account[]): void
  /** Adds what an earlier process has read, by file name, to the accounts that are listed or will be first. */
  restore(known: ReadonlyMap<string, RememberedAccount>): void
  /** Takes what another process that asks about the accounts knows of them, by file name. */
  adopt(known: ReadonlyMap<string, RememberedAccount>): void
  /** Whether the account is listed, under this index if one is given. */
  lists(watched: WatchedAccount, authIndex?: string): boolean
  /** By `fileKeyOf`; accounts that nothing is known of are left out. */
  evidence(): ReadonlyMap<string, AccountEvidence>
  /** The evidence of an account is another one now. */
  evidenceChanged(): void
}

export function createAccountBook(clock: Clock): AccountBook {
  let accounts: WatchedAccounts = noWatchedAccounts
  let listedAt: EpochMs | null = null
  let listCount = 0
  let remembered: ReadonlyMap<string, RememberedAccount> = new Map()
  let evidenceByAuthName: ReadonlyMap<string, AccountEvidence> | null = null

  /** Adds what an earlier process knew to the accounts that are listed still, once. */
  const recall = () => {
    for (const [authName, watched] of accounts.byAuthName) {
      const known = remembered.get(authName)
      if (
        known?.evidence == null ||
        known.account.selector.accountKey !== watched.account.selector.accountKey
      )
        continue
      watched.evidence = mergedEvidence(watched.evidence, known.evidence)
    }
    if (accounts.byAuthName.size > 0) remembered = new Map()
    evidenceByAuthName = null
  }

  return {
    all: () => accounts.byAuthName.values(),
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
        const askedAt = newestDirectSample(watched.evidence.samples)?.sampledAt
        if (askedAt !== undefined)
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
      evidence.disabledProbe.state !== 'unknown',
  )
  return new Map(queried.map(({ account, evidence }) => [fileKeyOf(account), evidence]))
}
