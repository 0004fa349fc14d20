import { ToneIcon } from '../parts/icon.tsx'
import { Name, shown } from '../parts/name.tsx'
import { hrefOfAccounts } from '../state/account-links.ts'
import { health } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'

type Change = NonNullable<typeof health.value>['recentChanges'][number]

/** What changed, newest first. What goes to and fro is one row. */
export function RecentChanges() {
  const changes = health.value?.recentChanges ?? []
  if (changes.length === 0) return <p class="empty">{strings.noChanges}</p>
  return (
    <ul class="changes">
      {changes.map((change) => (
        <Row key={change.id} change={change} />
      ))}
    </ul>
  )
}

function Row({ change }: { readonly change: Change }) {
  const { at, timeText, sign, tone, summary, countText, title, accountKeys } = change
  const href = hrefOfAccounts(accountKeys)
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
      {href === null ? (
        <Name text={title} />
      ) : (
        <a class="account" href={href}>
          <Name text={title} />
        </a>
      )}
    </li>
  )
}
