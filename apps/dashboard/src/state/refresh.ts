import { effect, signal } from '@preact/signals'
import type { ReadError, StatusSnapshot } from '@svc/views'
import { strings } from '../words/strings.ts'
import { health, hurried, pollNow, status } from './live-data.ts'

type Pressed =
  | { readonly scope: 'default' | 'disabled-diagnostics' }
  | { readonly scope: 'account'; readonly accountKey: string }
  | { readonly cancel: true }

export type RefreshProgress = StatusSnapshot['summary']['manualRefresh']

export interface RefreshReport {
  readonly text: string
  readonly isGood: boolean
  /** The account of a single-account refresh; null for several accounts. */
  readonly accountKey: string | null
}

/** Result of the last refresh started or cancelled on this page; null if there is none, and after a while. */
export const outcome = signal<RefreshReport | null>(null)
/** True from the request of a refresh until the status shows it as running. */
export const asking = signal(false)
/** True while a refresh cancelled here has not ended yet. */
export const cancelling = signal(false)

const TOKEN_HEADER = 'X-Svc-Quota-Monitor-Refresh-Token'
/** Storage key of the action that was pressed before the page reloaded, and its time. */
const PRESSED = 'quota.pressed'
const PRESSED_MS_MAX = 60_000
const OUTCOME_MS = 20_000
/** Delay before the reload, long enough to read the reason. */
const RELOAD_MS = 1_500
/** Number of answers without the refresh after which it counts as lost. The first answer may have been sent before the refresh. */
const UNSEEN_MAX = 3

const bootstrap = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
const authMode = bootstrap('refresh-auth')

/** Start of the refresh whose result the page waits for. */
let awaited: string | null = null
let unseenLeft = UNSEEN_MAX
let forgetting: ReturnType<typeof setTimeout> | undefined

/** Requests a refresh; `outcome` gets its result. */
export const refresh = (scope: 'default' | 'disabled-diagnostics'): Promise<void> => send({ scope })
export const refreshAccount = (accountKey: string): Promise<void> =>
  send({ scope: 'account', accountKey })
/** Cancels the running refresh, even if another page started it. */
export const cancelRefresh = (): Promise<void> => send({ cancel: true })

async function send(pressed: Pressed, isRepeated = false): Promise<void> {
  const isCancel = 'cancel' in pressed
  const accountKey = 'accountKey' in pressed ? pressed.accountKey : null
  const isUnderWay = status.value?.summary.manualRefresh.status === 'running'
  if (asking.value || cancelling.value || isCancel !== isUnderWay) return
  const fail = (text: string) => {
    cancelling.value = false
    say({ text, isGood: false, accountKey })
  }
  if (authMode === 'management-key') return fail(strings.refreshErrors.key)
  asking.value = !isCancel
  outcome.value = null
  cancelling.value = isCancel
  try {
    const answer = await fetch('/api/v1/quota/refresh', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(authMode === 'page-token' ? { [TOKEN_HEADER]: bootstrap('refresh-token') } : {}),
      },
      body: JSON.stringify(pressed),
      cache: 'no-store',
    })
    if (answer.status === 202) {
      awaited = ((await answer.json()) as { readonly startedAt: string | null }).startedAt
      unseenLeft = UNSEEN_MAX
      pollNow()
      return
    }
    asking.value = false
    const { refreshErrors } = strings
    if (answer.status === 401 && isRepeated) return fail(refreshErrors.stillRefused)
    const texts: Readonly<Record<number, string>> = refreshErrors
    const { status, holder = null }: Partial<Pick<ReadError, 'status' | 'holder'>> =
      answer.status === 503 ? await answer.json().catch(() => ({})) : {}
    if (status === 'standby') return fail(refreshErrors.standby(holder))
    // A part of the monitor is restarting and will be back in a moment.
    if (answer.status === 503 && answer.headers.has('Retry-After'))
      return fail(refreshErrors.offline)
    fail(texts[answer.status] ?? refreshErrors.other(answer.status))
    if (answer.status === 401) reload(pressed)
  } catch {
    asking.value = false
    fail(strings.refreshErrors.offline)
  }
}

/** Reloads the page to get the token of the current process, and repeats the action there. */
function reload(pressed: Pressed): void {
  sessionStorage.setItem(PRESSED, JSON.stringify({ pressed, atMs: Date.now() }))
  setTimeout(() => location.reload(), RELOAD_MS)
}

/** Repeats, once, the action that was pressed before the page reloaded. */
export function repeatPressed(): void {
  const kept = sessionStorage.getItem(PRESSED)
  if (kept === null) return
  sessionStorage.removeItem(PRESSED)
  const { pressed, atMs } = JSON.parse(kept) as { readonly pressed: Pressed; readonly atMs: number }
  // A tab may be reopened days later.
  if (Date.now() - atMs < PRESSED_MS_MAX) void send(pressed, true)
}

function say(told: RefreshReport): void {
  outcome.value = told
  clearTimeout(forgetting)
  forgetting = setTimeout(() => {
    outcome.value = null
  }, OUTCOME_MS)
}

effect(() => {
  hurried.value = asking.value
})

effect(() => {
  if (status.value?.summary.manualRefresh.status !== 'running') cancelling.value = false
})

effect(() => {
  const run = status.value?.summary.manualRefresh
  if (run === undefined || awaited === null) return
  if (run.startedAt === null || Date.parse(run.startedAt) < Date.parse(awaited)) {
    unseenLeft -= 1
    if (unseenLeft > 0) return
    awaited = null
    asking.value = false
    return say({ text: strings.refreshLost, isGood: false, accountKey: null })
  }
  // From now on it can only be missing if the monitor has forgotten it.
  unseenLeft = 1
  asking.value = false
  if (run.status === 'running') return
  awaited = null
  const { text, isGood } = endOf(run)
  say({ text, isGood, accountKey: run.accountKey ?? null })
})

function endOf(run: RefreshProgress): Pick<RefreshReport, 'text' | 'isGood'> {
  const good = run.done - run.failed
  const isProbe = run.scope === 'disabled-diagnostics'
  if (run.reason === 'cancelled')
    return { text: strings.refreshCancelled(good, run.queued), isGood: true }
  if (run.status === 'completed' && run.queued === 0)
    return { text: noListText() ?? strings.nobodyToRefresh, isGood: false }
  if (run.status === 'completed')
    return { text: isProbe ? strings.probed(good) : strings.refreshed(good), isGood: true }
  if (run.status === 'partial')
    return {
      text: isProbe
        ? strings.probedSome(good, run.failed)
        : strings.refreshedSome(good, run.failed),
      isGood: false,
    }
  return { text: strings.refreshFailed(run.error), isGood: false }
}

/** Reason for an empty refresh if the account list cannot be read; null otherwise. */
function noListText(): string | null {
  const list = health.value?.sources.find(({ id }) => id?.split('@')[0] === 'accounts')
  const isRead = list === undefined || list.tone === 'good' || list.tone === 'unknown'
  return isRead ? null : strings.refreshFailed(list.summary)
}
