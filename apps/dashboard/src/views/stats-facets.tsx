import type { StatsSeries } from '@svc/views'
import { countText } from '@svc/views/format'
import { measuredIn } from '../state/chart-lines.ts'
import { questionWords } from '../words/question-words.ts'
import { statsWords } from '../words/stats-words.ts'
import { amountText, Only } from './stats-breakdown.tsx'

type Facet = NonNullable<StatsSeries['facets']>[number]

/** Members of a facet that are shown at once. */
const SHOWN = 6

/** The chart's usage by other dimensions. A press on a name counts only its member. */
export function Facets({ now }: { readonly now: StatsSeries }) {
  const facets = now.facets?.filter(({ items }) => items.length > 0) ?? []
  if (facets.length === 0) return null
  return (
    <aside class="facets" aria-label={questionWords.facets}>
      {facets.map((facet) => (
        <FacetList key={facet.group} now={now} facet={facet} />
      ))}
    </aside>
  )
}

function FacetList({ now, facet }: { readonly now: StatsSeries; readonly facet: Facet }) {
  const { title, group, items, otherCount } = facet
  const [first, rest] = [items.slice(0, SHOWN), items.slice(SHOWN)]
  const listOf = (members: Facet['items']) => (
    <ul>
      {members.map((item) => (
        <li key={item.id}>
          <Only group={group} {...item} />
          <span class="number">
            {measuredIn(now, item) === null ? countText(item.requests) : amountText(now, item)}
          </span>
        </li>
      ))}
    </ul>
  )
  const more = statsWords.rest(rest.length + otherCount)
  return (
    <section>
      <h3>{title}</h3>
      {listOf(first)}
      {rest.length > 0 ? (
        <details>
          <summary>{more}</summary>
          {listOf(rest)}
          {otherCount > 0 && <p class="dim">{statsWords.rest(otherCount)}</p>}
        </details>
      ) : (
        otherCount > 0 && <p class="dim">{more}</p>
      )}
    </section>
  )
}
