import { brotliCompressSync, constants } from 'node:zlib'
import {
  defaultPolicy,
  evaluateSnapshot,
  type Observation,
  offBecause,
  plusMs,
  type ServiceObservation,
  type Snapshot,
} from '@svc/core'
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

const ROUND_MS = 15_000
const UNIT = 'ms of a processor'

/** Observation of one proxy, with windows at all levels of use; the first `shared` accounts are listed by every proxy. */
function aProxy(index: number, accounts: number, shared: number): NamedObservation {
  const name = `proxy-${index}`
  const listed = Array.from({ length: accounts }, (_, place) =>
    anAccount(place < shared ? `shared-${place}` : `person-${index}-${place}`, { upstream: name }),
  )
  const evidence = listed.map((account, place) => [fileKeyOf(account), readingOf(place)] as const)
  const observed = aLiveObservation(listed.map((account) => [account, null]))
  return { name, observed: { ...observed, evidenceByAuthName: new Map(evidence) } }
}

/** Reading of the account with this index. */
function readingOf(place: number) {
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

/** Encodes the status of a service without a store, as it is sent. */
function encodeStatus(snapshot: Snapshot): Buffer {
  return brotliCompressSync(JSON.stringify(statusView(snapshot, context)), BROTLI)
}

/** Runs `work` and adds its processor time in milliseconds to `spent`; other load on the machine does not count. */
function timed<Value>(spent: number[], work: () => Value): Value {
  const before = process.cpuUsage()
  const value = work()
  const { user, system } = process.cpuUsage(before)
  spent.push((user + system) / 1000)
  return value
}

/** Creates a function that evaluates observations of one pool, each one round later than the last. */
function createRounds(): (observed: Omit<Observation, keyof ServiceObservation>) => Snapshot {
  let previous: Snapshot | null = null
  let now = NOW
  return (observed) => {
    const observation = { ...observed, ...aServiceObservation() }
    const past = { previous, recordedChanges: [] }
    previous = evaluateSnapshot(observation, defaultPolicy, now, past)
    now = plusMs(now, ROUND_MS)
    return previous
  }
}

const PROXIES = 20
const ACCOUNTS_EACH = 500
const SHARED_ACCOUNTS = 100
/** Rounds before the measurement, because code becomes fast after a few runs. */
const FLEET_WARM_UP_ROUNDS = 2
const shared = {
  client_labels: offBecause('no_store'),
  benchmark: offBecause('not_configured'),
} as const

/** Cost of merging, evaluating and encoding the observations of 20 proxies. */
export async function measureFleet({ rounds }: Effort): Promise<readonly Finding[]> {
  const proxies = Array.from({ length: PROXIES }, (_, index) =>
    aProxy(index, ACCOUNTS_EACH, SHARED_ACCOUNTS),
  ) as [NamedObservation, ...NamedObservation[]]
  const spent = { merge: [] as number[], evaluate: [] as number[], encode: [] as number[] }
  const evaluate = createRounds()
  for (let round = 0; round < FLEET_WARM_UP_ROUNDS + rounds; round += 1) {
    const observed = timed(spent.merge, () => mergeObservations(proxies, shared))
    const snapshot = timed(spent.evaluate, () => evaluate(observed))
    timed(spent.encode, () => encodeStatus(snapshot))
  }
  const parts = Object.entries(spent).map(
    ([part, times]) => [part, median(times.slice(FLEET_WARM_UP_ROUNDS))] as const,
  )
  const all = parts.reduce((sum, [, ms]) => sum + ms, 0)
  const pool = `${PROXIES} proxies of ${ACCOUNTS_EACH} accounts`
  return findingsOf([
    ...parts.map(([part, ms]) => ['fleet', `${part}, ${pool}`, ms, UNIT] as const),
    ['fleet', `evaluate and encode, ${pool}`, all, UNIT, { atMost: 400 }],
  ])
}

const ACCOUNTS = 1_000
const WARM_MS_MAX = 40
/** Rounds after which the code is compiled. */
const WARM_UP_ROUNDS = 20

/**
 * Cost of evaluating and encoding one pool in this process: the first time, as just after a start, and once warm, after one account or all have
 * changed. The figures of `scale` are of a service that has evaluated a few times.
 */
export async function measureWarm({ rounds }: Effort): Promise<readonly Finding[]> {
  const { observed } = aProxy(0, ACCOUNTS, 0)
  const keys = [...observed.evidenceByAuthName.keys()]
  const evidenceByAuthName = new Map(observed.evidenceByAuthName)
  const evaluate = createRounds()
  const spent: number[] = []
  const after = (changedCount: number) => {
    for (const [place, key] of keys.slice(0, changedCount).entries())
      evidenceByAuthName.set(key, readingOf(place + spent.length))
    timed(spent, () => encodeStatus(evaluate({ ...observed, evidenceByAuthName })))
  }
  const medianOf = (changedCount: number) => {
    const times = 2 * rounds + 1
    for (let time = 0; time < times; time += 1) after(changedCount)
    return median(spent.slice(-times))
  }
  for (let warmUp = 0; warmUp < WARM_UP_ROUNDS; warmUp += 1) after(warmUp % 2 === 0 ? 1 : ACCOUNTS)
  const what = `evaluate and encode, ${ACCOUNTS} accounts`
  const bound = { atMost: WARM_MS_MAX }
  return findingsOf([
    ['warm', `${what}, the first time`, spent[0] ?? Number.NaN, UNIT],
    ['warm', `${what}, one changed`, medianOf(1), UNIT, bound],
    ['warm', `${what}, all changed`, medianOf(ACCOUNTS), UNIT, bound],
  ])
}
