import { Icon } from '../parts/icon.tsx'
import { chosenUpstream } from '../state/display-state.ts'
import { shownUpstream, status } from '../state/live-data.ts'
import { accountKeyOf, allFiles, files } from '../state/pool.ts'
import { closeAccount, route } from '../state/route.ts'
import { fleetWords } from '../words/fleet-words.ts'
import { strings } from '../words/strings.ts'

/** Notice that the account in the address is not in the pool, or is at another proxy than the shown one. Appears once the pool is known. */
export function LeftAccount() {
  const { account: key } = route.value
  if (key === null || status.value?.available !== true) return null
  const isOfAddress = (account: (typeof files.value)[number]) => accountKeyOf(account) === key
  if (files.value.some(isOfAddress)) return null
  if (allFiles.value.some(isOfAddress)) {
    return (
      <div class="banner warn" role="status">
        <Icon name="warn" tone="warn" />
        <p>{fleetWords.elsewhere(shownUpstream.value)}</p>
        <button
          type="button"
          class="button"
          onClick={() => {
            chosenUpstream.value = ''
          }}
        >
          {fleetWords.showAll}
        </button>
      </div>
    )
  }
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
