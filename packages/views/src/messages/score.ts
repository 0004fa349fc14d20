import {
  type EpochMs,
  type EvaluatedAccount,
  isStale,
  planLabel,
  type QuotaWindow,
  type ScoreComponents,
  scoringPolicy,
  windowOf,
} from '@svc/core'
import { scoreMaximaOf, timeShareLeft } from '@svc/core/service'
import { capitalised, countedText, durationText, percentText } from '../format/format.ts'
import { windowLabel } from './en/window-label.ts'
import { statusName } from './statuses.ts'

/** One component of a routing score, with what earned it. */
export interface ScorePart {
  readonly id: keyof ScoreComponents
  readonly points: number
  readonly max: number
  /** Left out where the component earned nothing. */
  readonly reason?: string
}

/** What an account's score consists of: every component, in their order; empty for a blocked account. The points add up to the score. */
export function scoreParts(account: EvaluatedAccount, now: EpochMs): ScorePart[] {
  if (!account.routable) return []
  return scoreComponentIds.map((id) => {
    const points = account.scoreComponents[id]
    const part = { id, points, max: MAXIMA[id] }
    const reason = points > 0 ? reasonWords[id](account, now) : null
    return reason === null ? part : { ...part, reason }
  })
}

/** The reasons alone: one short sentence per component that is not 0. */
export function reasonsIn(parts: readonly ScorePart[]): string[] {
  return parts.flatMap(({ reason }) => (reason === undefined ? [] : [reason]))
}

const MAXIMA = scoreMaximaOf()

/** What earned each component its points. */
const reasonWords: Readonly<
  Record<keyof ScoreComponents, (account: EvaluatedAccount, now: EpochMs) => string | null>
> = {
  capacity: (account, now) => capacityReason(account, now) + planDiscount(account),
  health: healthReason,
  plan: ({ plan, capacityWeight }) =>
    `${planLabel(plan)}: ${countedText(capacityWeight, 'Plus unit')}`,
  load: (account) =>
    `${capitalised(meteringWindowName(account))} window not started; the next request starts it`,
  reclaim: ({ reclaim }) =>
    reclaim === null
      ? null
      : `${percentText(reclaim.percent)} of its 5h quota expires in ${durationText(reclaim.resetsInSeconds)}`,
}

/** Every component, in the order in which they are shown. */
export const scoreComponentIds = Object.keys(reasonWords) as readonly (keyof ScoreComponents)[]

/** Speaks of the window with the most quota left for its time; that is what the component rewards. */
function capacityReason(account: EvaluatedAccount, now: EpochMs): string {
  const readings = [
    ...paceReading('week', windowOf(account.windows, 'week'), now),
    ...paceReading('5h window', windowOf(account.windows, '5h'), now),
  ]
  const [first, ...rest] = readings
  if (first === undefined) return unreadReason(account)
  const best = rest.reduce(
    (ahead, reading) =>
      reading.percent * ahead.timePercent > ahead.percent * reading.timePercent ? reading : ahead,
    first,
  )

  const left = percentText(best.percent)
  const timeLeft = percentText(best.timePercent)
  if (!best.resetKnown) return `${left} of the ${best.name} left`
  return `${left} of the ${best.name} left, ${timeLeft} of its time: ${left === timeLeft ? 'on pace' : paceAdvice(best)}`
}

/** Neither the 5h window nor the week is known; what else may have been read does not score. */
function unreadReason({ windows, lastSample }: EvaluatedAccount): string {
  const other = windows.find((window) => window.state === 'known')
  if (other?.state === 'known')
    return `Only its ${windowLabel(other.id).toLowerCase()} quota is known: ${percentText(other.percent)} left`
  return lastSample === null
    ? 'No reading of its quota yet'
    : 'Its last reading shows neither a 5h nor a weekly window'
}

/** What is left of an account of an untracked plan counts in part. */
function planDiscount({ capacityWeight, plan }: EvaluatedAccount): string {
  if (capacityWeight > 0) return ''
  return `; counts ${percentText(scoringPolicy.untrackedPlanFactor * 100)}, because ${planLabel(plan)} is not a tracked plan`
}

function paceAdvice({ percent, timePercent }: PaceReading): string {
  return percent > timePercent ? 'use it before the reset' : 'spend it slowly'
}

interface PaceReading {
  readonly name: string
  readonly percent: number
  readonly timePercent: number
  readonly resetKnown: boolean
}

function paceReading(name: string, window: QuotaWindow, now: EpochMs): readonly PaceReading[] {
  if (window.state !== 'known') return []
  return [
    {
      name,
      percent: window.percent,
      timePercent: timeShareLeft(window, now) * 100,
      resetKnown: window.resetAt !== null,
    },
  ]
}

function healthReason(account: EvaluatedAccount): string {
  const word = statusName(account.status.kind)
  const doubts: string[] = []
  if (account.windows.some((window) => window.state === 'known' && isStale(window)))
    doubts.push('its reading is old')
  if (account.failureRatio !== null && account.failureRatio > 0) {
    doubts.push(`${percentText(account.failureRatio * 100)} of its latest requests failed`)
  }
  if (doubts.length === 0) return word
  // Only what sounds good is followed by a but.
  return `${word}, ${account.status.tone === 'good' ? 'but' : 'and'} ${doubts.join(' and ')}`
}

function meteringWindowName(account: EvaluatedAccount): string {
  return windowOf(account.windows, '5h').state === 'absent' ? 'weekly' : '5h'
}
