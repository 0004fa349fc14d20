import {
  type AccountEvidence,
  type AccountList,
  DAY_MS,
  type EpochMs,
  epochMs,
  type ProxyObservation,
} from '@svc/core'
import {
  type PoolMemoryUpdate,
  type PoolRecord,
  type ProxyStanding,
  type RememberedPool,
  textOfAccount,
  textOfLogin,
} from '@svc/core/pool'
import { ASSUMED_PROVIDER, fileKeyOf, upstreamOfFile } from '@svc/core/service'
import { createTrendWatch, type TrendWatchDeps } from '../evaluation/trend-watch.ts'
import type { History } from '../store/history.ts'
import type { SeenPool, TrendSeed } from '../store/store-threads.ts'
import type { ObservedPool } from './observed-pool.ts'

/** Days for which a login stays known after its file is gone. See docs/rules.md#account-identity. */
const LOGIN_DAYS = 90

/** Remembers the stored state of the pool, so that only changes are written. */
export function createPoolMemory() {
  const keptTexts = new Map<string, string>()
  const keptLogins = new Map<string, string>()
  let forgotten: ReadonlySet<string> = new Set()
  return {
    /** Begins with the state stored by an earlier process. */
    seed({ accounts, logins = [], listedAt }: RememberedPool) {
      for (const remembered of accounts)
        keptTexts.set(fileKeyOf(remembered.account), textOfAccount(remembered))
      for (const login of logins) keptLogins.set(login.identity, textOfLogin(login))
      const old = logins.filter(({ seenAt }) => listedAt - seenAt > LOGIN_DAYS * DAY_MS)
      forgotten = new Set(old.map(({ identity }) => identity))
    },
    /** The update to store after this observation; null before a list was read. */
    updateOf(
      { sources: { accounts: reading }, evidenceByAuthName }: ProxyObservation,
      standing: ProxyStanding,
    ): PoolMemoryUpdate | null {
      const list = reading.lastGood
      // Until a list is read, the pool is still the one stored by an earlier process.
      if (list === null || reading.outcome.kind === 'pending') return null
      const texts = list.value.accounts.map((account) => {
        const fileKey = fileKeyOf(account)
        const evidence = evidenceByAuthName.get(fileKey) ?? null
        return [fileKey, textOfAccount({ account, evidence })] as const
      })
      const listed = new Set(texts.map(([fileKey]) => fileKey))
      const gone = [...keptTexts.keys()].filter((fileKey) => !listed.has(fileKey))
      const logins = loginsOf(list, evidenceByAuthName)
      const changed = [...logins].filter(([identity, text]) => keptLogins.get(identity) !== text)
      const old = [...forgotten].filter((identity) => !logins.has(identity))
      return {
        ...(changed.length + old.length > 0 && {
          logins: [...changed, ...old.map((identity) => [identity, null] as const)],
        }),
        listedAt: list.at,
        ...standing,
        texts: [
          ...texts.filter(([fileKey, text]) => keptTexts.get(fileKey) !== text),
          ...gone.map((fileKey) => [fileKey, null] as const),
        ],
      }
    },
    /** Notes that an update was stored. */
    kept({ texts, logins = [] }: PoolMemoryUpdate) {
      for (const [identity, text] of logins) {
        if (text === null) keptLogins.delete(identity)
        else keptLogins.set(identity, text)
      }
      if (logins.length > 0) forgotten = new Set()
      for (const [fileKey, text] of texts) {
        if (text === null) keptTexts.delete(fileKey)
        else keptTexts.set(fileKey, text)
      }
    },
  }
}

export type PoolMemory = ReturnType<typeof createPoolMemory>

/** Texts of the listed logins, by the identity that the vendor has named. Each changes at most once a day. */
function loginsOf(
  { value: { accounts }, at }: { readonly value: AccountList; readonly at: EpochMs },
  evidenceByFile: ReadonlyMap<string, AccountEvidence>,
): ReadonlyMap<string, string> {
  const seenAt = epochMs(at - (at % DAY_MS))
  const texts = new Map<string, string>()
  for (const account of accounts) {
    const { accountKey } = account.selector
    for (const { vendorIdentity: identity } of evidenceByFile.get(fileKeyOf(account))?.samples ??
      [])
      if (identity !== undefined && account.provider !== ASSUMED_PROVIDER)
        texts.set(identity, textOfLogin({ identity, accountKey, seenAt }))
  }
  return texts
}

export function createPoolCourse(
  { source, history }: Pick<ObservedPool, 'source' | 'history'>,
  deps: Omit<TrendWatchDeps, 'keep' | 'keeps' | 'anotherKeeps'>,
) {
  const memory = createPoolMemory()
  const shared = history?.shared ?? null
  /** Limits an update to the accounts of our proxies; other monitors keep the state of theirs. */
  const ownPartOf = (update: PoolMemoryUpdate | null): PoolMemoryUpdate | null => {
    if (update === null || shared === null) return update
    const texts = update.texts.filter(([file]) => shared.dutyOf(upstreamOfFile(file)).isOurs())
    const isEmpty = texts.length === 0 && update.logins === undefined
    return isEmpty && !shared.writesCourse() ? null : { ...update, texts }
  }
  /** Stores a record, with the state of the proxy that the next process compares with. */
  const keepIn = async ({ keep }: History, record: PoolRecord, standing: ProxyStanding) => {
    const update = ownPartOf(memory.updateOf(source.latest(deps.clock.now()), standing))
    const isEmpty = record.points.length + record.readings.length + record.changes.length === 0
    if (update === null && isEmpty) return
    await keep(record, update)
    if (update !== null) memory.kept(update)
  }
  const trends = createTrendWatch({
    ...deps,
    keeps: () => shared === null || shared.writesCourse(),
    anotherKeeps: () => shared?.anotherWritesCourse() ?? false,
    keep: history === null ? null : (record, standing) => keepIn(history, record, standing),
  })
  return {
    latest: trends.latest,
    onSnapshot: trends.onSnapshot,
    /** Continues from the records of other monitors; takes over the course only if another monitor writes it. */
    follow(seen: SeenPool) {
      // The writer of the course knows it better: a point added during the look would be forgotten, and its use counted twice.
      if (shared?.writesCourse() !== true) trends.follow(seen)
      if (seen.remembered !== null) memory.seed(seen.remembered)
    },
    /** Continues from earlier records; `remembered`: the last pool of an earlier process, null if unknown. */
    seed(seed: TrendSeed, remembered: RememberedPool | null) {
      trends.seed(seed)
      if (remembered !== null) memory.seed(remembered)
    },
  }
}
