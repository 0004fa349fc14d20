import { capitalised, unitsText, wholeUnitsText } from '@svc/views/format'
import {
  calmMs,
  elapsedSeconds,
  type PoolAccount,
  type PoolWindow,
  status,
  zone,
} from '../state/live-data.ts'
import { subscriptionState } from '../state/pool.ts'
import { unitText } from '../state/providers.ts'
import { changesAboutAccount, changesHref } from '../state/recent-changes.ts'
import { asking, outcome, refreshAccount } from '../state/refresh.ts'
import { bankedTexts, modelsText, untilText } from '../state/row-words.ts'
import { isUnreported, isWaitingForUse } from '../state/window-words.ts'
import { accountWords } from '../words/account-words.ts'
import { recentChangeWords } from '../words/health-words.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'
import { WindowBar } from './bars.tsx'
import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'
import { Icon, ToneIcon } from './icon.tsx'
import { Pair } from './rows.tsx'
import { shown } from './text.tsx'
import { returnText, shareText } from './window-cell.tsx'

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

const spanText = (ms: number) => countingDurationText(ms / 1000)

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

/** Name of a limit of another scope: `codex bengalfox, weekly` for `extra:codex_bengalfox:week`. */
export function scopedTitle(id: string): string {
  const parts = id.split(':')
  const window = parts.at(-1) ?? ''
  // The heading above already calls this limit an extra one.
  const names = parts.slice(parts[0] === 'extra' ? 1 : 0, -1)
  return strings.listOf([
    ...names.map((name) => name.replaceAll('_', ' ')),
    (strings.windowTitles[window] ?? window).toLowerCase(),
  ])
}

interface WindowDetailProps {
  readonly title: string
  readonly window: PoolWindow
  /** Units of a full window; 0 if the window is not counted. */
  readonly weight: number
  readonly unit?: Parameters<typeof unitText>[1]
  /** Instant of the reset; null or absent to use the window's own information. */
  readonly resetMs?: number | null
  /** True if the window returns nothing before the week resets. */
  readonly isHeld?: boolean
}

export function WindowDetail({
  title,
  window,
  weight,
  unit,
  resetMs = null,
  isHeld = false,
}: WindowDetailProps) {
  const { percent, resetsInSeconds, state, note } = window
  const units =
    percent !== null && weight > 0
      ? accountWords.unitsOf(
          unitsText((weight * percent) / 100),
          unitText(wholeUnitsText(weight), unit),
        )
      : ''
  const seconds =
    resetsInSeconds === null ? null : Math.max(0, resetsInSeconds - elapsedSeconds.value)
  const reset =
    seconds === null
      ? window.rolledOver
        ? accountWords.resetUnconfirmed
        : returnText(window, false)
      : isHeld || isWaitingForUse(window)
        ? capitalised(returnText(window, isHeld))
        : accountWords.resetsAt(
            zone.value.whenText(resetMs ?? calmMs.value + seconds * 1000, calmMs.value),
            countingDurationText(seconds),
          )
  return (
    <div class="window-detail">
      <p>
        <b>{title}</b>
        <span>
          {state === 'known' ? strings.percentLeft(shareText(window)) : shareText(window)}
        </span>
      </p>
      {isUnreported(window) ? (
        <p class="dim small">{accountWords.unreported}</p>
      ) : (
        <>
          <WindowBar window={window} />
          <p class="dim small">{[units, reset].filter((text) => text !== '').join(strings.gap)}</p>
        </>
      )}
      {note !== undefined && <p class="dim small">{accountWords.notes[note]}</p>}
    </div>
  )
}
