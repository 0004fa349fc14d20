import { ToneIcon } from '../parts/icon.tsx'
import { AccountPlace, PlaceNames, ProviderMark } from '../parts/place.tsx'
import { Marked, Name, shown } from '../parts/text.tsx'
import { WindowCell } from '../parts/window-cell.tsx'
import { isByPlan } from '../state/account-filters.ts'
import { pickedKeys, pickUpTo, togglePick } from '../state/account-picks.ts'
import type { AccountListRow } from '../state/account-search.ts'
import { isMixed, listPlaces } from '../state/fleet.ts'
import { elapsedSeconds, type PoolAccount } from '../state/live-data.ts'
import {
  accountKeyOf,
  accountTone,
  countedWindowIds,
  hasStaleWindow,
  isDisabled,
  isHeldByWeek,
  isReadBeforeReset,
  poolTokens,
} from '../state/pool.ts'
import { providerOf } from '../state/providers.ts'
import { accountHref, goTo } from '../state/route.ts'
import {
  bankedTexts,
  dueNote,
  listShownWindows,
  paidClass,
  paidText,
  placeText,
  stateNote,
} from '../state/row-words.ts'
import { accountWords } from '../words/account-words.ts'
import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'
import { shortDurationText } from '../words/times.ts'
import { columnClass, LoadShare, PickBox } from './accounts-columns.tsx'

/** An account in the table: a line on a screen, a card on a phone. */
export function AccountRow({
  row: { account, rank },
  index,
  isSelected,
}: {
  readonly row: AccountListRow
  readonly index: number
  readonly isSelected: boolean
}) {
  const { lastSample, usage } = account
  const key = accountKeyOf(account)
  const href = accountHref(key)
  const isPicked = pickedKeys.value.has(key)
  const due = dueNote(account)
  const paid = paidText(account)
  const age =
    lastSample === null ? null : shortDurationText(lastSample.ageSeconds + elapsedSeconds.value)
  return (
    <tr
      role="row"
      aria-rowindex={index}
      data-key={key}
      class={`${rank === null ? 'blocked' : ''}${isSelected ? ' selected' : ''}${isPicked ? ' picked' : ''}`}
      aria-current={isSelected ? 'true' : undefined}
      onMouseDown={(event) => {
        // Shift picks a range of rows and must not select text.
        if (event.shiftKey) event.preventDefault()
      }}
      onClick={(event) => {
        if (isOfItsOwn(event)) return
        if (event.shiftKey) pickUpTo(key)
        else if (event.ctrlKey || event.metaKey) togglePick(key)
        else goTo(href)
      }}
    >
      <td role="cell" class="pick">
        <PickBox
          name={accountsWords.pick(shown(account.title))}
          isPicked={isPicked}
          isReached={false}
          onPick={(event) => {
            if (event.shiftKey) pickUpTo(key)
            else togglePick(key)
          }}
        />
      </td>
      <td role="cell" class="rank">
        {rank ?? '–'}
      </td>
      <th role="rowheader" scope="row" class="who">
        <a
          class="account open"
          href={href}
          draggable={false}
          onClick={(event) => {
            if (isTextMarked()) event.preventDefault()
          }}
        >
          {isByPlan.value && <ProviderMark provider={providerOf(account)} />}
          <Name text={account.title} />
        </a>
        <AccountPlace account={account} />
      </th>
      {isMixed.value && (
        <td role="cell" class="at" title={placeText(account)}>
          <PlaceNames places={listPlaces(account)} />
        </td>
      )}
      <td role="cell" class="plan">
        <span class="badge">
          {account.badge}
          {paid !== '' && <span class={paidClass(account)}> {paid}</span>}
        </span>
      </td>
      <td role="cell" class="state">
        <StatusText account={account} />
      </td>
      <td role="cell" class="points">
        {account.score}
      </td>
      <Windows account={account} />
      <td role="cell" class="load">
        {usage !== null && <LoadShare tokens={usage.tokens} total={poolTokens.value} />}
      </td>
      <td role="cell" class="sample">
        {age !== null && lastSample !== null && (
          <>
            <SampleAge account={account} origin={lastSample.origin} age={age} />
            {due !== '' && <span class="due">{due}</span>}
          </>
        )}
      </td>
    </tr>
  )
}

/** The cells of the window columns. */
function Windows({ account }: { readonly account: PoolAccount }) {
  const counted = countedWindowIds(account)
  return (
    <>
      {listShownWindows(account).map(({ column, window, isUncounted }, index) => (
        <td key={column.id} role="cell" class={columnClass[column.id]}>
          {isDisabled(account)
            ? index === 0 && <span class="dim">{strings.notTracked}</span>
            : // A vendor may have no such window at all.
              (isUncounted || counted.has(window.id) || window.state === 'unknown') && (
                <WindowCell
                  window={window}
                  heldByWeek={isHeldByWeek(account, window.id)}
                  below={column.id === 'week' && <BankedMark {...account} />}
                  isUncounted={isUncounted}
                  isNamed={column.windows.length > 1 && window.id !== column.windows[0]}
                  note={window.note === undefined ? undefined : accountWords.notes[window.note]}
                />
              )}
        </td>
      ))}
    </>
  )
}

/** Number of resets that the account's owner may spend, with the times they lapse; nothing without any. */
function BankedMark({ bankedResets }: Pick<PoolAccount, 'bankedResets'>) {
  if (bankedResets === undefined) return null
  const texts = bankedTexts(bankedResets)
  return (
    <span class="banked" title={texts.join('\n')}>
      <span aria-hidden="true">{accountsWords.bankedMark(bankedResets.count)}</span>
      <span class="sr">{` ${texts.join('. ')}`}</span>
    </span>
  )
}

/** Age of the newest reading, with the reason if it is stale, or its origin if that is not a direct query. */
function SampleAge({
  account,
  origin,
  age,
}: {
  readonly account: PoolAccount
  readonly origin: string
  readonly age: string
}) {
  if (hasStaleWindow(account))
    return isReadBeforeReset(account) ? (
      <>
        {age}
        <span class="due">{strings.sampleBeforeReset}</span>
      </>
    ) : (
      accountsWords.sampleStale(age)
    )
  // Most readings come from direct queries, so only the others are marked.
  if (origin === 'direct') return <>{age}</>
  return (
    <Marked text={accountsWords.sampleFrom(age, strings.origins[origin] ?? origin)}>
      {(part) => (
        <span key={part} class="dim">
          {part}
        </span>
      )}
    </Marked>
  )
}

/** Whether a click must not open the row: it is on a link or a button, or ends a text selection. */
function isOfItsOwn({ target }: Event): boolean {
  return (
    isTextMarked() || (target instanceof Element && target.closest('a, button, label') !== null)
  )
}

const isTextMarked = () => getSelection()?.isCollapsed === false

/** Short text of the state, with its note. */
function StatusText({ account }: { readonly account: PoolAccount }) {
  const { text } = account.status
  const note = stateNote(account)
  return (
    <span class="status" title={text}>
      <ToneIcon tone={accountTone(account)} />
      <span class="words">
        <span>{text}</span>
        {note !== '' && <span class="second">{note}</span>}
      </span>
    </span>
  )
}
