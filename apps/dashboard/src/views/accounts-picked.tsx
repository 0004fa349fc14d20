import { countText } from '@svc/views/format'
import { CopyButton } from '../parts/copy-button.tsx'
import { shown } from '../parts/name.tsx'
import { clearPicks, pickFound, picks } from '../state/account-picks.ts'
import { found } from '../state/account-search.ts'
import { sumsOf } from '../state/account-sums.ts'
import { privacy } from '../state/display-state.ts'
import type { PoolAccount } from '../state/live-data.ts'
import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'
import { sumsText } from './sums-text.ts'

/** Bar below the table with the sums of the picked accounts and buttons to copy their names. It always stays in sight. */
export function PickedBar() {
  const { accounts, hidden } = picks.value
  const isEmpty = accounts.length === 0
  const copied = (textOf: (account: PoolAccount) => string) => () =>
    accounts.map((account) => shown(textOf(account))).join('\n')
  return (
    <div class={isEmpty ? 'picked-bar sr' : 'picked-bar'}>
      <p role="status">{isEmpty ? '' : accountsWords.picked(sumsText(sumsOf(accounts)), hidden)}</p>
      {!isEmpty && (
        <div class="picked-tools">
          <CopyButton
            name={strings.copyNames(accounts.length)}
            text={copied(({ title }) => title)}
          />
          <CopyButton
            name={accountsWords.copyFiles(accounts.length)}
            text={copied(({ selector }) => selector.authName)}
          />
          {accounts.length - hidden < found.value.length && (
            <button type="button" class="button" onClick={pickFound}>
              {accountsWords.selectAll(countText(found.value.length))}
            </button>
          )}
          <button type="button" class="button" onClick={clearPicks}>
            {accountsWords.clearPicks}
          </button>
          {privacy.value && <span class="dim">{accountsWords.copiedMasked}</span>}
        </div>
      )}
    </div>
  )
}
