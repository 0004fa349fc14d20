import { signal } from '@preact/signals'
import type { AccountDetail } from '@svc/views'
import { useEffect } from 'preact/hooks'
import { followAnswer } from '../state/ask-regularly.ts'
import { priceWords } from '../words/price-words.ts'
import { statsWords } from '../words/stats-words.ts'

/** The last details received; null before the first answer. */
export const accountDetail = signal<AccountDetail | null>(null)
const detailFailed = signal(false)

const REFRESH_MS = 60_000

/** Cost of an account; nothing without prices. */
export function CostLine({ accountKey }: { readonly accountKey: string }) {
  useEffect(
    () =>
      followAnswer(
        `/api/v1/accounts/${encodeURIComponent(accountKey)}`,
        accountDetail,
        detailFailed,
        REFRESH_MS,
      ),
    [accountKey],
  )
  const detail = accountDetail.value
  const cost = detail?.accountKey === accountKey ? detail.usage.cost : undefined
  if (cost === undefined) return null
  const [day, week, month] = [cost.lastDay, cost.lastWeek, cost.lastMonth].map(
    (one) => one?.text ?? statsWords.notKnown,
  )
  const { paidBack = null, isAtLeast = false } = detail?.paidBack ?? {}
  const worth = paidBack === null ? '' : priceWords.worth(paidBack.toFixed(1), isAtLeast)
  return <p class="small">{priceWords.ofAccount(day ?? '', week ?? '', month ?? '') + worth}</p>
}
