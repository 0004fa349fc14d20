import { changesHref, changesOf } from '../state/recent-changes.ts'
import { changeWords } from '../words/change-words.ts'

/** Leads to what has changed of an account, where something has. */
export function AccountChanges({ accountKey }: { readonly accountKey: string }) {
  const count = changesOf(accountKey).length
  if (count === 0) return null
  return (
    <p class="to-changes">
      <a href={changesHref(accountKey)}>{changeWords.ofAccount(count)}</a>
    </p>
  )
}
