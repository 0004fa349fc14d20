import { evidenceFrom } from '@svc/core'
import type { AskedAccount } from '@svc/core/account'
import { type RememberedAccount, type RememberedPool, textOfAccount } from '@svc/core/pool'
import { silentLog, virtualClock } from '@svc/core/testing'
import { createFakeUpstream, type FakeAccount, fetchOf, type VendorCall } from '@svc/fake-proxy'
import { createLiveSource, type LiveSource } from '../live-source.ts'
import type { AskedStore } from '../quota/asked-notes.ts'
import { type AccountDirectory, noAccounts } from '../usage/account-directory.ts'
import { decodeQueue } from '../usage/usage-decoder.ts'
import type { UsageSink } from '../usage/usage-sink.ts'
import { liveSourceOptions, reportInto } from './live-source-options.ts'
import { anIngestedUsage, aSink } from './usage-equipment.ts'

const KEY = 'canary-management-key'

const running: LiveSource[] = []

/** Stops every monitor of every world. */
export async function endDays(): Promise<void> {
  for (const source of running.splice(0)) await source.stop()
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 8; turns += 1)
    await new Promise<void>((resolve) => setImmediate(resolve))
}

/** A monitor of the proxy, of which one acts and the others stand by. */
export interface DayMonitor {
  readonly source: LiveSource
  /** The store is open from now on, and what was asked is known. */
  opens(): void
  /** No store can be opened. */
  fails(): void
  /** Ends without another word, as if it were killed. */
  dies(): void
  takesOver(): void
  standsBy(): void
}

export interface DaysShape {
  readonly accounts: readonly FakeAccount[]
  readonly providers: readonly string[]
  /** Seconds between two reads of the account list. */
  readonly refreshSeconds?: number
  /** Whether the monitors read usage, and quota from its headers. */
  readonly readsUsage?: boolean
  /** Left out: through the proxy. */
  readonly quotaTransport?: 'off'
}

/** Monitors in front of a fake proxy with the vendors behind it, in virtual time, and the store that they share. */
export function vendorDays({
  accounts,
  providers,
  refreshSeconds = 60,
  readsUsage = false,
  quotaTransport,
}: DaysShape) {
  const clock = virtualClock(settle)
  const fake = createFakeUpstream({
    now: clock.now,
    managementKey: KEY,
    accounts,
    sleep: (milliseconds) => new Promise((resolve) => void clock.schedule(milliseconds, resolve)),
  })
  const calls: VendorCall[] = []
  const monitors: DayMonitor[] = []

  let seed = 1
  /** Around one half, and never twice the same. */
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return 0.5 + (seed / 2_147_483_647 - 0.5) / 1_000
  }
  const asked = askedInMemory()
  const monitor = ({ acts = true, opens = true } = {}): DayMonitor => {
    let isOurs = acts
    let isDead = false
    const store = asked.process()
    const taken: (() => void)[] = []
    const source = createLiveSource(
      liveSourceOptions(KEY, {
        upstream: { refreshSeconds },
        quota: { quotaProbeProviders: providers, ...(quotaTransport && { quotaTransport }) },
      }),
      {
        clock,
        fetch: (...request) =>
          isDead ? Promise.reject(new Error('dead')) : fetchOf(fake)(...request),
        random,
        log: silentLog,
        usageSink: readsUsage ? aDecodingSink(clock) : null,
        report: reportInto([]),
        asked: {
          ...store,
          keep: (rows) => (isDead ? Promise.resolve('not_ours') : store.keep(rows)),
        },
        duty: { isOurs: () => isOurs && !isDead, onTaken: (listener) => void taken.push(listener) },
      },
    )
    running.push(source)
    source.start(() => undefined)
    const one = {
      source,
      opens() {
        source.useAsked(asked.rows())
        store.settle('known')
      },
      fails: () => store.settle('none'),
      dies() {
        isDead = true
      },
      takesOver() {
        source.useAsked(asked.rows())
        isOurs = true
        for (const listener of taken) listener()
      },
      standsBy() {
        isOurs = false
      },
    }
    monitors.push(one)
    if (opens) one.opens()
    return one
  }

  const latestOf = ({ source }: DayMonitor) => source.latest(clock.now())
  return {
    clock,
    fake,
    monitor,
    asked,
    /** Moves time forward and takes the calls that reached a vendor meanwhile. */
    async advance(milliseconds: number) {
      const step = 30 * 60_000
      for (let left = milliseconds; left > 0; left -= step) {
        await clock.advance(Math.min(step, left))
        calls.push(...fake.vendorCalls.splice(0))
      }
    },
    /** Calls that reached a vendor so far, oldest first. */
    calls: calls as readonly VendorCall[],
    /** The pool as the store keeps it. */
    stored: (from: DayMonitor): RememberedPool => storedPool(latestOf(from)),
    /** An account and its evidence as a monitor knows it now. */
    known(from: DayMonitor, { fileName }: FakeAccount) {
      const { sources, evidenceByAuthName } = latestOf(from)
      const account = sources.accounts.lastGood?.value.accounts.find(
        ({ selector }) => selector.authName === fileName,
      )
      if (account === undefined) throw new Error(`${fileName} is not listed`)
      return { account, evidence: evidenceByAuthName.get(fileName) ?? null }
    },
    paused: (from: DayMonitor) => latestOf(from).sources.direct_quota.lastGood?.value.paused ?? [],
  }
}

