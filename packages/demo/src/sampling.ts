import {
  type AccountEvidence,
  type EpochMs,
  epochMs,
  evidenceFrom,
  MINUTE_MS,
  plusMs,
  type QuotaSample,
  type WindowReading,
} from '@svc/core'
import { isMainWindow, isMainWindowId } from '@svc/core/service'
import type { ExampleRow, Sampling } from './example-row.ts'
import { latestTick, readingAt } from './moving-windows.ts'

/** Interval of direct samples: their age is within `ageMinutesMin .. ageMinutesMin + everyMinutes`. */
interface SamplingPace {
  readonly everyMinutes: number
  readonly ageMinutesMin: number
  readonly plannedIntervalSeconds: number
}

/** Planned query intervals of the primary class and of the discovery class. See docs/rules.md#quota-query-schedule. */
const PRIMARY_SECONDS = 5 * 60
const DISCOVERY_SECONDS = 6 * 3600

const PRIMARY: SamplingPace = {
  everyMinutes: 5,
  ageMinutesMin: 0,
  plannedIntervalSeconds: PRIMARY_SECONDS,
}
const DISCOVERY: SamplingPace = {
  everyMinutes: 340,
  ageMinutesMin: 20,
  plannedIntervalSeconds: DISCOVERY_SECONDS,
}

/** The longest minimum interval of any vendor's budget. See docs/rules.md#asking-politely. */
const BUDGET_MINUTES = 15
const BUDGETED: SamplingPace = {
  everyMinutes: BUDGET_MINUTES,
  ageMinutesMin: 0,
  plannedIntervalSeconds: BUDGET_MINUTES * 60,
}

const PACES: Readonly<Record<Exclude<Sampling, 'never'>, SamplingPace>> = {
  primary: PRIMARY,
  primary_and_headers: PRIMARY,
  discovery: DISCOVERY,
  discovery_and_headers: DISCOVERY,
  failing: { everyMinutes: 20, ageMinutesMin: 22, plannedIntervalSeconds: PRIMARY_SECONDS },
  refused: { everyMinutes: 60, ageMinutesMin: 105, plannedIntervalSeconds: PRIMARY_SECONDS },
  disabled_probe: { everyMinutes: 60, ageMinutesMin: 30, plannedIntervalSeconds: PRIMARY_SECONDS },
  budgeted: BUDGETED,
  budgeted_and_headers: { ...BUDGETED, everyMinutes: 25, ageMinutesMin: 15 },
  budgeted_refused: { ...BUDGETED, everyMinutes: 60, ageMinutesMin: 105 },
  headers: { ...BUDGETED, everyMinutes: 60 },
  reports_none: BUDGETED,
}

/** Time between two refusals that is more than enough to declare a login refused. */
const REFUSALS_APART_MS = 20 * MINUTE_MS

/** Evidence read about the account up to `now`; null if it was never queried. */
export function evidenceAt(row: ExampleRow, now: EpochMs): AccountEvidence | null {
  if (row.sampling === 'never') return null

  const pace = PACES[row.sampling]
  const direct = directSampleAt(row, pace, now)
  const evidence = evidenceFrom([direct], pace.plannedIntervalSeconds)

  switch (row.sampling) {
    case 'primary':
    case 'discovery':
    case 'budgeted':
    case 'reports_none':
      return evidence
    case 'primary_and_headers':
    case 'discovery_and_headers':
    case 'budgeted_and_headers':
    case 'headers':
      return { ...evidence, samples: [direct, headersSampleAt(row, now)] }
    case 'failing':
      return {
        ...evidence,
        probeFailure: { at: readingTick(row, 8, now), kind: 'failed', httpStatus: null, inARow: 3 },
      }
    case 'refused': {
      const at = readingTick(row, 30, now)
      return {
        ...evidence,
        probeFailure: { at, kind: 'auth', httpStatus: 401, inARow: 3 },
        refusedLogin: { inARow: 3, lastAt: at, httpStatus: 401 },
      }
    }
    case 'budgeted_refused': {
      const lastAt = readingTick(row, 10, now)
      const firstAt = plusMs(lastAt, -REFUSALS_APART_MS)
      return {
        ...evidence,
        probeFailure: { at: lastAt, kind: 'auth', httpStatus: 401, inARow: 2 },
        refusedLogin: { inARow: 2, firstAt, lastAt, httpStatus: 401 },
      }
    }
    case 'disabled_probe':
      return {
        ...evidence,
        samples: [],
        disabledProbe: { state: 'ok', probedAt: direct.sampledAt, httpStatus: 200, sample: direct },
      }
    default:
      return row.sampling satisfies never
  }
}

