import type { HealthItem } from '@svc/views'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, setter } from '../parts/button.tsx'
import { ToneIcon } from '../parts/icon.tsx'
import { NameLink, shown } from '../parts/text.tsx'
import { accountLinks, accountsHref } from '../state/account-links.ts'
import { changeKind, changeKindIds, changesAbout } from '../state/display-state.ts'
import { health } from '../state/live-data.ts'
import { changeCount, changedAccounts, foundChanges } from '../state/recent-changes.ts'
import { recentChangeWords } from '../words/health-words.ts'
import { strings } from '../words/strings.ts'

/** Number of changes shown at first. */
const ROWS = 12

/** Recent changes, newest first. A state that flips back and forth is one row. */
export function RecentChanges() {
  const [isWhole, setWhole] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  // An address with an account is a link to this account's changes.
  useEffect(() => {
    if (changesAbout.value !== '') box.current?.scrollIntoView()
  }, [changesAbout.value])
  if (health.value?.recentChanges.length === 0) return <p class="empty">{strings.noChanges}</p>
  const changes = foundChanges.value
  return (
    <div class="change-list" ref={box}>
      <Filters />
      {changes.length === 0 && <p class="empty">{recentChangeWords.none}</p>}
      <ul class="changes">
        {changes.slice(0, isWhole ? undefined : ROWS).map((change) => (
          <Row key={change.id} change={change} />
        ))}
      </ul>
      {changes.length > ROWS && (
        <Button aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? recentChangeWords.fewer : recentChangeWords.more(changes.length - ROWS)}
        </Button>
      )}
    </div>
  )
}

function Filters() {
  const about = changesAbout.value
  const accounts = changedAccounts.value
  const isListed = about === '' || accounts.some(({ key }) => key === about)
  return (
    <div class="change-filters">
      <div class="chips" role="group" aria-label={recentChangeWords.kindLabel}>
        {(['all', ...changeKindIds] as const).map((id) => (
          <button
            key={id}
            type="button"
            class="chip"
            aria-pressed={changeKind.value === id}
            onClick={setter(changeKind, id)}
          >
            {recentChangeWords.kinds[id]} <span>{changeCount(id)}</span>
          </button>
        ))}
      </div>
      <select
        aria-label={recentChangeWords.account}
        value={about}
        onChange={(event) => {
          changesAbout.value = event.currentTarget.value
        }}
      >
        <option value="">{recentChangeWords.anyAccount}</option>
        {accounts.map(({ key, title }) => (
          <option key={key} value={key}>
            {shown(title)}
          </option>
        ))}
        {!isListed && <option value={about}>{shown(titleOf(about))}</option>}
      </select>
    </div>
  )
}

/** Title of an account without changes; its key if it is not in the pool. */
function titleOf(accountKey: string): string {
  return accountLinks([accountKey])[0]?.title ?? accountKey
}

function Row({ change }: { readonly change: HealthItem }) {
  const { at, timeText, sign, tone, summary, countText, title, accountKeys } = change
  return (
    <li>
      <span class="dim" title={at}>
        {timeText}
      </span>
      <ToneIcon tone={sign ?? tone} />
      <span>
        {shown(summary)}
        {countText !== undefined && <span class="note">{countText}</span>}
      </span>
      <NameLink title={title} href={accountsHref(accountKeys)} />
    </li>
  )
}
