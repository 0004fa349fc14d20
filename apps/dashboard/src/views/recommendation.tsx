import { unitsText } from '@svc/views/format'
import { Icon, ToneIcon } from '../parts/icon.tsx'
import { AccountPlace, ProviderMark } from '../parts/place.tsx'
import { Marked, NameLink, shown, Term } from '../parts/text.tsx'
import { WindowCell } from '../parts/window-cell.tsx'
import { calmMs, elapsedSeconds, type PoolAccount, status, zone } from '../state/live-data.ts'
import {
  accountKeyOf,
  expiryMs,
  findReclaim,
  type ReclaimRow,
  rankedAccounts,
  rankingItem,
} from '../state/pool.ts'
import { isOfAll, pools, providerOf, unitText } from '../state/providers.ts'
import { accountHref, viewHref } from '../state/route.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'

const ROWS = 4
/** Rows shown only on a tall screen. */
const MORE_ROWS = 5

/** The account to use next with the reasons, and the accounts ranked after it. `isBrief` keeps only the first reason, for a screen with little room. */
export function Recommendation({ isBrief = false }: { readonly isBrief?: boolean }) {
  const now = status.value
  if (now === null) return null
  const { routableCount, blockedCount } = now.summary
  const [best, second] = firstFiles()
  return (
    <section class="use" aria-labelledby="title-use">
      <header>
        <h2 id="title-use">{strings.useNext}</h2>
        <a href={viewHref('accounts')}>{strings.counts(routableCount, blockedCount)}</a>
      </header>
      {best === undefined ? (
        <p class="empty">{strings.nothingRoutable}</p>
      ) : isOfAll.value ? (
        <BestOfEach />
      ) : (
        <Best account={best} isBrief={isBrief} />
      )}
      {!isBrief && !isOfAll.value && second !== undefined && <Others />}
    </section>
  )
}

/** Usable accounts, best first; an account with several files is listed once, by its best file. */
function firstFiles(): readonly PoolAccount[] {
  const keys = new Set<string>()
  return rankedAccounts.value.filter(
    ({ selector: { accountKey } }) => keys.size < keys.add(accountKey).size,
  )
}

function expiryText(row: ReclaimRow): string {
  return strings.expires(
    unitText(unitsText(row.units)),
    zone.value.whenText(expiryMs(row), calmMs.value),
    countingDurationText(row.resetsInSeconds - elapsedSeconds.value),
  )
}

/** The accounts ranked after the one to use next, which is shown elsewhere. */
export function FurtherRecommendations() {
  if (firstFiles().length < 2 || isOfAll.value) return null
  return (
    <section aria-labelledby="title-then">
      <header>
        <h2 id="title-then">{strings.thenUse}</h2>
      </header>
      <Others />
    </section>
  )
}

function Others() {
  return (
    <ol class="then" start={2}>
      {firstFiles()
        .slice(1, ROWS + MORE_ROWS)
        .map((account, index) => (
          <li key={accountKeyOf(account)} class={index >= ROWS - 1 ? 'more' : undefined}>
            <span class="dim">{index + 2}</span>
            <InLine account={account} />
          </li>
        ))}
    </ol>
  )
}

/** The account to use next for each provider, because scores of different providers are not comparable. */
function BestOfEach() {
  const firsts = pools.value.flatMap(
    ({ provider }) =>
      rankedAccounts.value.find((account) => providerOf(account) === provider) ?? [],
  )
  return (
    <ul class="then">
      {firsts.map((account) => (
        <li key={accountKeyOf(account)}>
          <ProviderMark provider={providerOf(account)} />
          <InLine account={account} />
        </li>
      ))}
    </ul>
  )
}

function InLine({ account }: { readonly account: PoolAccount }) {
  return (
    <>
      <NameLink title={account.title} href={accountHref(accountKeyOf(account))} />
      <span class="badge">{account.badge}</span>
      <AccountPlace account={account} />
      <span class="score">{account.score}</span>
    </>
  )
}

function Best({ account, isBrief }: { readonly account: PoolAccount; readonly isBrief: boolean }) {
  const reclaim = findReclaim(account)
  const loss = reclaim === undefined ? undefined : expiryText(reclaim)
  const parts = rankingItem(account)?.scoreParts ?? []
  return (
    <div class="best">
      <p class="who">
        <NameLink title={account.title} href={accountHref(accountKeyOf(account))} />
        <span class="badge">{account.badge}</span>
        <AccountPlace account={account} />
      </p>
      <p class="points">
        <b>{account.score}</b> <Term id="score">{strings.ofHundred}</Term>
      </p>
      {!isBrief && (
        <div class="windows">
          {account.windows
            .filter(({ state }) => state !== 'absent')
            .slice(0, 2)
            .map((window) => (
              <WindowCell key={window.id} window={window} />
            ))}
        </div>
      )}
      <ul class={isBrief ? 'why first-only' : 'why'}>
        {loss !== undefined && (
          <li>
            <Icon name="clock" />
            <span>
              <Marked text={loss}>{(part) => <b key={part}>{part}</b>}</Marked>
            </span>
          </li>
        )}
        {(['capacity', 'health', 'load'] as const).map((component) => {
          const reason = parts.find(({ id }) => id === component)?.reason
          return (
            reason !== undefined && (
              <li key={component}>
                {component === 'health' ? (
                  <ToneIcon tone={account.status.tone} />
                ) : (
                  <Icon name={component === 'load' ? 'load' : 'health'} />
                )}
                <span>{shown(reason)}</span>
              </li>
            )
          )
        })}
      </ul>
    </div>
  )
}
