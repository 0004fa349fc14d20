import './prices.css'
import { signal } from '@preact/signals'
import type { Prices } from '@svc/views'
import { compactText, countText, percentText, usdText } from '@svc/views/format'
import { useEffect } from 'preact/hooks'
import { TryNow } from '../parts/button.tsx'
import { Coded } from '../parts/text.tsx'
import { followAnswer } from '../state/ask-regularly.ts'
import { serverMs, zone } from '../state/live-data.ts'
import { priceWords } from '../words/price-words.ts'
import { statsWords } from '../words/stats-words.ts'
import { strings } from '../words/strings.ts'

/** The last prices received; null before the first answer. */
export const shownPrices = signal<Prices | null>(null)
export const pricesFailed = signal(false)

/** Poll interval in milliseconds; the answer changes no more often. */
const REFRESH_MS = 60_000

type Model = Prices['models'][number]
type Rates = Model['rates'][number]

/** Models of the last 30 days, with their list prices and what has none. */
export function PricesView({ title }: { readonly title: string }) {
  useEffect(() => followAnswer('/api/v1/prices', shownPrices, pricesFailed, REFRESH_MS), [])
  return (
    <>
      <h2 class="sr">{title}</h2>
      <Answer />
    </>
  )
}

function Answer() {
  const now = shownPrices.value
  if (now === null)
    return pricesFailed.value ? (
      <p class="empty">
        {priceWords.failed} <TryNow />
      </p>
    ) : (
      <p class="empty">{priceWords.loading}</p>
    )
  if (!now.available)
    return (
      <p class="empty">
        <Coded text={now.reason === 'no_store' ? statsWords.noHistory : priceWords.failed} />
      </p>
    )
  if (now.models.length === 0) return <p class="empty">{priceWords.none}</p>
  const isPriced = now.source !== null || now.models.some(({ rates }) => rates.length > 0)
  return (
    <>
      {!isPriced && (
        <p class="banner">
          <Coded text={priceWords.noPrices} />
        </p>
      )}
      <Worth of={now.paidBack} />
      <Table now={now} />
      {isPriced && <p class="dim small">{priceWords.note(sourceText(now))}</p>}
    </>
  )
}

/** Worth of all subscriptions; nothing without any. */
function Worth({ of }: { readonly of: Prices['paidBack'] }) {
  if (of === null || of.listUsd30d === null) return null
  const { listUsd30d, subscriptionUsd30d, paidBack, isAtLeast } = of
  const amounts = priceWords.subscriptions(usdText(listUsd30d), usdText(subscriptionUsd30d))
  const times = paidBack === null ? '' : priceWords.worth(paidBack.toFixed(1), isAtLeast)
  return <p class="small">{amounts + times}</p>
}

/** The price file and when it was read; null without one. */
function sourceText({ source }: Prices): string | null {
  if (source === null) return null
  return priceWords.file(source.kind, timeText(source.readAt))
}

function timeText(instant: string): string {
  return zone.value.momentText(Date.parse(instant), serverMs.value)
}

function Table({ now }: { readonly now: Prices }) {
  const { model, rates, source, tokens, cost } = priceWords.heads
  return (
    <table class="prices">
      <caption>{priceWords.caption(timeText(now.asOf ?? ''))}</caption>
      <thead>
        <tr>
          <th scope="col">{model}</th>
          {rates.map((head, index) => (
            <th key={head} scope="col" class={rateClass(index)}>
              {head}
            </th>
          ))}
          <th scope="col" class="price-source more-price">
            {source}
          </th>
          <th scope="col" class="number more-price">
            {tokens}
          </th>
          <th scope="col" class="number">
            {cost}
          </th>
        </tr>
      </thead>
      {now.models.map((one) => (
        <Rows key={one.model} model={one} />
      ))}
    </table>
  )
}

/** Rows of a model: the standard rates with the usage, then one row for each other tier and size of the input. */
function Rows({
  model: { model, rates, source, from, tokens, cost, unpricedText },
}: {
  readonly model: Model
}) {
  const [standard, ...others] = rates
  const without = cost.unpricedTokens
  return (
    <tbody>
      <tr>
        <th scope="row">
          {model}
          {unpricedText !== null && <small class="dim"> {unpricedText}</small>}
        </th>
        <RateCells rates={standard} />
        <td class="price-source more-price">{source === null ? '–' : sourceOf(source, from)}</td>
        <td class="number more-price">{compactText(tokens)}</td>
        <td class="number">
          {cost.text}
          {without > 0 && without < tokens && (
            <small class="dim">
              {' '}
              {statsWords.unpricedShare(percentText((100 * without) / tokens))}
            </small>
          )}
        </td>
      </tr>
      {others.map((one) => (
        <tr key={`${one.tier} ${one.above}`} class="dim">
          <th scope="row" class="other-rates">
            {rateName(one)}
          </th>
          <RateCells rates={one} />
          <td class="more-price" colSpan={2} />
          <td />
        </tr>
      ))}
    </tbody>
  )
}

function sourceOf(source: string, from: string | null): string {
  const name = priceWords.sources[source] ?? source
  return from === null ? name : priceWords.since(name, from)
}

function rateName({ tier, above }: Rates): string {
  const parts = [
    ...(tier === null ? [] : [priceWords.tiers[tier] ?? tier]),
    ...(above === 0 ? [] : [priceWords.above(countText(above))]),
  ]
  return strings.listOf(parts)
}

/** The rate of cache writes, which few makers have, has no place on a phone. */
function rateClass(index: number): string {
  return index === 2 ? 'number more-price' : 'number'
}

function RateCells({ rates }: { readonly rates: Rates | undefined }) {
  const { input = null, cacheRead = null, cacheWrite = null, output = null } = rates ?? {}
  return (
    <>
      {[input, cacheRead, cacheWrite, output].map((usd, index) => (
        <td key={index} class={rateClass(index)}>
          {usd === null ? '–' : usdText(usd)}
        </td>
      ))}
    </>
  )
}
