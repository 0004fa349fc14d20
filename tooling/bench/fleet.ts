import { brotliCompressSync, constants } from 'node:zlib'
import { defaultPolicy, evaluateSnapshot, offBecause, plusMs, type Snapshot } from '@svc/core'
import { noTrends } from '@svc/core/pool'
import { fileKeyOf, mergeObservations, type NamedObservation } from '@svc/core/service'
import {
  aLiveObservation,
  anAccount,
  aQuotaSample,
  aServiceObservation,
  evidenceOf,
  NOW,
} from '@svc/core/testing'
import { createWording, statusView } from '@svc/views'
import { type Effort, type Finding, findingsOf, median } from './goals.ts'

const PROXIES = 20
const ACCOUNTS_EACH = 500
const SHARED_ACCOUNTS = 100
/** Rounds before the measurement, because code becomes fast after a few runs. */
const WARM_UP_ROUNDS = 2
const ROUND_MS = 15_000
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const shared = {
  client_labels: offBecause('no_store'),
  benchmark: offBecause('not_configured'),
} as const
/** Of a service without a store. */
const context = {
  text: createWording('UTC'),
  usage: { kind: 'off' },
  trends: noTrends,
  refresh: { status: 'idle' },
} as const

/** Cost of merging, evaluating and encoding the observations of 20 proxies. */
export async function measureFleet({ rounds }: Effort): Promise<readonly Finding[]> {
  const proxies = Array.from({ length: PROXIES }, (_, index) => aProxy(index)) as [
    NamedObservation,
    ...NamedObservation[],
  ]
  const spent = { merge: [] as number[], evaluate: [] as number[], encode: [] as number[] }
  let previous: Snapshot | null = null
  for (let round = 0; round < WARM_UP_ROUNDS + rounds; round += 1) {
    const observed = timed(spent.merge, () => mergeObservations(proxies, shared))
    const observation = { ...observed, ...aServiceObservation() }
    const past = { previous, recordedChanges: [] }
    const snapshot: Snapshot = timed(spent.evaluate, () =>
      evaluateSnapshot(observation, defaultPolicy, plusMs(NOW, round * ROUND_MS), past),
    )
    timed(spent.encode, () =>
      brotliCompressSync(JSON.stringify(statusView(snapshot, context)), BROTLI),
    )
    previous = snapshot
  }
  const parts = Object.entries(spent).map(
    ([part, times]) => [part, median(times.slice(WARM_UP_ROUNDS))] as const,
  )
  const all = parts.reduce((sum, [, ms]) => sum + ms, 0)
  const pool = `${PROXIES} proxies of ${ACCOUNTS_EACH} accounts`
  const unit = 'ms of a processor'
  return findingsOf([
    ...parts.map(([part, ms]) => ['fleet', `${part}, ${pool}`, ms, unit] as const),
    ['fleet', `evaluate and encode, ${pool}`, all, unit, { atMost: 400 }],
  ])
}

/** Observation of one proxy, with windows at all levels of use; the first accounts are listed by every proxy. */
function aProxy(index: number): NamedObservation {
  const name = `proxy-${index}`
  const listed = Array.from({ length: ACCOUNTS_EACH }, (_, place) =>
    anAccount(place < SHARED_ACCOUNTS ? `shared-${place}` : `person-${index}-${place}`, {
      upstream: name,
    }),
  )
  const evidence = listed.map((account, place) => {
    const sample = aQuotaSample({
      fiveHour: (place * 37) % 101,
      week: (place * 53) % 101,
      fiveHourResetsInSeconds: 60 + ((place * 7919) % 18_000),
      weekResetsInSeconds: 600 + ((place * 104_729) % 600_000),
      ageSeconds: place % 300,
    })
    return [fileKeyOf(account), evidenceOf([sample])] as const
  })
  const observed = aLiveObservation(listed.map((account) => [account, null]))
  return { name, observed: { ...observed, evidenceByAuthName: new Map(evidence) } }
}

/** Runs `work` and adds its processor time in milliseconds to `spent`; other load on the machine does not count. */
function timed<Value>(spent: number[], work: () => Value): Value {
  const before = process.cpuUsage()
  const value = work()
  const { user, system } = process.cpuUsage(before)
  spent.push((user + system) / 1000)
  return value
}
