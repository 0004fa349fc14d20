import { unitsText, wholeUnitsText } from '@svc/views/format'
import { ProviderMark } from '../parts/place.tsx'
import { pickedKeys, togglePicks } from '../state/account-picks.ts'
import {
  type AccountSums,
  groupSums,
  type Section,
  type WindowSum,
} from '../state/account-sections.ts'
import { isMixed } from '../state/fleet.ts'
import { calmMs, type PoolAccount } from '../state/live-data.ts'
import { accountKeyOf, poolTokens } from '../state/pool.ts'
import { isOfAll, providerOf, providerTitle } from '../state/providers.ts'
import { windowColumns } from '../state/window-columns.ts'
import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'
import { columnClass, LoadShare, PickBox, windowSumText } from './accounts-columns.tsx'

/** Head of the accounts of a plan or a provider, with each sum in the column of its values. */
export function GroupHead({
  section,
  index,
}: {
  readonly section: Section
  readonly index: number
}) {
  const sums = groupSums.value.get(section.id)
  if (sums === undefined) return null
  const { account: first } = section.rows[0]
  const isPlan = section.head === 'plan'
  const name = isPlan ? first.badge : providerTitle(providerOf(first))
  const keys = section.rows.map(({ account }) => accountKeyOf(account))
  const picked = keys.filter((key) => pickedKeys.value.has(key)).length
  return (
    <tr role="row" aria-rowindex={index} class="plan-head">
      <td role="cell" class="pick">
        <PickBox
          name={accountsWords.pickGroup(name)}
          isPicked={picked === keys.length}
          isPartly={picked > 0 && picked < keys.length}
          onPick={() => togglePicks(keys)}
        />
      </td>
      <td role="cell" class="rank" />
      <th role="rowheader" scope="rowgroup" class="who">
        {isPlan && <ProviderMark provider={providerOf(first)} />}
        <h3>{name}</h3> <span class="dim">{strings.accountCount(sums.accounts)}</span>
      </th>
      {isMixed.value && <td role="cell" class="at" />}
      <td role="cell" class="plan" />
      <td role="cell" class="state">
        {strings.counts(sums.routable, sums.accounts - sums.routable)}
      </td>
      <td role="cell" class="points" />
      {windowColumns.value.map(({ id, windows }) => {
        const sum = sums.windows.find((each) => windows.includes(each.id))
        return (
          <td key={id} role="cell" class={columnClass[id]}>
            {sum !== undefined && <WindowSumCell sum={sum} sums={sums} />}
          </td>
        )
      })}
      <td role="cell" class="load">
        <LoadShare tokens={sums.tokens ?? 0} total={poolTokens.value} />
      </td>
      <td role="cell" class="sample" />
    </tr>
  )
}

/** Usable quota in a window of a group's accounts, and their next return. */
function WindowSumCell({ sum, sums }: { readonly sum: WindowSum; readonly sums: AccountSums }) {
  const { tracked } = sums
  if (tracked === 0) return <span class="dim">{strings.notTracked}</span>
  const { id, usable, unknown, next } = sum
  return (
    <div class="window-sum" title={windowSumText(sum, sums)}>
      <p>
        <span class="window-name">{strings.shortWindows[id] ?? id}</span>{' '}
        <b>{accountsWords.unitsOf(unitsText(usable), wholeUnitsText(tracked))}</b>
        {unknown > 0 && <span class="dim"> {accountsWords.unknownToo(unitsText(unknown))}</span>}
      </p>
      <p class="second">
        {/* The returns of several pools are not listed together. */}
        {next === null
          ? isOfAll.value || accountsWords.noReturn
          : accountsWords.returns(
              unitsText(next.units),
              countingDurationText((next.atMs - calmMs.value) / 1000),
            )}
      </p>
    </div>
  )
}

type Cause = keyof typeof accountsWords.blockedCauses

/** Head of the blocked accounts, with their number by cause. Each account counts by its first reason. */
export function BlockedHead({
  section,
  index,
  columns,
}: {
  readonly section: Section
  readonly index: number
  readonly columns: number
}) {
  const counts = new Map<Cause, number>()
  for (const { account } of section.rows) {
    const cause = causeOf(account)
    counts.set(cause, (counts.get(cause) ?? 0) + 1)
  }
  const order: readonly Cause[] = ['reset', 'cool', 'you', 'unavailable', 'disabled']
  const causes = order.flatMap((cause) => {
    const count = counts.get(cause)
    return count === undefined ? [] : [accountsWords.blockedCauses[cause](count)]
  })
  return (
    <tr role="row" aria-rowindex={index} class="group">
      <th role="rowheader" scope="rowgroup" aria-colspan={columns}>
        {accountsWords.blockedGroup(section.rows.length)}
        {strings.gap}
        <span>{strings.listOf(causes)}</span>
      </th>
    </tr>
  )
}

function causeOf({ blockedReasons: [first = ''], status: { until } }: PoolAccount): Cause {
  if (first === 'operator_disabled') return 'disabled'
  if (first === 'auth_invalid') return 'you'
  if (first === 'status_invalid') return 'unavailable'
  if (first.startsWith('quota_exhausted')) return until === null ? 'you' : 'reset'
  return 'cool'
}
