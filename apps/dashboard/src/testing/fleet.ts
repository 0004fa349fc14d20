import './browser.ts'
import { defaultPolicy, evaluateSnapshot, offBecause, type Snapshot } from '@svc/core'
import { snapshotAtUpstream } from '@svc/core/health'
import { noTrends } from '@svc/core/pool'
import { fileKeyOf, mergeObservations, type NamedObservation } from '@svc/core/service'
import { aLiveObservation, aServiceObservation, NOW } from '@svc/core/testing'
import { createWording, healthView, type StatusSnapshot, statusView } from '@svc/views'
import { act } from 'preact/test-utils'
import { chosenUpstream } from '../state/display-state.ts'
import {
  browserMs,
  health,
  shownUpstream,
  status,
  wholeHealth,
  wholeStatus,
} from '../state/live-data.ts'
import { setNow } from './browser.ts'
import type { Entry } from './page.ts'

const text = createWording('Asia/Shanghai')
const shared = {
  client_labels: offBecause('no_store'),
  benchmark: offBecause('not_configured'),
} as const

/** Sets the page's state to the monitor's answer about these proxies and their accounts; `upstream` is shown alone. */
export function showFleet(
  entriesByName: Readonly<Record<string, readonly Entry[]>>,
  upstream = '',
): void {
  const snapshot = snapshotOf(entriesByName)
  const shown = snapshotAtUpstream(snapshot, upstream)
  act(() => {
    setNow(NOW)
    browserMs.value = NOW
    chosenUpstream.value = upstream
    shownUpstream.value = upstream
    status.value = statusOf(shown ?? snapshot)
    wholeStatus.value = shown === null ? null : statusOf(snapshot)
    health.value = healthView(shown ?? snapshot, { text, trends: noTrends })
    wholeHealth.value = shown === null ? null : healthView(snapshot, { text, trends: noTrends })
  })
}

/** Resets the state to one proxy that was never read. */
export function clearFleet(): void {
  act(() => {
    chosenUpstream.value = ''
    shownUpstream.value = ''
    status.value = null
    wholeStatus.value = null
    health.value = null
    wholeHealth.value = null
  })
}

function statusOf(snapshot: Snapshot): StatusSnapshot {
  const context = { text, usage: { kind: 'off' }, refresh: { status: 'idle' } } as const
  return statusView(snapshot, { ...context, trends: noTrends })
}

function snapshotOf(entriesByName: Readonly<Record<string, readonly Entry[]>>): Snapshot {
  const [first, ...others] = Object.entries(entriesByName).map(([name, entries]) =>
    observationOf(name, entries),
  )
  if (first === undefined) throw new Error('a fleet has at least one proxy')
  const observation = mergeObservations([first, ...others], shared)
  return evaluateSnapshot({ ...observation, ...aServiceObservation() }, defaultPolicy, NOW, {
    previous: null,
    recordedChanges: [],
  })
}

function observationOf(name: string, entries: readonly Entry[]): NamedObservation {
  const own = entries.map(
    ([account, evidence]) => [{ ...account, upstream: name }, evidence] as const,
  )
  const observed = aLiveObservation(own)
  const evidenceByAuthName = new Map(
    own.flatMap(([account, evidence]) =>
      evidence === null ? [] : [[fileKeyOf(account), evidence] as const],
    ),
  )
  return { name, observed: { ...observed, evidenceByAuthName } }
}
