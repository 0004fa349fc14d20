import { Age } from '../parts/age.tsx'
import { Coded } from '../parts/coded.tsx'
import { isPageCovered } from '../parts/drawer-panel.tsx'
import { Icon, ToneIcon } from '../parts/icon.tsx'
import { privacy } from '../state/display-state.ts'
import { health, isSilent, status } from '../state/live-data.ts'
import { asking, outcome, refresh } from '../state/refresh.ts'
import { goTo, route, viewHref } from '../state/route.ts'
import { viewOf, views } from '../views/view-table.ts'
import { strings } from '../words/strings.ts'
import { Menu } from './menu.tsx'

export function Header() {
  const privacyLabel = privacy.value ? strings.privacyShow : strings.privacyHide
  return (
    <header class="top" inert={isPageCovered.value}>
      <div class="wrap">
        <h1 class="brand">
          <svg class="icon mark" viewBox="0 0 16 16" aria-hidden="true">
            <path class="fill-known" d="M1 2h14v5H1z" />
            <path class="fill-edge" d="M1 9h8v5H1z" />
          </svg>
          <span>{strings.product}</span>
        </h1>
        <Tabs />
        <div class="tools">
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
    </header>
  )
}

function Tabs() {
  const current = viewOf(route.value.view)
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

function HealthPill() {
  const now = health.value
  if (now === null) return null
  // Whatever was the case: nobody knows whether it still is.
  const tone = isSilent.value ? 'bad' : now.state
  return (
    <a class={`pill tone-${tone}`} href={viewHref('health')}>
      <ToneIcon tone={tone} />
      {isSilent.value ? strings.notUpdatingTitle : now.pill}
    </a>
  )
}

function RefreshButton() {
  const run = status.value?.summary.manualRefresh
  const isRunning = run?.status === 'running'
  const busy = asking.value || isRunning
  const text = !isRunning
    ? strings.refresh
    : run.scope === 'disabled-diagnostics'
      ? strings.probing(run.done, run.queued)
      : strings.refreshing(run.done, run.queued)
  return (
    <button
      type="button"
      id="refresh"
      class="button"
      aria-disabled={busy}
      title={text}
      onClick={() => void refresh('default')}
    >
      <Icon name="refresh" />
      <span>{text}</span>
    </button>
  )
}

/** What became of the refresh, told and shown until it is old. */
export function RefreshOutcome() {
  const told = outcome.value
  return (
    <p class={told === null ? 'outcome sr' : 'outcome'} role="status">
      {told !== null && (
        <>
          <ToneIcon tone={told.isGood ? 'good' : 'bad'} />
          <span>
            <Coded text={told.text} />
          </span>
        </>
      )}
    </p>
  )
}
