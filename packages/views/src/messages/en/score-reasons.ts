import {
  type MainWindowId,
  type PerWindow,
  type PlanKind,
  planLabel,
  type WindowId,
} from '@svc/core'
import type { ProviderPool } from '@svc/core/pool'
import { capitalised, countedText } from '../../format/format.ts'
import { unitNames } from './unit-name.ts'
import { windowLabel } from './window-label.ts'

/** Quota and time left in a window, as texts such as `74%`; `advice` is null if its reset is not known. */
interface WindowPace {
  readonly windowId: WindowId
  readonly left: string
  readonly timeLeft: string
  readonly advice: 'onPace' | 'hurry' | 'slow' | null
}

/** Doubts about an otherwise healthy account. */
interface Doubts {
  readonly status: string
  readonly soundsGood: boolean
  readonly isOld: boolean
  /** Share as a text; null if no recent request failed. */
  readonly failedShare: string | null
}

const windows = new Map<WindowId, string>([
  ['5h', '5h window'],
  ['day', 'day'],
  ['week', 'week'],
  ['month', 'month'],
])
const meters: PerWindow<string> = { '5h': '5h', week: 'weekly' }
interface PlanWeight {
  readonly plan: PlanKind
  readonly units: number
  readonly unit: ProviderPool['unit']
}

const advices = { onPace: 'on pace', hurry: 'use it before the reset', slow: 'spend it slowly' }

export const scoreReasons = {
  pace: ({ windowId, left, timeLeft, advice }: WindowPace) => {
    const share = `${left} of the ${windows.get(windowId) ?? windowLabel(windowId)} left`
    return advice === null ? share : `${share}, ${timeLeft} of its time: ${advices[advice]}`
  },
  otherWindow: ({ windowId, left }: { readonly windowId: WindowId; readonly left: string }) =>
    `Only its ${windowLabel(windowId).toLowerCase()} quota is known: ${left} left`,
  unread: 'No reading of its quota yet',
  notReported: 'Its quota is not reported',
  onlyScoped: 'Only the quota of some of its models is known',
  unclear: 'Its last reading does not say how much is left',
  noMainWindow: 'Its last reading shows neither a 5h nor a weekly window',
  untracked: ({ plan, share }: { readonly plan: PlanKind; readonly share: string }) =>
    `; counts ${share}, because ${planLabel(plan)} is not a tracked plan`,
  health: ({ status, soundsGood, isOld, failedShare }: Doubts) => {
    const doubts = [
      ...(isOld ? ['its reading is old'] : []),
      ...(failedShare === null ? [] : [`${failedShare} of its latest requests failed`]),
    ]
    if (doubts.length === 0) return status
    // "But" only fits after a name that sounds good.
    return `${status}, ${soundsGood ? 'but' : 'and'} ${doubts.join(' and ')}`
  },
  plan: ({ plan, units, unit }: PlanWeight) =>
    `${planLabel(plan)}: ${unit === 'accounts' ? 'every account counts the same' : countedText(units, `${unitNames[unit]} unit`)}`,
  usualPlan: (plan: PlanKind) =>
    `Plan not asked for yet; counts as ${planLabel(plan)}, like most of its pool`,
  notStarted: (windowId: MainWindowId) =>
    `${capitalised(meters[windowId])} window not started; the next request starts it`,
  reclaim: ({ share, duration }: { readonly share: string; readonly duration: string }) =>
    `${share} of its 5h quota expires in ${duration}`,
}
