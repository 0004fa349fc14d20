import type { BlockedReason } from '@svc/core'
import { windowLabel } from '../names/window-label.ts'

/** Why an account must not be used, in a few words; its end is said beside it. */
const blockedConditions: Readonly<
  Record<Exclude<BlockedReason, `quota_exhausted_${string}`>, string>
> = {
  operator_disabled: 'Disabled by the operator on the proxy',
  auth_invalid: 'The login is refused',
  status_invalid: 'The proxy reports it unavailable',
  upstream_retry_after: 'The proxy holds it back',
  cooldown: 'Quota message without a time',
}

/** Any of them, also of a window. */
export function blockedText(slug: BlockedReason): string {
  return isOfWindow(slug)
    ? `${windowLabel(slug.slice(WINDOW_PREFIX.length))} quota is used up`
    : blockedConditions[slug]
}

const WINDOW_PREFIX = 'quota_exhausted_'
const isOfWindow = (slug: BlockedReason): slug is `quota_exhausted_${string}` =>
  slug.startsWith(WINDOW_PREFIX)
