import { ToneIcon } from '../parts/icon.tsx'
import { LoadShare } from '../parts/load-share.tsx'
import { Marked } from '../parts/marked.tsx'
import { Name, shown } from '../parts/name.tsx'
import { PickBox } from '../parts/pick-box.tsx'
import { PlaceOf } from '../parts/place.tsx'
import { dueText, WindowCell } from '../parts/window-cell.tsx'
import { pickedKeys, pickUpTo, togglePick } from '../state/account-picks.ts'
import type { Row } from '../state/account-search.ts'
import { isMixed } from '../state/fleet.ts'
import { calmMs, elapsedSeconds, type PoolAccount, status, zone } from '../state/live-data.ts'
import {
  accountKeyOf,
  blockOf,
  isDisabled,
  isHeldByWeek,
  isReadBeforeReset,
  isStale,
  paidUntilMsOf,
  poolTokens,
  sampleSecondsOf,
  toneOf,
  uncountedWindowOf,
  windowOf,
} from '../state/pool.ts'
import { accountHref, goTo } from '../state/route.ts'
import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'
import { shortDurationText } from '../words/times.ts'

const DAY_MS = 86_400_000

/** An account in the table: a line on a screen, a card on a phone. */
export function AccountRow({
  row: { account, rank },
  index,
  isSelected,
}: {
  readonly row: Row
  readonly index: number
  readonly isSelected: boolean
}) {
  const { lastSample, usage } = account
  const five = windowOf(account, '5h')
  const uncounted = uncountedWindowOf(account)
  const key = accountKeyOf(account)
  const href = accountHref(key)
  const isPicked = pickedKeys.value.has(key)
  const everySeconds = sampleSecondsOf(account)
  // Only an age that would be old for others needs to be explained.
  const isRarelyRead =
    everySeconds !== null && everySeconds > (status.value?.tabs.pool.sampleEverySeconds ?? 0)
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
        // A stretch of rows is picked, no text is marked.
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
          <Name text={account.title} />
        </a>
        <PlaceOf account={account} />
      </th>
      {isMixed.value && (
        <td role="cell" class="at">
          {account.upstream}
        </td>
      )}
      <td role="cell" class="plan">
        <span class="badge">{account.badge}</span>
        <PaidFor account={account} />
      </td>
      <td role="cell" class="state">
        <StatusText account={account} />
      </td>
      <td role="cell" class="points">
        {account.score}
      </td>
      <td role="cell" class="five">
        {isDisabled(account) ? (
          <span class="dim">{strings.notTracked}</span>
        ) : (
          <WindowCell window={five} heldByWeek={isHeldByWeek(account, '5h')} />
        )}
      </td>
      <td role="cell" class="week">
        {!isDisabled(account) && (
          <WindowCell
            window={uncounted ?? windowOf(account, 'week')}
            isUncounted={uncounted !== undefined}
          />
        )}
      </td>
      <td role="cell" class="load">
        {usage !== null && <LoadShare tokens={usage.tokens} total={poolTokens.value} />}
      </td>
      <td role="cell" class="sample">
        {age !== null && lastSample !== null && (
          <>
            <SampleAge account={account} origin={lastSample.origin} age={age} />
            {isRarelyRead && <span class="due">{dueText(everySeconds)}</span>}
          </>
        )}
      </td>
    </tr>
  )
}

/** How old the newest reading is, and why that is not good enough, or what it came with. */
function SampleAge({
  account,
  origin,
  age,
}: {
  readonly account: PoolAccount
  readonly origin: string
  readonly age: string
}) {
  if (isStale(account))
    return isReadBeforeReset(account) ? (
      <>
        {age}
        <span class="due">{strings.sampleBeforeReset}</span>
      </>
    ) : (
      <>{strings.sampleStale(age)}</>
    )
  // Most readings are of direct queries; of one that has grown old its age matters.
  if (origin === 'direct') return <>{age}</>
  return (
    <Marked text={strings.sampleFrom(age, strings.origins[origin] ?? origin)}>
      {(part) => (
        <span key={part} class="dim">
          {part}
        </span>
      )}
    </Marked>
  )
}

/** How long the subscription still runs; nothing where that is not known. */
function PaidFor({ account }: { readonly account: PoolAccount }) {
  const untilMs = paidUntilMsOf(account)
  if (untilMs === null) return null
  const days = Math.floor((untilMs - calmMs.value) / DAY_MS)
  return (
    <span class="second">{days < 0 ? accountsWords.paidNoMore : accountsWords.paidFor(days)}</span>
  )
}

/** A click that does something else than to open the row: on a link, or at the end of marking a text. */
function isOfItsOwn({ target }: Event): boolean {
  return (
    isTextMarked() || (target instanceof Element && target.closest('a, button, label') !== null)
  )
}

const isTextMarked = () => getSelection()?.isCollapsed === false

/** The state in words; of a blocked account what blocks it, and until when. */
function StatusText({ account }: { readonly account: PoolAccount }) {
  const block = isWaiting(account) ? blockOf(account) : null
  const text = block?.text ?? account.status.text
  return (
    <span class="status" title={text}>
      <ToneIcon tone={toneOf(account)} />
      <span class="words">
        <span>{text}</span>
        {block !== null && (
          <span class="second">
            {block.until === null
              ? strings.noEndKnown
              : strings.blockedUntil(zone.value.momentText(Date.parse(block.until), calmMs.value))}
          </span>
        )}
        {block === null && account.counted === false && (
          <span class="second">{strings.sameAccount}</span>
        )}
      </span>
    </span>
  )
}

/** Blocked by what ends some time, which the name of its state does not say. */
const isWaiting = ({ blockedReasons: [first = ''] }: PoolAccount) =>
  first.startsWith('quota_exhausted') || first === 'upstream_retry_after'
