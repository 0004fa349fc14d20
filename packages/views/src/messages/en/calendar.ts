import type { WindowId } from '@svc/core'
import { windowLabel } from './window-label.ts'

interface CalendarReset {
  readonly account: string
  readonly windowId: WindowId
}

export const calendar = {
  title: 'Quota resets',
  /** An account that is not called by its title; `key` is the beginning of its key. */
  account: ({ plan, key }: { readonly plan: string; readonly key: string }) =>
    `${plan} account ${key}`,
  reset: ({ account, windowId }: CalendarReset) => `${windowLabel(windowId)} reset: ${account}`,
  gives: (units: string, unit: string) => `Gives back ${units} ${unit}.`,
  subscriptionEnds: (account: string) => `Subscription ends: ${account}`,
  /** `seen`: when that login was written; null if unknown. */
  asLoginSaid: (seen: string | null) =>
    `As its login ${seen === null ? '' : `of ${seen} `}says; a later renewal would not show.`,
}
