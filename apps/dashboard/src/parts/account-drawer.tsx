import { isMainWindowId } from '@svc/core/service'
import { compactText, countText, percentText } from '@svc/views/format'
import { calmMs, elapsedSeconds, type PoolAccount, status, zone } from '../state/live-data.ts'
import {
  accountKeyOf,
  accountTone,
  actionsAbout,
  countedWindowIds,
  findResetMs,
  findUncountedWindow,
  isDisabled,
  isHeldByWeek,
  isRoutable,
  poolTokens,
  rankingItem,
  readingPeriodSeconds,
} from '../state/pool.ts'
import { allPools, findPool, isOfAll, providerOf } from '../state/providers.ts'
import { dueText, untilText } from '../state/row-words.ts'
import { accountWords } from '../words/account-words.ts'
import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'
import { PercentBar } from './bars.tsx'
import { CopyButton } from './copy.tsx'
import { CloseDetails, DrawerPanel } from './drawer-panel.tsx'
import {
  AccountChanges,
  BankedResetList,
  BlockedModelList,
  RefreshThis,
  ScriptNames,
  SubscriptionEnd,
  scopedTitle,
  WindowDetail,
} from './drawer-sections.tsx'
import { ToneIcon } from './icon.tsx'
import { lazyView } from './lazy-view.tsx'
import { Places, ProviderMark } from './place.tsx'
import { Heads, Pair } from './rows.tsx'
import { Name, shown } from './text.tsx'

const LazyCourse = lazyView(
  async () => (await import('./quota-history.tsx')).QuotaHistoryCharts,
  strings.chartFailed,
)

const LazyCost = lazyView<{ readonly accountKey: string }>(
  async () => (await import('./account-cost.tsx')).CostLine,
)

/** Details of an account, with the reasons for its score or its block. */
export function AccountDrawer({
  account,
  rank,
}: {
  readonly account: PoolAccount
  readonly rank: number | null
}) {
  const absent = account.windows.filter(({ state }) => state === 'absent').map(({ id }) => id)
  // Of no other window is there a history.
  const hasMainWindow = account.windows.some(({ id }) => isMainWindowId(id) && !absent.includes(id))
  return (
    <DrawerPanel accountKey={accountKeyOf(account)}>
      <header>
        <div>
          <Name text={account.title} wraps />
          <Places account={account} />
          {account.counted === false && <p class="dim small">{strings.sameAccount}</p>}
          <p>
            {allPools.value.length > 1 && <ProviderMark provider={providerOf(account)} always />}{' '}
            <span class="badge">{account.badge}</span>{' '}
            <span class="status">
              <ToneIcon tone={accountTone(account)} />
              {account.status.text}
            </span>
          </p>
        </div>
        <div class="drawer-tools">
          <CopyButton name={strings.copyName} text={() => shown(account.title)} />
          <CloseDetails />
        </div>
      </header>
      <section>
        <p class="total">
          {rank === null ? (
            <span>{accountWords.noScore(isDisabled(account))}</span>
          ) : (
            <>
              <b>{account.score}</b> {strings.ofHundred}{' '}
              <span>{accountWords.rankOf(rank, routableBeside(account) ?? rank)}</span>
            </>
          )}
        </p>
        <BlockedModelList account={account} />
        {isRoutable(account) ? <Why account={account} /> : <WhyBlocked account={account} />}
      </section>
      <section>
        {isDisabled(account) ? <Probe account={account} /> : <Windows account={account} />}
        <RefreshThis accountKey={account.selector.accountKey} isDisabled={isDisabled(account)} />
      </section>
      {!isDisabled(account) && hasMainWindow && (
        <section>
          <LazyCourse accountKey={account.selector.accountKey} absent={absent} />
        </section>
      )}
      <section>
        <Usage account={account} />
        <BankedResetList account={account} />
        <SubscriptionEnd account={account} />
        <AccountChanges accountKey={account.selector.accountKey} />
        <ScriptNames selector={account.selector} blockedReasons={account.blockedReasons} />
      </section>
    </DrawerPanel>
  )
}

/** Number of usable accounts in the ranking of an account. */
const routableBeside = (account: PoolAccount) =>
  isOfAll.value ? findPool(providerOf(account))?.routable : status.value?.summary.routableCount

