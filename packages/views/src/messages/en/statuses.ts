import {
  type AccountStatusKind,
  type MainWindowId,
  type PerWindow,
  type PlanKind,
  planLabel,
  type WindowId,
} from '@svc/core'
import type { ProviderPool } from '@svc/core/pool'
import { capitalised, countedText } from '../../format/format.ts'
import { isAmount } from '../names/names.ts'
import { windowLabel } from './names.ts'
import { unitNames } from './unit-name.ts'

/** The reset that frees an account: its window (null if unknown) and its time. */
interface FreeingReset {
  readonly windowId: WindowId | null
  readonly when: string
  readonly duration: string
}

/** Models, or the vendor's name for them, that an account cannot serve until a time; null if the time is unknown. */
export interface UnservedModels {
  readonly models: string
  readonly until: string | null
}

const unservedText = (unserved: readonly UnservedModels[]): string =>
  unserved
    .map(({ models, until }) => (until === null ? models : `${models} until ${until}`))
    .join('; ')

/** Short names of account states, used everywhere a state is shown. */
const names: Readonly<Record<AccountStatusKind, string>> = {
  active: 'Active',
  disabled: 'Disabled',
  auth_invalid: 'Auth invalid',
  deactivated: 'Deactivated',
  unavailable: 'Unavailable',
  // `usedUp` replaces this name if the window is known.
  reset_scheduled: 'Quota used up',
  quota_hit: 'Quota used up',
  retry_after: 'Held back',
  cooldown: 'Cooldown',
  ready_unproven: 'Ready, unproven',
  degraded: 'Degraded',
  pending: 'Pending',
  refreshing: 'Refreshing',
  unknown_status: 'Unknown status',
  message: 'Active, with a message',
}

/** Name of the state of an account whose window is used up. */
export function usedUpText(id: WindowId): string {
  return `${windowLabel(id)} ${isAmount(id) ? 'hit' : 'quota used up'}`
}

/** Names of account states, and advice on states without words in Health. */
export const statuses = {
  names,
  usedUp: usedUpText,
  advice: {
    active: 'Ready.',
    readyBut: (unserved: readonly UnservedModels[]) =>
      `Ready, but not for ${unservedText(unserved)}.`,
    disabled: (remedy: string | null) =>
      `Left out on purpose.${remedy === null ? '' : ` ${remedy}`}`,
    someReset: 'Nothing to do. A reset frees it.',
    reset: ({ windowId, when, duration }: FreeingReset) =>
      `Nothing to do. The ${windowId === null ? 'reset of its limit' : `${windowLabel(windowId).toLowerCase()} reset`} ${when}, in ${duration}, frees it.`,
    heldBack: (until: string | null) =>
      `Nothing to do. The proxy holds it back${until === null ? '' : ` until ${until}`}.`,
    cooldown: 'Nothing to do. Quota message without a time; the monitor checks it again.',
    resting: (until: string) =>
      `Nothing to do. Its requests were refused without a time; it rests until ${until}.`,
    readyUnproven: 'Usable: the cool-down has ended, but no request has succeeded since.',
    degraded: 'Usable, but one of its models failed on the proxy.',
    degradedBut: (unserved: readonly UnservedModels[]) =>
      `Usable, but not for ${unservedText(unserved)}.`,
    unproven: 'Usable, not proven yet.',
    unknownStatus: 'Usable, but the proxy gives it a status this monitor does not know.',
    message: 'Usable. The proxy shows a message for it; look at its log.',
  },
}

/** Quota and time left in a window, as texts such as `74%`; `advice` is null if the reset is unknown. */
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
