import { compactText } from '@svc/views/format'

/** Smallest share worth showing: in a large pool every row would read `<1%`, while tokens differ. */
const SHARE_MIN = 0.01

/** Tokens, and their share of the pool's tokens if that is large enough; nothing if the pool has none. */
export function LoadShare({ tokens, total }: { readonly tokens: number; readonly total: number }) {
  if (total <= 0) return null
  const share = tokens / total
  return (
    <>
      {share >= SHARE_MIN && `${Math.round(share * 100)}% `}
      <span class="dim">{tokens === 0 ? '–' : compactText(tokens)}</span>
    </>
  )
}
