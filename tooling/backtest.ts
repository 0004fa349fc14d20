import { parseArgs } from 'node:util'
import {
  defaultPolicy,
  type EpochMs,
  epochMs,
  evaluateSnapshot,
  mainWindows,
  plusMs,
} from '@svc/core'
import {
  type AccountQuota,
  type BurnHours,
  burnHoursOf,
  type CapacityPoint,
  dryInstant,
  hourOf,
  nothingRecorded,
  poolStep,
  type RunwayContext,
  runwayOf,
} from '@svc/core/pool'
import { aLiveObservation, anAccount, aQuotaSample, evidenceOf } from '@svc/core/testing'
import { median, percentile, seededRandom } from './bench/goals.ts'

const HOUR_MS = 3_600_000
const DAYS = 16
/** Forecasts are made every three hours over the last four days that have 48 h of data after them. */
const ASKED_FROM_DAY = 10
const ASKED_TO_DAY = 14
const ASK_EVERY_HOURS = 3
const STEPS_PER_HOUR = 4

/** Simulated demand on the pool, in Plus units per quarter of an hour. */
interface DemandWorld {
  readonly name: string
  /** Mean units per hour at the busiest time. */
  readonly peak: number
  /** Share of the peak by UTC hour. */
  readonly shape: (hour: number) => number
  readonly weekend: number
  /** Strength of the changes of the level from day to day. */
  readonly drift: number
  /** Chance of a burst in an hour; a burst triples the demand for some hours. */
  readonly burst: number
}

const office = (hour: number) => (hour >= 8 && hour < 18 ? 1 : hour >= 6 && hour < 22 ? 0.3 : 0.04)
const flat = () => 0.7
const twoShifts = (hour: number) =>
  hour >= 1 && hour < 9 ? 0.8 : hour >= 13 && hour < 23 ? 1 : 0.1

const worlds: readonly DemandWorld[] = [
  { name: 'office', peak: 2.2, shape: office, weekend: 0.15, drift: 0.2, burst: 0.02 },
  { name: 'office, restless', peak: 2.6, shape: office, weekend: 0.3, drift: 0.5, burst: 0.08 },
  { name: 'two continents', peak: 1.8, shape: twoShifts, weekend: 0.4, drift: 0.25, burst: 0.03 },
  { name: 'machines', peak: 1.6, shape: flat, weekend: 1, drift: 0.15, burst: 0.02 },
  { name: 'machines, bursting', peak: 1.5, shape: flat, weekend: 1, drift: 0.3, burst: 0.12 },
]

interface Outcome {
  readonly errorHours: number
  readonly naiveErrorHours: number
  readonly inside: boolean | null
}

const { values } = parseArgs({ options: { seeds: { type: 'string', default: '12' } } })
const start = epochMs(Date.UTC(2026, 9, 5))
const all: Outcome[] = []
console.log('| world | error, h | "last hour goes on", h | ratio | P25–P75 holds |')
console.log('|---|---|---|---|---|')
for (const world of worlds) {
  const outcomes = Array.from({ length: Number(values.seeds) }, (_, seed) =>
    outcomesOf(world, seed + 1),
  ).flat()
  all.push(...outcomes)
  console.log(row(world.name, outcomes))
}
console.log(row('**all**', all))

console.log('\n| burn learned from readings | error, h | with a reset by the vendor, h | ratio |')
console.log('|---|---|---|---|')
const errors = { without: [] as number[], with: [] as number[] }
for (const world of worlds)
  for (let seed = 1; seed <= Number(values.seeds); seed += 1)
    for (const kind of ['without', 'with'] as const) {
      const reset = kind === 'with' ? vendorReset(seed) : null
      const outcomes = outcomesOf(world, seed, (demand) => learnedHours(demand, reset))
      errors[kind].push(...outcomes.map(({ errorHours }) => errorHours))
    }
const [without, withReset] = [mean(errors.without), mean(errors.with)]
console.log(
  `| **all** | ${without.toFixed(2)} | ${withReset.toFixed(2)} | ${(withReset / without).toFixed(3)} × |`,
)

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length)
}

function row(name: string, outcomes: readonly Outcome[]): string {
  const ours = mean(outcomes.map(({ errorHours }) => errorHours))
  const naive = mean(outcomes.map(({ naiveErrorHours }) => naiveErrorHours))
  const judged = outcomes.flatMap(({ inside }) => (inside === null ? [] : [Number(inside)]))
  const spread = `${ours.toFixed(2)} (median ${median(outcomes.map(({ errorHours }) => errorHours)).toFixed(2)}, p90 ${percentile(
    outcomes.map(({ errorHours }) => errorHours),
    0.9,
  ).toFixed(1)})`
  return `| ${name} | ${spread} | ${naive.toFixed(2)} (median ${median(outcomes.map(({ naiveErrorHours }) => naiveErrorHours)).toFixed(2)}) | ${(ours / naive).toFixed(2)} × | ${(100 * mean(judged)).toFixed(0)} % of ${judged.length} |`
}

