import type { EpochMs } from '@svc/core'
import { Redacted } from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import type { IngestedUsage } from '@svc/core/usage'
import type { UpstreamClient } from '../proxy/upstream-client.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import type { UsageSink, UsageWay } from '../usage/usage-sink.ts'

export interface RecordingSink extends UsageSink {
  /** Calls of the sink, oldest first, one line each. */
  readonly calls: string[]
  /** Makes the sink ready for usage. */
  becomeReady(): void
}

/** A sink that takes everything and keeps nothing, unless these say otherwise. Its clock stands still. */
export const aSink = (changes: Partial<UsageSink> = {}): UsageSink => ({
  refusal: () => null,
  now: () => NOW,
  position: () => ({ lastPollAt: null }),
  onReady() {},
  useAccounts() {},
  useLabels() {},
  async markPop() {},
  async clearPop() {},
  async stand() {},
  standingSince: async () => null,
  async recordGap() {},
  async recordMissing() {},
  storeQueue: async () => anIngestedUsage(),
  openTree: () => ({ push() {}, store: async () => null, drop() {} }),
  ...changes,
})

/** A sink whose clock stands still. `ingest` gives the result of storing each answer; null means the answer is invalid. */
export function aRecordingSink({
  lastPollAt = null,
  ingest,
}: {
  readonly lastPollAt?: EpochMs | null
  readonly ingest: (answer: string) => IngestedUsage | null | Promise<never>
}): RecordingSink {
  const calls: string[] = []
  let readTo = lastPollAt
  const listeners: (() => void)[] = []
  const note = async (line: string) => void calls.push(line)
  const secondsAt = (at: EpochMs) => `${(at - NOW) / 1000} s`
  return {
    calls,
    becomeReady() {
      for (const listener of listeners) listener()
    },
    ...aSink(),
    position: () => ({ lastPollAt: readTo }),
    onReady: (listener) => void listeners.push(listener),
    useAccounts: ({ ownerByIndex }) => {
      calls.push(`accounts ${[...ownerByIndex.values()].map(({ accountKey }) => accountKey)}`)
    },
    useLabels: (labels) => void calls.push(`labels ${labels.size}`),
    markPop: () => note('mark pop'),
    clearPop: () => note('clear pop'),
    recordGap({ from, to, reason }) {
      readTo = to
      return note(`gap ${reason} from ${secondsAt(from)} to ${secondsAt(to)}`)
    },
    recordMissing: (requestCount) => note(`missing ${requestCount}`),
    async storeQueue(answer) {
      const text = Buffer.from(answer).toString()
      calls.push(`store ${text}`)
      return await ingest(text)
    },
    openTree() {
      let text = ''
      return {
        push(chunk) {
          text += Buffer.from(chunk).toString()
        },
        async store() {
          calls.push(`store tree ${text}`)
          return await ingest(text)
        },
        drop: () => void calls.push('drop tree'),
      }
    },
  }
}

/** Result of storing an empty answer, with `changes`. */
export function anIngestedUsage(changes: Partial<IngestedUsage> = {}): IngestedUsage {
  return {
    elementCount: 0,
    listedCount: 0,
    tally: { seen: 0, stored: 0, duplicate: 0, quarantined: 0, expired: 0 },
    totals: null,
    activity: [],
    oldestAt: null,
    newestAt: null,
    gap: null,
    ...changes,
  }
}

/** Fails as connecting by RESP does to a proxy without it. */
export const withoutResp = () =>
  Promise.reject(new UpstreamError('unsupported', 'the proxy speaks no RESP'))

/** A client of a proxy of v0 without RESP; every call fails that is not one of these. */
export function aClient(calls: Partial<UpstreamClient>): UpstreamClient {
  const unexpected = () => Promise.reject(new Error('nothing else is asked'))
  return {
    get: unexpected,
    take: unexpected,
    post: unexpected,
    resp: withoutResp,
    facts: () => ({ version: null, generation: 'v0', loadsPlugins: null, clockSkewSeconds: null }),
    ...calls,
  }
}

/** Lets every call through, with a key. */
export const openGate: UsageWay['gate'] = { call: (send) => send(new Redacted('key')) }