function Why({ account }: { readonly account: PoolAccount }) {
  const parts = rankingItem(account)?.scoreParts ?? []
  return (
    <>
      {actionsAbout(account).map(({ id, summary, note }) => (
        <p key={id} class="advice">
          {shown(summary)} <b>{strings.doLabel}</b>
          {strings.gap}
          {note}
        </p>
      ))}
      <h3>{accountWords.why}</h3>
      <table class="components">
        <caption class="sr">{accountWords.why}</caption>
        <thead class="sr">
          <Heads words={accountWords.componentHeads} />
        </thead>
        <tbody>
          {parts.map(({ id, points, max, reason = noPoints(account, id, points) }) => (
            <tr key={id}>
              <th scope="row">{accountWords.components[id]}</th>
              <td>
                <PercentBar percent={(points / max) * 100} />
              </td>
              <td class="of">
                <b>{points}</b> / {max}
              </td>
              <td class="reason">{shown(reason)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{accountWords.sum}</th>
            <td />
            <td class="of">
              <b>{account.score}</b> / 100
            </td>
            <td class="reason">{parts.map(({ points }) => points).join(' + ')}</td>
          </tr>
        </tfoot>
      </table>
    </>
  )
}

/** Reason why a component gives no points, which the API does not word; empty if it gives some. */
function noPoints({ windows }: PoolAccount, id: string, points: number): string {
  if (points > 0) return ''
  // The clock of the plan's first window starts with a request.
  const isUnread = windows.find(({ state }) => state !== 'absent')?.state === 'unknown'
  return accountWords.noPoints[id === 'load' && isUnread ? 'unread' : id] ?? ''
}

function WhyBlocked({ account }: { readonly account: PoolAccount }) {
  const item = rankingItem(account)
  return (
    <>
      <h3>{accountWords.whyBlocked}</h3>
      <ul class="reasons">
        {item?.blocked?.map(({ slug, text, until }) => (
          <li key={slug}>
            <ToneIcon tone={accountTone(account)} />
            <span>
              {text}
              {until !== null && <span class="dim">{` ${untilText(until)}`}</span>}
            </span>
          </li>
        ))}
      </ul>
      <p class="advice">{shown(item?.note ?? '')}</p>
    </>
  )
}

function Windows({ account }: { readonly account: PoolAccount }) {
  const item = rankingItem(account)
  const weight = item?.capacityWeight ?? 0
  const { lastSample, scopedWindows = [] } = account
  const uncounted = findUncountedWindow(account)
  const everySeconds = readingPeriodSeconds(account)
  const counted = countedWindowIds(account)
  const labelOf = (id: string) => item?.quotaWindows.find((window) => window.id === id)?.label ?? id
  const notes = [
    ...(lastSample === null
      ? []
      : [
          strings.originsLong[lastSample.origin] ?? lastSample.origin,
          strings.ago(countingDurationText(lastSample.ageSeconds + elapsedSeconds.value)),
        ]),
    ...(everySeconds !== null && everySeconds > 0 ? [dueText(everySeconds)] : []),
  ]
  return (
    <>
      <h3>{accountWords.windowsTitle}</h3>
      {account.windows.map((window) => (
        <WindowDetail
          key={window.id}
          title={strings.windowTitles[window.id] ?? labelOf(window.id)}
          window={window}
          weight={counted.has(window.id) ? weight : 0}
          unit={findPool(providerOf(account))?.unit}
          resetMs={findResetMs(accountKeyOf(account), window)}
          isHeld={isHeldByWeek(account, window.id)}
        />
      ))}
      {uncounted !== undefined && (
        <p class="dim small">{strings.onlyUncounted(strings.windowTitles[uncounted.id])}</p>
      )}
      {scopedWindows.length > 0 && <h3>{accountWords.otherLimits}</h3>}
      {scopedWindows.map((window) => (
        <WindowDetail
          key={window.id}
          title={window.label ?? scopedTitle(window.id)}
          window={window}
          weight={0}
        />
      ))}
      {notes.length > 0 && <p class="dim small">{strings.listOf(notes)}</p>}
    </>
  )
}

function Usage({ account }: { readonly account: PoolAccount }) {
  const { usage } = account
  if (usage === null) return null
  const total = poolTokens.value
  const tokens = compactText(usage.tokens)
  return (
    <>
      <h3>{accountWords.lastDay}</h3>
      <dl class="pairs">
        <Pair name={strings.tokens}>
          {total > 0
            ? accountWords.tokensShare(tokens, percentText((usage.tokens / total) * 100))
            : tokens}
        </Pair>
        <Pair name={strings.requests}>
          {usage.requests === 0
            ? strings.none
            : accountWords.requestsFailed(
                countText(usage.requests),
                usage.failed === 0 ? null : countText(usage.failed),
              )}
        </Pair>
      </dl>
      <LazyCost accountKey={account.selector.accountKey} />
    </>
  )
}

const PROBE_TONES = {
  unknown: 'unknown',
  ok: 'good',
  exhausted: 'warn',
  auth_invalid: 'bad',
  error: 'warn',
} as const

function Probe({ account: { disabledProbe } }: { readonly account: PoolAccount }) {
  if (disabledProbe === undefined) return null
  const { state, probedAt, planKind, badge, httpStatus, windows } = disabledProbe
  const probedMs = probedAt === null ? null : Date.parse(probedAt)
  return (
    <>
      <h3>{accountWords.diagnosticProbe}</h3>
      <dl class="pairs">
        <Pair name={accountWords.probeResult}>
          <ToneIcon tone={PROBE_TONES[state]} /> {accountWords.probeStates[state]}
        </Pair>
        {probedMs !== null && (
          <Pair name={accountWords.probeAt}>
            {strings.listOf([
              zone.value.momentText(probedMs, calmMs.value),
              strings.ago(countingDurationText((calmMs.value - probedMs) / 1000)),
            ])}
          </Pair>
        )}
        {planKind !== null && <Pair name={accountsWords.columns.plan}>{badge ?? planKind}</Pair>}
        {httpStatus !== null && <Pair name={accountWords.probeHttp}>{httpStatus}</Pair>}
        {windows.map(({ id, label, percent }) => (
          <Pair key={id} name={label}>
            {strings.percentLeft(percentText(percent))}
          </Pair>
        ))}
      </dl>
    </>
  )
}