/** Compares the forecasts of one world with the outcomes. Beyond 48 h counts as 48 h. */
function outcomesOf(
  world: DemandWorld,
  seed: number,
  hoursOf = (demand: readonly number[]) => (hour: number) => hoursBefore(demand, hour),
): readonly Outcome[] {
  const random = seededRandom(seed * 7_919)
  const demand = demandOf(world, random)
  const hoursAt = hoursOf(demand)
  const outcomes: Outcome[] = []
  for (let hour = ASKED_FROM_DAY * 24; hour < ASKED_TO_DAY * 24; hour += ASK_EVERY_HOURS) {
    const now = plusMs(start, hour * HOUR_MS)
    const accounts = poolAt(now, random)
    const context: RunwayContext = { windowId: '5h', multiplier: 6, now }
    const dryAt = (unitsWithin: (hours: number) => number) =>
      dryInstant(accounts, unitsWithin, context)
    const actual = dryAt((ahead) => unitsBetween(demand, hour, ahead))
    const lastHour = unitsBetween(demand, hour - 1, 1)
    const naive = dryAt((ahead) => lastHour * ahead)
    const { runsDryAt, p25, p75 } = runwayOf(accounts, hoursAt(hour), context)
    const hours = (at: EpochMs | null) => (at === null ? 48 : (at - now) / HOUR_MS)
    outcomes.push({
      errorHours: Math.abs(hours(runsDryAt) - hours(actual)),
      naiveErrorHours: Math.abs(hours(naive) - hours(actual)),
      // Where nobody expected it and it did not happen there is nothing to hold.
      inside:
        actual === null && p25 === null
          ? null
          : hours(actual) >= hours(p25) && hours(actual) <= hours(p75),
    })
  }
  return outcomes
}

function demandOf(world: DemandWorld, random: () => number): readonly number[] {
  const steps: number[] = []
  let level = 1
  let burstHours = 0
  for (let hour = 0; hour < DAYS * 24; hour += 1) {
    if (hour % 24 === 0)
      level = Math.max(0.2, level + (random() - 0.5) * 2 * world.drift + (1 - level) * 0.3)
    if (burstHours > 0) burstHours -= 1
    else if (random() < world.burst) burstHours = 1 + Math.floor(random() * 5)
    const weekday = new Date(start + hour * HOUR_MS).getUTCDay()
    const base =
      world.peak *
      world.shape(hour % 24) *
      (weekday === 0 || weekday === 6 ? world.weekend : 1) *
      level *
      (burstHours > 0 ? 3 : 1)
    for (let step = 0; step < STEPS_PER_HOUR; step += 1)
      steps.push(((base * -Math.log(1 - random() * 0.999)) / STEPS_PER_HOUR) * 1)
  }
  return steps
}

/** Twelve accounts at random points of their windows, some of them larger. */
function poolAt(now: EpochMs, random: () => number): readonly AccountQuota[] {
  return Array.from({ length: 12 }, (_, index) => ({
    weight: index === 0 ? 5 : 1,
    windows: {
      '5h': levelAt(now, 5, 20, random),
      week: levelAt(now, 168, 15, random),
    },
    heldUntil: null,
    lapsesAt: null,
  }))
}

function levelAt(now: EpochMs, hours: number, percentMin: number, random: () => number) {
  return {
    percent: percentMin + random() * (100 - percentMin),
    resetAt: plusMs(now, random() * hours * HOUR_MS),
    periodMs: hours * HOUR_MS,
  }
}

function unitsBetween(demand: readonly number[], fromHour: number, hours: number): number {
  const from = fromHour * STEPS_PER_HOUR
  return demand
    .slice(from, Math.round(from + hours * STEPS_PER_HOUR))
    .reduce((sum, units) => sum + units, 0)
}

function hoursBefore(demand: readonly number[], hour: number): BurnHours {
  const first = hourOf(start)
  return {
    firstAt: start,
    unitsByHour: new Map(
      Array.from({ length: hour }, (_, index) => [first + index, unitsBetween(demand, index, 1)]),
    ),
  }
}

/** Step with a reset by the vendor, on day 9 to 12; in half of the worlds the time of the next reset stays the same. */
function vendorReset(seed: number): { readonly step: number; readonly keepsTime: boolean } {
  const day = ASKED_FROM_DAY - 1 + 3 * seededRandom(seed)()
  return { step: Math.floor(day * 24 * STEPS_PER_HOUR), keepsTime: seed % 2 === 0 }
}

/** Hourly burn learned from readings of twelve accounts that serve a demand in turn. */
function learnedHours(
  demand: readonly number[],
  reset: ReturnType<typeof vendorReset> | null,
): (hour: number) => BurnHours {
  const accounts = Array.from({ length: 12 }, (_, index) => ({
    account: anAccount(`account-${index}`, { claimedPlan: 'prolite' }),
    windows: mainWindows.map(({ id, seconds }) => ({ id, seconds, used: 0, beganAt: 0 })),
  }))
  let memory = nothingRecorded
  const points: CapacityPoint[] = []
  for (const [step, units] of demand.entries()) {
    const now = plusMs(start, ((step + 1) * HOUR_MS) / STEPS_PER_HOUR)
    const entries = accounts.map(({ account, windows }, index) => {
      for (const window of windows) {
        const isOver = window.beganAt + window.seconds * 1000 <= now
        if (isOver || step === reset?.step) window.used = 0
        if (isOver || (step === reset?.step && !reset.keepsTime)) window.beganAt = now
        if (index === Math.floor(step / 3) % accounts.length)
          window.used += (units / 5) * (window.id === '5h' ? 100 : 100 / 6)
      }
      const read = windows.map(({ id, seconds, used, beganAt }) => ({
        id,
        periodSeconds: seconds,
        percent: Math.max(0, 100 - Math.round(used)),
        resetAt: epochMs(beganAt + seconds * 1000),
      }))
      return [account, evidenceOf([aQuotaSample({}, { sampledAt: now, windows: read })])] as const
    })
    const past = { previous: null, recordedChanges: [] }
    const pool = evaluateSnapshot(aLiveObservation(entries), defaultPolicy, now, past)
    const recorded = poolStep(memory, pool)
    memory = recorded.memory
    points.push(...recorded.points.filter(({ windowId }) => windowId === '5h'))
  }
  return (hour) => burnHoursOf(points.filter(({ at }) => at <= plusMs(start, hour * HOUR_MS)))
}
