import type { AccountStatusKind, WindowId } from '@svc/core'
import { isAmount } from '../names/window-label.ts'
import { windowLabel } from './window-label.ts'

/** A reset that frees an account: its window (null if unknown) and its time. */
interface FreeingReset {
  readonly windowId: WindowId | null
  readonly when: string
  readonly duration: string
}

/** Models, or the vendor's name for them, that an account cannot serve until a time; null if that is unknown. */
export interface UnservedModels {
  readonly models: string
  readonly until: string | null
}

const unservedText = (unserved: readonly UnservedModels[]): string =>
  unserved
    .map(({ models, until }) => (until === null ? models : `${models} until ${until}`))
    .join('; ')

/** Short names of account states, shared by rows, details, blocking reasons, Health, the log, filters and search. */
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

/** State of an account with this window used up. */
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
