import { brotliCompressSync, constants } from 'node:zlib'
import type { Snapshot } from '@svc/core'
import { noTrends } from '@svc/core/pool'
import { fileKeyOf, type NamedObservation } from '@svc/core/service'
import { aLiveObservation, anAccount, aQuotaSample, evidenceOf } from '@svc/core/testing'
import { createWording, statusView } from '@svc/views'

interface ProxySize {
  readonly accounts: number
  /** The first so many are accounts that every proxy lists. */
  readonly shared: number
}

/** What one proxy shows of accounts whose windows stand at all heights. */
export function aProxy(index: number, { accounts, shared }: ProxySize): NamedObservation {
  const name = `proxy-${index}`
  const listed = Array.from({ length: accounts }, (_, place) =>
    anAccount(place < shared ? `shared-${place}` : `person-${index}-${place}`, { upstream: name }),
  )
  const evidence = listed.map((account, place) => [fileKeyOf(account), readingOf(place)] as const)
  const observed = aLiveObservation(listed.map((account) => [account, null]))
  return { name, observed: { ...observed, evidenceByAuthName: new Map(evidence) } }
}

/** What was read of the account at this place. */
export function readingOf(place: number) {
  return evidenceOf([
    aQuotaSample({
      fiveHour: (place * 37) % 101,
      week: (place * 53) % 101,
      fiveHourResetsInSeconds: 60 + ((place * 7919) % 18_000),
      weekResetsInSeconds: 600 + ((place * 104_729) % 600_000),
      ageSeconds: place % 300,
    }),
  ])
}

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const context = {
  text: createWording('UTC'),
  usage: { kind: 'off' },
  trends: noTrends,
  refresh: { status: 'idle' },
} as const

/** The status of a service without a store, as it is sent. */
export function encodeStatus(snapshot: Snapshot): Buffer {
  return brotliCompressSync(JSON.stringify(statusView(snapshot, context)), BROTLI)
}