/** Evidence after a manual refresh of the account at `askedAt`; unchanged if the vendor does not answer for this account. */
export function evidenceOnceAsked(
  row: ExampleRow,
  known: AccountEvidence | null,
  askedAt: EpochMs,
): AccountEvidence | null {
  if (row.condition === 'disabled') {
    // A diagnostic query of an account never queried before shows that it is logged out.
    return known === null || known.disabledProbe.state === 'unknown'
      ? {
          ...evidenceFrom([]),
          disabledProbe: {
            state: 'auth_invalid',
            probedAt: askedAt,
            httpStatus: 401,
            sample: null,
          },
        }
      : { ...known, disabledProbe: { ...known.disabledProbe, probedAt: askedAt } }
  }
  const [direct, ...others] = known?.samples ?? []
  if (known === null || known.probeFailure !== null || direct === undefined) return known
  return direct.sampledAt >= askedAt
    ? known
    : { ...known, samples: [sampleOf(row, wholeSecond(askedAt)), ...others] }
}

/** Earliest time of the next query to the vendor about the account; null for queries without a budget. */
export function nextAskAt(row: ExampleRow, now: EpochMs): EpochMs | null {
  if (row.provider === 'codex') return null
  const { samples = [], probeFailure = null } = evidenceAt(row, now) ?? {}
  const times = [probeFailure?.at ?? 0, ...samples.map(({ sampledAt }) => sampledAt)]
  return epochMs(Math.max(...times) + BUDGET_MINUTES * MINUTE_MS)
}

/** Offset of the account's cycles. Two files of one account share it. */
export function windowPhaseMs(row: ExampleRow): number {
  return spreadOf(row.accountKey)
}

function directSampleAt(row: ExampleRow, pace: SamplingPace, now: EpochMs): QuotaSample {
  const sampledAt = readingTick(
    row,
    pace.everyMinutes,
    plusMs(now, -pace.ageMinutesMin * MINUTE_MS),
  )
  return sampleOf(row, sampledAt)
}

function sampleOf(row: ExampleRow, sampledAt: EpochMs): QuotaSample {
  const reportsNone = row.sampling === 'headers' || row.sampling === 'reports_none'
  const windows = reportsNone ? [] : readingsAt(row, sampledAt)
  return {
    origin: 'direct',
    sampledAt,
    plan: row.plan,
    windows,
    unreadableWindowCount: 0,
    limitReached: windows.some(({ id, percent }) => percent === 0 && isMainWindow(id)),
    spendReached: row.condition === 'spend_reached' ? { resetAt: null } : null,
    ...(reportsNone && { reportsNone }),
  }
}

function readingsAt(row: ExampleRow, sampledAt: EpochMs): readonly WindowReading[] {
  return row.windows.map((window) => readingAt(window, sampledAt, windowPhaseMs(row)))
}

/** The passive reading of a busy account: response headers contain the main windows, or all windows if the vendor's answer contains none. */
function headersSampleAt(row: ExampleRow, now: EpochMs): QuotaSample {
  const sampledAt = readingTick(row, 1, now)
  const windows = row.windows.filter(({ id }) => row.sampling === 'headers' || isMainWindowId(id))
  return {
    origin: 'headers',
    sampledAt,
    plan: null,
    windows: windows.map((window) => readingAt(window, sampledAt, windowPhaseMs(row))),
    unreadableWindowCount: 0,
    limitReached: false,
    spendReached: null,
  }
}

/** Time of the latest reading. Each file has its own offset, which spreads the samples of a pool over the interval. */
function readingTick(row: ExampleRow, everyMinutes: number, now: EpochMs): EpochMs {
  return latestTick(now, everyMinutes * MINUTE_MS, spreadOf(row.authIndex))
}

const wholeSecond = (at: EpochMs): EpochMs => epochMs(Math.floor(at / 1000) * 1000)

/** A whole number of seconds, in milliseconds, derived from a hexadecimal name. */
function spreadOf(hex: string): number {
  return Number.parseInt(hex.slice(0, 8), 16) * 1000
}
