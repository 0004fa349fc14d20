import {
  type EpochMs,
  type EvaluatedAccount,
  isStale,
  planLabel,
  type QuotaWindow,
  scoringPolicy,
  timeShareLeft,
  windowOf,
} from '@svc/core'
import { statusName } from './status-words.ts'
import { countedText, durationText, percentText, windowLabel } from './wire-text.ts'

/** Why an account scores what it scores: one short sentence per component that is not 0, in their order. */
export function scoreReasons(account: EvaluatedAccount, now: EpochMs): string[] {
  if (!account.routable) return []
  const { capacity, health, plan, load, reclaim } = account.scoreComponents
  const reasons: string[] = []
  if (capacity > 0) reasons.push(capacityReason(account, now) + planDiscount(account))
  if (health > 0) reasons.push(healthReason(account))
  if (plan > 0) reasons.push(`${planLabel(account.plan)}: ${countedText(account.capacityWeight, 'Plus unit')}`)
  if (load > 0) reasons.push(`Its ${meteringWindowName(account)} clock has not started: one request starts it`)
  if (reclaim > 0 && account.reclaim !== null) {
    const { percent, resetsInSeconds } = account.reclaim
    reasons.push(`${percentText(percent)} of its 5h quota expires in ${durationText(resetsInSeconds)}`)
  }
  return reasons
}

/** Speaks of the window with the most quota left for its time; that is what the component rewards. */
function capacityReason(account: EvaluatedAccount, now: EpochMs): string {
  const readings = [
    ...paceReading('week', windowOf(account.windows, 'week'), now),
    ...paceReading('5h window', windowOf(account.windows, '5h'), now),
  ]
  const [first, ...rest] = readings
  if (first === undefined) return unreadReason(account)
  const best = rest.reduce(
    (ahead, reading) => (reading.percent * ahead.timePercent > ahead.percent * reading.timePercent ? reading : ahead),
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
  if (other?.state === 'known') return `Only its ${windowLabel(other.id).toLowerCase()} quota is known: ${percentText(other.percent)} left`
  return lastSample === null ? 'No reading of its quota yet' : 'Its last reading shows neither a 5h nor a weekly window'
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
  return [{ name, percent: window.percent, timePercent: timeShareLeft(window, now) * 100, resetKnown: window.resetAt !== null }]
}

function healthReason(account: EvaluatedAccount): string {
  const word = statusName(account.status.kind)
  const doubts: string[] = []
  if (account.windows.some((window) => window.state === 'known' && isStale(window))) doubts.push('its reading is old')
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
