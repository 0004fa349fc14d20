import { compactText } from '@svc/views/format'

/** A share that is shown as less than 1 % in every row of a large pool tells nothing; the tokens do. */
const SHARE_MIN = 0.01

/** Tokens, and what part of the pool's they are where that is worth a number; nothing where the pool has none. */
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
