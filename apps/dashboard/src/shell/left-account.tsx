import { Button, setter } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { chosenProvider, chosenUpstream } from '../state/display-state.ts'
import { EVERY_PROVIDER, shownUpstream, status } from '../state/live-data.ts'
import { allFiles, isInAddress, openAccount } from '../state/pool.ts'
import { allPools, providerTitle, shownPool } from '../state/providers.ts'
import { closeAccount, route } from '../state/route.ts'
import { fleetWords, providerWords } from '../words/fleet-words.ts'
import { strings } from '../words/strings.ts'

/** Notice that the account in the address is not in the pool, is at another proxy, or may be of another provider. Shown once the pool is known. */
export function LeftAccount() {
  const isMissing = route.value.account !== null && openAccount.value === null
  if (!isMissing || status.value?.available !== true) return null
  if (shownUpstream.value !== '' && allFiles.value.some(isInAddress)) {
    return (
      <Notice
        text={fleetWords.elsewhere(shownUpstream.value)}
        way={fleetWords.showAll}
        go={setter(chosenUpstream, '')}
      />
    )
  }
  const pool = shownPool.value
  // It may be one of a provider whose accounts are not known here.
  if (pool !== undefined && allPools.value.length > 1) {
    const text = providerWords.notOf(providerTitle(pool.provider))
    return (
      <Notice text={text} way={providerWords.all} go={setter(chosenProvider, EVERY_PROVIDER)} />
    )
  }
  return <Notice text={strings.leftPool} way={strings.dismiss} go={closeAccount} />
}

function Notice({
  text,
  way,
  go,
}: {
  readonly text: string
  readonly way: string
  readonly go: () => void
}) {
  return (
    <div class="banner warn" role="status">
      <Icon name="warn" tone="warn" />
      <p>{text}</p>
      <Button onClick={go}>{way}</Button>
    </div>
  )
}