export type VendorDays = ReturnType<typeof vendorDays>

/** Accounts of a provider with a name each. */
export function someAccounts<Shape>(
  count: number,
  make: (name: string, index: number) => Shape,
): readonly Shape[] {
  return Array.from({ length: count }, (_, index) => make(`user${index + 1}`, index))
}

/** The pool through the text that the store keeps of each account. */
function storedPool({ sources, evidenceByAuthName }: ReturnType<LiveSource['latest']>) {
  const list = sources.accounts.lastGood
  if (list === null) throw new Error('no list was read')
  const accounts = list.value.accounts.map((account): RememberedAccount => {
    const evidence = evidenceByAuthName.get(account.selector.authName) ?? null
    const text = JSON.parse(textOfAccount({ account, evidence })) as RememberedAccount
    return { account, evidence: text.evidence && { ...evidenceFrom([]), ...text.evidence } }
  })
  return { source: 'live', gatewayUp: true, listedAt: list.at, accounts } as const
}

/** A sink that decodes what it is given and keeps nothing. */
function aDecodingSink({ now }: ReturnType<typeof virtualClock>): UsageSink {
  let directory: AccountDirectory = noAccounts
  let lastPollAt = now()
  return aSink({
    now,
    position: () => ({ lastPollAt }),
    useAccounts(next) {
      directory = next
    },
    async storeQueue(answer, { receivedAt, usageAt }) {
      const decoded = decodeQueue(answer, { directory, receivedAt })
      if (decoded === null) return null
      lastPollAt = usageAt
      const { batch, ...shown } = decoded
      const seen = batch.details.length
      const tally = { seen, stored: seen, duplicate: 0, quarantined: 0, expired: 0 }
      return anIngestedUsage({ ...shown, tally })
    },
  })
}

/** A process's view of a store in memory. */
export interface AskedHere extends AskedStore {
  /** Becomes `known`, or `none`. */
  settle(standing: 'known' | 'none'): void
}

/** Last queries in memory, for several processes. Each begins as `awaited`. */
export function askedInMemory() {
  const rows = new Map<string, AskedAccount>()
  let afterWrite = () => {}
  /** Outcome of the next writes. */
  let outcome: Awaited<ReturnType<AskedStore['keep']>> = 'kept'
  return {
    rows: (): readonly AskedAccount[] => [...rows.values()],
    /** Calls `heard` once, after the next write and before its end is told. */
    afterNextWrite(heard: () => void) {
      afterWrite = heard
    },
    answerWith(next: typeof outcome) {
      outcome = next
    },
    process(): AskedHere {
      let standing: ReturnType<AskedStore['standing']> = 'awaited'
      const listeners: (() => void)[] = []
      const settled = (next: typeof standing) => {
        standing = next
        for (const listener of listeners) listener()
      }
      return {
        standing: () => standing,
        async keep(accounts) {
          // As text, as a store keeps them.
          const kept = JSON.parse(JSON.stringify(accounts)) as readonly AskedAccount[]
          if (outcome === 'kept')
            for (const one of kept) rows.set(`${one.upstream}/${one.authName}`, one)
          if (outcome === 'not_ours') settled('awaited')
          const heard = afterWrite
          afterWrite = () => {}
          heard()
          return outcome
        },
        onChange: (listener) => void listeners.push(listener),
        settle: settled,
      }
    },
  }
}
