import { elsewhere, isMixed } from '../state/fleet.ts'
import type { PoolAccount } from '../state/live-data.ts'
import { accountKeyOf, toneOf } from '../state/pool.ts'
import { accountHref } from '../state/route.ts'
import { fleetWords } from '../words/fleet-words.ts'
import { strings } from '../words/strings.ts'
import { ToneIcon } from './icon.tsx'

/** The proxy of an account among those of several; nothing where all that is shown is of one. */
export function PlaceOf({ account }: { readonly account: Pick<PoolAccount, 'upstream'> }) {
  return isMixed.value ? <span class="place">{account.upstream}</span> : null
}

/** At which proxy the account is, and at which others, each with how it is there. */
export function Places({ account }: { readonly account: PoolAccount }) {
  const others = elsewhere(account)
  if (account.upstream === undefined) return null
  return (
    <p class="places">
      {fleetWords.at} <b>{account.upstream}</b>
      {others.length > 0 && (
        <>
          {strings.gap}
          <span class="dim">{fleetWords.alsoAt}</span>
          {others.map((other) => (
            <a key={accountKeyOf(other)} href={accountHref(accountKeyOf(other))}>
              <ToneIcon tone={toneOf(other)} />
              {other.upstream}
            </a>
          ))}
        </>
      )}
    </p>
  )
}
