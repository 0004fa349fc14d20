import './browser.ts'
import { batch } from '@preact/signals'
import type { QuotaSample, Snapshot } from '@svc/core'
import { noTrends, poolOfProviders } from '@svc/core/pool'
import { anAccount, aQuotaSample, aSnapshot, evidenceOf, fromNow, NOW } from '@svc/core/testing'
import { createWording, healthView, statusView } from '@svc/views'
import { act } from 'preact/test-utils'
import { chosenProvider } from '../state/display-state.ts'
import {
  browserMs,
  EVERY_PROVIDER,
  health,
  shownProvider,
  status,
  wholeHealth,
  wholeStatus,
} from '../state/live-data.ts'
import { setNow } from './browser.ts'
import type { Entry } from './page.ts'

const text = createWording('Asia/Shanghai')
const DAY = 86_400
/** Plan of each account by its provider; the others say none. */
const PLANS: Readonly<Record<string, string>> = { codex: 'plus', claude: 'pro' }

/** A window read at NOW, by its id and the percent left. */
export function reading(
  id: string,
  percent: number,
  marks: Partial<QuotaSample['windows'][number]> = {},
): QuotaSample['windows'][number] {
  return { id, periodSeconds: null, percent, resetAt: fromNow(2 * DAY), ...marks }
}

/** An account of a provider with these windows; null for one that was never read. */
export function accountOf(
  provider: string,
  name: string,
  windows: QuotaSample['windows'] | null,
  sample: Partial<QuotaSample> = {},
): Entry {
  const account = anAccount(name, { provider, claimedPlan: PLANS[provider] ?? null })
  const evidence = windows === null ? null : evidenceOf([aQuotaSample({}, { windows, ...sample })])
  return [account, evidence]
}

/** Two Codex accounts, two of Claude, one of xAI that has a month, and two of Kimi, one of which has a week and a month. */
export function aMixedPool(): readonly Entry[] {
  return [
    accountOf('codex', 'ana', [reading('5h', 80), reading('week', 60)]),
    accountOf('codex', 'bob', [reading('5h', 0), reading('week', 50)]),
    accountOf('claude', 'cyd', [
      reading('5h', 40),
      reading('week', 20),
      reading('opus:week', 0, { label: 'Opus', models: ['Opus'] }),
    ]),
    accountOf('claude', 'dan', [], { reportsNone: true }),
    accountOf('xai', 'eve', [reading('month', 70, { note: 'derived' })]),
    accountOf('kimi', 'fay', [reading('5h', 90), reading('week', 30)]),
    accountOf('kimi', 'gus', [reading('5h', 10), reading('week', 10), reading('month', 5)]),
  ]
}

/** Sets the page's state to the monitor's answer about these accounts: of a provider, of all, or without a choice. */
export function showProvider(entries: readonly Entry[], provider = ''): void {
  const whole = aSnapshot(entries)
  const part =
    provider === ''
      ? whole
      : poolOfProviders(whole, provider === EVERY_PROVIDER ? EVERY_PROVIDER : [provider])
  act(() =>
    batch(() => {
      setNow(NOW)
      browserMs.value = NOW
      chosenProvider.value = provider
      shownProvider.value = provider
      status.value = statusOf(part)
      wholeStatus.value = provider === '' ? null : statusOf(whole)
      health.value = healthView(part, { text, trends: noTrends })
      wholeHealth.value = provider === '' ? null : healthView(whole, { text, trends: noTrends })
    }),
  )
}

/** Takes the choice back. */
export function clearProvider(): void {
  act(() => {
    chosenProvider.value = ''
    shownProvider.value = ''
    wholeStatus.value = null
    wholeHealth.value = null
    status.value = null
    health.value = null
  })
}

const statusOf = (snapshot: Snapshot) =>
  statusView(snapshot, {
    text,
    usage: { kind: 'off' },
    refresh: { status: 'idle' },
    trends: noTrends,
  })
