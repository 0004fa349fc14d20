import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button, setter } from '../parts/button.tsx'
import { isPageCovered } from '../parts/drawer-panel.tsx'
import { Age } from '../parts/freshness.tsx'
import { Icon, ToneIcon } from '../parts/icon.tsx'
import { Popup, PopupItem } from '../parts/popup.tsx'
import { RadioChoice } from '../parts/radio-choice.tsx'
import { Coded } from '../parts/text.tsx'
import { isNarrow, kiosk, privacy, theme, themes } from '../state/display-state.ts'
import { calmMs, health, isSilent, status, zone } from '../state/live-data.ts'
import { inNeedCount, openAccount } from '../state/pool.ts'
import {
  asking,
  cancelling,
  cancelRefresh,
  outcome,
  type RefreshProgress,
  refresh,
} from '../state/refresh.ts'
import { goTo, route, viewHref } from '../state/route.ts'
import { findView, views } from '../views/view-table.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'
import { openSheet } from './lazy-sheets.tsx'
import { ProviderSwitch, ProxySwitch } from './pool-switches.tsx'

export function Header() {
  const privacyLabel = privacy.value ? strings.privacyShow : strings.privacyHide
  return (
    <header class={`top tone-${headTone()}`}>
      <div class="wrap" inert={isPageCovered.value}>
        <h1 class="brand">
          <svg class="icon mark" viewBox="0 0 16 16" aria-hidden="true">
            <path class="fill-known" d="M1 2h14v5H1z" />
            <path class="fill-edge" d="M1 9h8v5H1z" />
          </svg>
          <span>{kiosk.value === '' ? strings.product : findView(route.value.view).title}</span>
        </h1>
        <Tabs />
        <ProxySwitch />
        {(!isNarrow.value || kiosk.value !== '') && <ProviderSwitch />}
        <div class="tools">
          {kiosk.value !== '' && <p class="clock">{zone.value.clockText(calmMs.value)}</p>}
          <HealthPill />
          <Age />
          <RefreshButton />
          <button
            type="button"
            class="button square"
            aria-pressed={privacy.value}
            aria-label={privacyLabel}
            title={privacyLabel}
            onClick={() => {
              privacy.value = !privacy.value
            }}
          >
            <Icon name={privacy.value ? 'eyeOff' : 'eye'} />
          </button>
          <Menu />
        </div>
      </div>
      <RefreshOutcome />
    </header>
  )
}

function Tabs() {
  const current = findView(route.value.view)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = views.at((views.indexOf(current) + step) % views.length) ?? current
    goTo(viewHref(next.id))
    document.getElementById(`tab-${next.id}`)?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={strings.viewsLabel} onKeyDown={onKeyDown}>
      {views.map(({ id, title, icon }) => (
        <a
          key={id}
          role="tab"
          id={`tab-${id}`}
          href={viewHref(id)}
          aria-selected={id === current.id}
          aria-controls={id === current.id ? 'view' : undefined}
          tabIndex={id === current.id ? 0 : -1}
        >
          <Icon name={icon} />
          {title}
        </a>
      ))}
    </div>
  )
}

/** Bad while the monitor is silent, because its last state may be outdated. */
const headTone = () => (isSilent.value ? 'bad' : (health.value?.state ?? 'unknown'))

function HealthPill() {
  const now = health.value
  if (now === null) return null
  const tone = headTone()
  return (
    <a class={`pill tone-${tone}`} href={viewHref('health')}>
      <ToneIcon tone={tone} />
      {isSilent.value && <span class="silence">{strings.notUpdatingTitle}</span>}
      {(!isSilent.value || now.actionCount > 0) && (
        <span>
          {now.pill}
          <InNeed actionCount={now.actionCount} />
        </span>
      )}
    </a>
  )
}

/** Number of accounts of these actions. Hidden if it equals the number of actions. */
function InNeed({ actionCount }: { readonly actionCount: number }) {
  const count = inNeedCount.value
  if (count === 0 || count === actionCount) return null
  return <span class="in-need">{strings.andAccounts(strings.accountCount(count))}</span>
}

/** Shortest remaining time that is shown. */
const LEFT_SECONDS_MIN = 60

