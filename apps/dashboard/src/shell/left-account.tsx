import { Icon } from '../parts/icon.tsx'
import { status } from '../state/live-data.ts'
import { accountKeyOf, accounts } from '../state/pool.ts'
import { closeAccount, route } from '../state/route.ts'
import { strings } from '../words/strings.ts'

/** Says that the account of the address is not in the pool, once the pool is known. */
export function LeftAccount() {
  const { account: key } = route.value
  if (key === null || status.value?.available !== true) return null
  if (accounts.value.some((account) => accountKeyOf(account) === key)) return null
  return (
    <div class="banner warn" role="status">
      <Icon name="warn" tone="warn" />
      <p>{strings.leftPool}</p>
      <button type="button" class="button" onClick={closeAccount}>
        {strings.dismiss}
      </button>
    </div>
  )
}
