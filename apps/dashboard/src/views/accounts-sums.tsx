import { countText } from '@svc/views/format'
import { CopyButton } from '../parts/copy.tsx'
import { Popup, PopupItem } from '../parts/popup.tsx'
import { shown } from '../parts/text.tsx'
import { clearPicks, pickedAccounts, pickFound } from '../state/account-picks.ts'
import { found } from '../state/account-search.ts'
import { foundSums, sections, sumAccounts } from '../state/account-sections.ts'
import { privacy } from '../state/display-state.ts'
import type { PoolAccount } from '../state/live-data.ts'
import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'
import { sumsText } from './accounts-cells.tsx'
import { showBlocked } from './accounts-table.tsx'

/** Announces the number of found accounts. Separate from the sums, which change with every reading. */
export function FoundCount() {
  return (
    <p class="sr" role="status">
      {strings.accountCount(foundSums.value.accounts)}
    </p>
  )
}

/** Sums of the found accounts. */
export function SumsLine() {
  return foundSums.value.accounts === 0 ? null : <p class="sums">{sumsText(foundSums.value)}</p>
}

/** Rarely used functions of the table. */
export function TableMenu() {
  const { accounts: count, routable } = foundSums.value
  if (count === 0) return null
  return (
    <Popup name={accountsWords.tableMenu} icon="more">
      <CopyButton
        name={strings.copyNames(count)}
        text={() => found.value.map(({ account }) => shown(account.title)).join('\n')}
      />
      {routable > 0 && sections.value.some(({ head }) => head === 'blocked') && (
        <PopupItem run={showBlocked}>{accountsWords.toBlocked}</PopupItem>
      )}
      {privacy.value && <p>{accountsWords.copiedMasked}</p>}
    </Popup>
  )
}

/** Bar below the table with the sums of the picked accounts and buttons to copy their names. Always in sight. */
export function PickedBar() {
  const { accounts, hidden } = pickedAccounts.value
  const isEmpty = accounts.length === 0
  const copied = (textOf: (account: PoolAccount) => string) => () =>
    accounts.map((account) => shown(textOf(account))).join('\n')
  return (
    <div class={isEmpty ? 'picked-bar sr' : 'picked-bar'}>
      <p role="status">
        {isEmpty ? '' : accountsWords.picked(sumsText(sumAccounts(accounts)), hidden)}
      </p>
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
