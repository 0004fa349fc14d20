import type { BlockedReason, WindowId } from '@svc/core'

/** How one language says why an account must not be used. */
interface BlockedTexts {
  readonly own: Readonly<Record<Exclude<BlockedReason, `quota_exhausted_${string}`>, string>>
  limitReached(id: WindowId): string
  usedUp(id: WindowId): string
}

/** Makes what words any of the reasons, also of a window. */
export function createBlockedText({ own, limitReached, usedUp }: BlockedTexts) {
  return (slug: BlockedReason): string => {
    if (!isOfWindow(slug)) return own[slug]
    const id = slug.slice(WINDOW_PREFIX.length)
    return isLimit(id) ? limitReached(id) : usedUp(id)
  }
}

/** What is no share of time but an amount. */
const isLimit = (id: WindowId) => id === 'spend' || id === 'limit'

const WINDOW_PREFIX = 'quota_exhausted_'
const isOfWindow = (slug: BlockedReason): slug is `quota_exhausted_${string}` =>
  slug.startsWith(WINDOW_PREFIX)