function RefreshButton() {
  const run = status.value?.summary.manualRefresh
  const isRunning = run?.status === 'running'
  const busy = asking.value || isRunning
  const text = isRunning ? runText(run) : strings.refresh
  return (
    <>
      <Button
        id="refresh"
        aria-disabled={busy}
        title={isRunning || run === undefined ? text : refreshTitle(run)}
        onClick={() => void refresh('default')}
      >
        <Icon name="refresh" />
        <span>{text}</span>
      </Button>
      {isRunning && <CancelButton />}
    </>
  )
}

/** Title of the button, with the duration of the last refresh if it completed for all accounts. */
function refreshTitle({
  scope,
  status: end,
  queued,
  startedAt,
  completedAt,
}: RefreshProgress): string {
  if (scope !== 'default' || end !== 'completed' || queued === 0) return strings.refresh
  if (startedAt === null || completedAt === null) return strings.refresh
  const seconds = (Date.parse(completedAt) - Date.parse(startedAt)) / 1000
  return strings.refreshTakes(countingDurationText(Math.max(1, seconds)))
}

function runText({ scope, done, queued, expectedEndAt }: RefreshProgress): string {
  if (cancelling.value) return strings.cancelling
  const isProbe = scope === 'disabled-diagnostics'
  const text = isProbe ? strings.probing(done, queued) : strings.refreshing(done, queued)
  const leftSeconds =
    expectedEndAt === undefined ? 0 : (Date.parse(expectedEndAt) - calmMs.value) / 1000
  return leftSeconds < LEFT_SECONDS_MIN
    ? text
    : strings.refreshLeft(text, countingDurationText(leftSeconds))
}

/** Appears beside the refresh button while a refresh runs, and passes its focus to that button when it disappears. */
function CancelButton() {
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const own = button.current
    return () => {
      if (document.activeElement === own) document.getElementById('refresh')?.focus()
    }
  }, [])
  return (
    <button
      type="button"
      ref={button}
      class="button square cancel"
      aria-label={strings.cancelRefresh}
      title={strings.cancelRefresh}
      aria-disabled={cancelling.value}
      onClick={() => void cancelRefresh()}
    >
      <Icon name="close" />
    </button>
  )
}

/** Outcome of the last refresh, shown and announced for a while. The open details of an account show their own outcome instead. */
function RefreshOutcome() {
  const last = outcome.value
  const accountKey = last?.accountKey ?? null
  const isToldThere = accountKey !== null && accountKey === openAccount.value?.selector.accountKey
  const told = cancelling.value
    ? { text: strings.cancelling, isGood: true }
    : isToldThere
      ? null
      : last
  return (
    <p class={told === null ? 'outcome sr' : 'outcome wrap'} role="status">
      {told !== null && (
        <span>
          <ToneIcon tone={told.isGood ? 'good' : 'bad'} />
          <Coded text={told.text} />
        </span>
      )}
    </p>
  )
}

/** Version of the program that served the page. */
const version = document.querySelector<HTMLMetaElement>('meta[name="version"]')?.content ?? ''

/** Menu of rarely used functions: the theme, the diagnostic probe, and help on the page. */
export function Menu() {
  return (
    <Popup name={strings.menu} icon="more">
      <ThemeChoice />
      <PopupItem run={setter(openSheet, 'palette')}>
        {strings.palette} <kbd>Ctrl K</kbd>
      </PopupItem>
      <PopupItem run={setter(openSheet, 'shortcuts')}>
        {strings.shortcuts} <kbd>?</kbd>
      </PopupItem>
      <PopupItem run={setter(openSheet, 'glossary')}>{strings.glossary}</PopupItem>
      <PopupItem run={setter(openSheet, 'routing')}>{strings.routing}</PopupItem>
      <a href="/api/v1/openapi.json">{strings.contract}</a>
      <PopupItem run={() => void refresh('disabled-diagnostics')}>
        {strings.probe}
        <small>{strings.probeNote}</small>
      </PopupItem>
      <p>{strings.version(version)}</p>
    </Popup>
  )
}

function ThemeChoice() {
  return (
    <RadioChoice
      label={strings.theme}
      name="theme"
      choices={themes.map((id) => [id, strings.themes[id]])}
      chosen={theme.value}
      onChoose={(id) => {
        theme.value = id
      }}
    />
  )
}
