import {
  capacityWeightOf,
  type EpochMs,
  type EvaluatedAccount,
  isStale,
  type QuotaWindow,
  type ScoreComponents,
  scoringPolicy,
  type WindowId,
} from '@svc/core'
import {
  isPresent,
  meteringWindowOf,
  scoredQuotasOf,
  scoreMaximaOf,
  timeShareLeft,
} from '@svc/core/account'
import { isMainWindowId, providerRowOf } from '@svc/core/service'
import { percentText } from '../format/format.ts'
import { unitOf } from './en/unit-name.ts'
import type { Wording } from './wording.ts'

/** Parts of an account's score, one per component in display order; their points add up to the score; a component without points has no reason. Empty for a blocked account. */
export function scoreParts(account: EvaluatedAccount, now: EpochMs, text: Wording) {
  if (!account.routable) return []
  const last = lastParts.get(account)
  if (last?.now === now && last.text === text) return last.parts
  const parts = scoreComponentIds.map((id) => {
    const points = account.scoreComponents[id]
    const max = MAXIMA[id]
    const reason = points > 0 ? reasonTexts[id](account, now, text) : null
    return { id, points, max, reason: reason ?? undefined }
  })
  lastParts.set(account, { now, text, parts })
  return parts
}

interface ScorePart {
  readonly id: keyof ScoreComponents
  readonly points: number
  readonly max: number
  readonly reason: string | undefined
}

/** Parts of each account's score as they were last worded: the status has them twice. */
const lastParts = new WeakMap<
  EvaluatedAccount,
  { readonly now: EpochMs; readonly text: Wording; readonly parts: ScorePart[] }
>()

/** One short sentence for each component that has a reason. */
export function reasonsIn(parts: readonly ScorePart[]): string[] {
  return parts.map(({ reason }) => reason).filter((reason) => reason !== undefined)
}

const MAXIMA = scoreMaximaOf()

/** Sentence on the points of each component; null if there is no reason to give. */
const reasonTexts: Readonly<
  Record<
    keyof ScoreComponents,
    (account: EvaluatedAccount, now: EpochMs, text: Wording) => string | null
  >
> = {
  capacity: (account, now, text) =>
    capacityReason(account, now, text) + planDiscount(account, text),
  health: healthReason,
  plan: ({ plan, scoredPlan, capacityWeight, account }, _, { words }) =>
    scoredPlan !== undefined
      ? words.scoreReasons.usualPlan(scoredPlan)
      : words.scoreReasons.plan({ plan, units: capacityWeight, unit: unitOf(account.provider) }),
  load: (account, _, { words }) => {
    const { id } = meteringWindowOf(account.windows)
    return isMainWindowId(id) ? words.scoreReasons.notStarted(id) : null
  },
  reclaim: ({ reclaim }, _, text) =>
    reclaim === null
      ? null
      : text.words.scoreReasons.reclaim({
          share: percentText(reclaim.percent),
          duration: text.durationText(reclaim.resetsInSeconds),
        }),
}

/** All components in display order. */
export const scoreComponentIds = Object.keys(reasonTexts) as readonly (keyof ScoreComponents)[]

/** Names the window with the most quota left for its remaining time, because the component rewards it. */
function capacityReason(account: EvaluatedAccount, now: EpochMs, text: Wording): string {
  const { week, '5h': short } = scoredQuotasOf(
    account.quota,
    account.windows,
    account.account.provider,
  )
  const readings = [...paceReading(week.metered, now), ...paceReading(short.metered, now)]
  const [first, ...rest] = readings
  if (first === undefined) return unreadReason(account, text)
  const best = rest.reduce(
    (ahead, reading) =>
      reading.percent * ahead.timePercent > ahead.percent * reading.timePercent ? reading : ahead,
    first,
  )

  const left = percentText(best.percent)
  const timeLeft = percentText(best.timePercent)
  return text.words.scoreReasons.pace({
    windowId: best.windowId,
    left,
    timeLeft,
    advice: best.resetKnown ? paceAdvice(best) : null,
  })
}

function unreadReason(account: EvaluatedAccount, { words }: Wording): string {
  const { windows, scopedWindows, lastSample } = account
  const { otherWindow, notReported, unread, onlyScoped, unclear, noMainWindow } = words.scoreReasons
  const other = windows.find((window) => window.state === 'known')
  if (other?.state === 'known')
    return otherWindow({ windowId: other.id, left: percentText(other.percent) })
  if (windows.some((window) => window.state === 'unknown' && !isPresent(window))) return notReported
  if (lastSample === null) return unread
  if (providerRowOf(account.account.provider).furtherWindows.length === 0) return noMainWindow
  return windows.some(isPresent) || scopedWindows.length === 0 ? unclear : onlyScoped
}

/** Clause on the reduced weight of an untracked plan; empty for tracked plans. */
function planDiscount(
  { capacityWeight, plan, scoredPlan, account: { provider } }: EvaluatedAccount,
  { words }: Wording,
): string {
  const weight =
    scoredPlan === undefined ? capacityWeight : capacityWeightOf({ provider, plan: scoredPlan })
  if (weight > 0) return ''
  return words.scoreReasons.untracked({
    plan: scoredPlan ?? plan,
    share: percentText(scoringPolicy.untrackedPlanFactor * 100),
  })
}

/** Share by which a pace may differ from 1 without advice. At a pace of 1 the quota lasts exactly until the reset. */
const ON_PACE_SHARE = 0.1

function paceAdvice({ percent, timePercent }: PaceReading): 'hurry' | 'slow' | 'onPace' {
  if (Math.abs(percent - timePercent) <= timePercent * ON_PACE_SHARE) return 'onPace'
  return percent > timePercent ? 'hurry' : 'slow'
}

interface PaceReading {
  readonly windowId: WindowId
  readonly percent: number
  readonly timePercent: number
  readonly resetKnown: boolean
}

function paceReading(window: QuotaWindow, now: EpochMs): readonly PaceReading[] {
  if (window.state !== 'known') return []
  return [
    {
      windowId: window.id,
      percent: window.percent,
      timePercent: timeShareLeft(window, now) * 100,
      resetKnown: window.resetAt !== null,
    },
  ]
}

function healthReason(account: EvaluatedAccount, _: EpochMs, { words }: Wording): string {
  const { status, windows, failureRatio } = account
  return words.scoreReasons.health({
    status: words.statuses.names[status.kind],
    soundsGood: status.tone === 'good',
    isOld: windows.some((window) => window.state === 'known' && isStale(window)),
    failedShare: failureRatio !== null && failureRatio > 0 ? percentText(failureRatio * 100) : null,
  })
}
