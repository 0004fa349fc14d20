import { createBlockedText } from '../conditions/blocked-text.ts'
import { windowLabel } from './window-label.ts'

/** Why an account must not be used, in a few words; its end is said beside it. */
export const blockedText = createBlockedText({
  own: {
    operator_disabled: 'Disabled by the operator on the proxy',
    auth_invalid: 'The login is refused',
    status_invalid: 'The proxy reports it unavailable',
    upstream_retry_after: 'Held back by the proxy',
    cooldown: 'Quota message without a time',
  },
  limitReached: (id) => `${windowLabel(id)} hit`,
  usedUp: (id) => `${windowLabel(id)} quota used up`,
})
