import type { BlockedReason } from '@svc/core'
import { windowLabel } from './window-label.ts'

/** Why an account must not be used, in a few words; its end is said beside it. */
const blockedConditions: Readonly<
  Record<Exclude<BlockedReason, `quota_exhausted_${string}`>, string>
> = {
  operator_disabled: 'Disabled by the operator on the proxy',
  auth_invalid: 'The login is refused',
  status_invalid: 'The proxy reports it unavailable',
  upstream_retry_after: 'Held back by the proxy',
  cooldown: 'Quota message without a time',
}

/** Any of them, also of a window. */
export function blockedText(slug: BlockedReason): string {
  if (!isOfWindow(slug)) return blockedConditions[slug]
  const id = slug.slice(WINDOW_PREFIX.length)
  return `${windowLabel(id)} ${isLimit(id) ? 'reached' : 'quota used up'}`
}

/** What is no share of time but an amount. */
const isLimit = (id: string) => id === 'spend' || id === 'limit'

const WINDOW_PREFIX = 'quota_exhausted_'
const isOfWindow = (slug: BlockedReason): slug is `quota_exhausted_${string}` =>
  slug.startsWith(WINDOW_PREFIX)
