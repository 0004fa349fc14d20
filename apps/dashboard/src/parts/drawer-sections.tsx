import { calmMs, type PoolAccount, status, zone } from '../state/live-data.ts'
import { subscriptionState } from '../state/pool.ts'
import { changesAboutAccount, changesHref } from '../state/recent-changes.ts'
import { asking, outcome, refreshAccount } from '../state/refresh.ts'
import { bankedTexts, modelsText, untilText } from '../state/row-words.ts'
import { accountWords } from '../words/account-words.ts'
import { recentChangeWords } from '../words/health-words.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'
import { Icon, ToneIcon } from './icon.tsx'
import { Pair } from './rows.tsx'
import { shown } from './text.tsx'

const TONES = {
  running: 'good',
  ends_soon: 'warn',
  last_day: 'bad',
  ended: 'bad',
  renewed: 'unknown',
} as const

/** End of an account's paid time; renders nothing if its login contains none. */
export function SubscriptionEnd({ account }: { readonly account: PoolAccount }) {
  const state = subscriptionState(account)
  const { paidUntil, subscription } = account
  if (paidUntil === undefined || state === 'unknown') return null
  const untilMs = Date.parse(paidUntil)
  const now = calmMs.value
  const when = zone.value.whenText(untilMs, now)
  return (
    <>
      <h3>{accountWords.subscription}</h3>
      <p class="status">
        <ToneIcon tone={TONES[state]} />
        {accountWords.paid[state](when, spanText(Math.abs(untilMs - now)))}
      </p>
      <p class="dim small">
        {subscription?.seenAt == null
          ? accountWords.asOfLogin
          : accountWords.asOfLoginAt(spanText(now - Date.parse(subscription.seenAt)))}
      </p>
    </>
  )
}

/** Resets that the account's owner may spend, and when they lapse; nothing without any. */
export function BankedResetList({ account: { bankedResets } }: { readonly account: PoolAccount }) {
  if (bankedResets === undefined) return null
  const [count, ...lapses] = bankedTexts(bankedResets)
  return (
    <>
      <h3>{count}</h3>
      {lapses.map((text, index) => (
        // Two may lapse at the same time.
        <p key={index}>{text}</p>
      ))}
    </>
  )
}

/** Models that an account cannot serve, with the end of each block; nothing if it serves all. */
export function BlockedModelList({
  account: { blockedModels = [], scopedWindows = [] },
}: {
  readonly account: PoolAccount
}) {
  if (blockedModels.length === 0) return null
  return (
    <>
      <h3>{accountWords.blockedModels}</h3>
      <ul class="reasons">
        {blockedModels.map((blocked) => (
          <li key={blocked.scope}>
            <Icon name="clock" />
            <span>
              {blocked.models === null
                ? (scopedWindows.find(({ id }) => blocked.reason === `quota_exhausted_${id}`)
                    ?.label ?? modelsText(blocked))
                : strings.listOf(blocked.models)}
              {blocked.until !== null && <span class="dim">{` ${untilText(blocked.until)}`}</span>}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

const spanText = (ms: number) => countingDurationText(Math.max(0, ms / 1000))

/** Names of an account for scripts, each with a copy button, and the codes of its blocking reasons. */
export function ScriptNames({
  selector,
  blockedReasons,
}: Pick<PoolAccount, 'selector' | 'blockedReasons'>) {
  return (
    <details>
      <summary>
        <h3>{accountWords.forScripts}</h3>
      </summary>
      <dl class="pairs mono">
        {(['authName', 'authIndex', 'accountKey'] as const).map((name) => (
          <Pair key={name} name={name}>
            {shown(selector[name])}{' '}
            <CopyButton name={accountWords.copyNamed(name)} text={() => shown(selector[name])} />
          </Pair>
        ))}
        {blockedReasons.length > 0 && <Pair name="blockedReasons">{blockedReasons.join(' ')}</Pair>}
      </dl>
    </details>
  )
}

/** Button that refreshes one account and shows the outcome. */
export function RefreshThis({
  accountKey,
  isDisabled,
}: {
  readonly accountKey: string
  readonly isDisabled: boolean
}) {
  const run = status.value?.summary.manualRefresh
  const isRunning = run?.status === 'running'
  const told = outcome.value?.accountKey === accountKey ? outcome.value : null
  return (
    <>
      <div class="refresh-this">
        <Button
          aria-disabled={asking.value || isRunning}
          onClick={() => void refreshAccount(accountKey)}
        >
          {isRunning
            ? strings.refreshing(run.done, run.queued)
            : isDisabled
              ? strings.probeOne
              : strings.refreshOne}
        </Button>
        <p role="status">
          {told !== null && (
            <>
              <ToneIcon tone={told.isGood ? 'good' : 'bad'} /> {told.text}
            </>
          )}
        </p>
      </div>
      {isDisabled && <p class="dim small">{strings.probeOneNote}</p>}
    </>
  )
}

/** Link to the recent changes of an account; nothing if there are none. */
export function AccountChanges({ accountKey }: { readonly accountKey: string }) {
  const count = changesAboutAccount(accountKey).length
  if (count === 0) return null
  return (
    <p class="to-changes">
      <a href={changesHref(accountKey)}>{recentChangeWords.ofAccount(count)}</a>
    </p>
  )
}
