import { type Account, type AccountEvidence, type EpochMs, epochMs, MINUTE_MS } from '@svc/core'
import {
  type AskedAccount,
  evidenceAskedElsewhere,
  evidenceWithAsked,
  mergedEvidence,
} from '@svc/core/account'
import type { RememberedAccount } from '@svc/core/pool'
import {
  type Clock,
  fileKeyOf,
  groupedBy,
  lastAskedAt,
  RETRY_AFTER_SECONDS_MAX,
} from '@svc/core/service'
import {
  followAccounts,
  note,
  noWatchedAccounts,
  type WatchedAccount,
  type WatchedAccounts,
} from './watched-accounts.ts'

/** Wait after a query whose answer was lost when its process ended, even if no budget limits the next query. */
const UNANSWERED_MS = MINUTE_MS

/** The listed accounts with their quota evidence. */
export function createAccountBook(clock: Clock) {
  let accounts: WatchedAccounts = noWatchedAccounts
  let listedAt: EpochMs | null = null
  let listCount = 0
  let remembered: ReadonlyMap<string, RememberedAccount> = new Map()
  let asked: readonly AskedAccount[] = []
  let sent: number[] = []
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
      goOn(watched)
    }
    if (accounts.byAuthName.size > 0) remembered = new Map()
    evidenceByAuthName = null
  }

  const monotonicOf = (at: EpochMs) => clock.monotonicMs() - Math.max(0, clock.now() - at)

  /** Continues from the last query that another process sent for the account. */
  const goOn = (watched: WatchedAccount) => {
    const { askedAt } = watched.evidence
    if (askedAt !== undefined) {
      const atMs = monotonicOf(askedAt)
      if (atMs > (watched.times.sentAtMs ?? Number.NEGATIVE_INFINITY)) sent.push(atMs)
      note(watched, { kind: 'sent_elsewhere', atMs })
    }
    const answeredAt = lastAskedAt(watched.evidence)
    if (answeredAt !== null)
      note(watched, { kind: 'asked_elsewhere', atMs: monotonicOf(epochMs(answeredAt)) })
    if (askedAt !== undefined && askedAt > (answeredAt ?? 0))
      note(watched, { kind: 'vendor_asks_to_wait', untilMs: monotonicOf(askedAt) + UNANSWERED_MS })
  }

  /** Adds the last queries of other processes, once, to the listed files. All files of an account share its budget. */
  const recallAsked = () => {
    if (asked.length === 0 || accounts.byAuthName.size === 0) return
    const byKey = groupedBy(asked, ({ accountKey }) => accountKey)
    for (const watched of accounts.byAuthName.values()) {
      const { upstream, selector } = watched.account
      const { accountKey, authName } = selector
      for (const one of byKey.get(accountKey) ?? []) {
        const { askedAt = epochMs(0), vendorPlan } = one.evidence
        if (one.authName === authName && one.upstream === upstream) {
          watched.evidence = evidenceWithAsked(watched.evidence, one.evidence)
          takeWait(watched, one.waitUntil)
        } else {
          const { askedAt: own = epochMs(0), vendorPlan: ownPlan } = watched.evidence
          if (askedAt > own) watched.evidence = { ...watched.evidence, askedAt }
          if (vendorPlan !== undefined && vendorPlan.askedAt > (ownPlan?.askedAt ?? 0))
            watched.evidence = { ...watched.evidence, vendorPlan }
        }
        goOn(watched)
      }
    }
    const listed = [...accounts.byAuthName.values()].map(
      ({ account }) => account.selector.accountKey,
    )
    const known = new Set(listed)
    asked = asked.filter(({ accountKey }) => !known.has(accountKey))
    evidenceByAuthName = null
  }

  const takeWait = (watched: WatchedAccount, waitUntil: EpochMs | null) => {
    if (waitUntil === null) return
    watched.waitUntil = waitUntil
    const leftMs = Math.min(waitUntil - clock.now(), RETRY_AFTER_SECONDS_MAX * 1000)
    note(watched, { kind: 'vendor_asks_to_wait', untilMs: clock.monotonicMs() + leftMs })
  }

  return {
    all: (): Iterable<WatchedAccount> => accounts.byAuthName.values(),
    /** The account with this file name; null if it is not listed. */
    at: (authName: string): WatchedAccount | null => accounts.byAuthName.get(authName) ?? null,
    count: () => accounts.byAuthName.size,
    /** Number of account lists followed so far. */
    listCount: () => listCount,
    follow(list: readonly Account[]) {
      accounts = followAccounts(accounts, list, {
        nowMs: clock.monotonicMs(),
        listedBefore: listedAt,
      })
      recall()
      recallAsked()
      listedAt = clock.now()
      listCount += 1
    },
    /** Adds an earlier process's readings, by file name, to the accounts of the current list, or of the next one if there is no list yet. */
    restore(known: ReadonlyMap<string, RememberedAccount>) {
      remembered = known
      recall()
    },
    /** Takes the evidence, by file name, of another process that queries the accounts. */
    adopt(known: ReadonlyMap<string, RememberedAccount>) {
      for (const [authName, watched] of accounts.byAuthName) {
        const { evidence = null, account } = known.get(authName) ?? {}
        if (evidence === null || account === undefined) continue
        if (account.selector.accountKey !== watched.account.selector.accountKey) continue
        watched.evidence = evidenceAskedElsewhere(watched.evidence, evidence)
        goOn(watched)
      }
      evidenceByAuthName = null
    },
    /** Takes the last queries of any process for files that are listed now or later. */
    useAsked(known: readonly AskedAccount[]) {
      asked = known
      recallAsked()
    },
    /** Monotonic times of other processes' queries found since the last call. */
    takeSent(): readonly number[] {
      const taken = sent
      sent = []
      return taken
    },
    /** Whether the account is listed, and under this index if one is given. */
    lists(watched: WatchedAccount, authIndex: string = watched.account.selector.authIndex) {
      const { selector } = watched.account
      return (
        accounts.byAuthName.get(selector.authName) === watched && selector.authIndex === authIndex
      )
    },
    /** Evidence by `fileKeyOf`; accounts without evidence are omitted. */
    evidence(): ReadonlyMap<string, AccountEvidence> {
      evidenceByAuthName ??= evidenceOf(accounts)
      return evidenceByAuthName
    },
    /** Notes that the evidence of an account has changed. */
    evidenceChanged() {
      evidenceByAuthName = null
    },
  }
}

export type AccountBook = ReturnType<typeof createAccountBook>

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
