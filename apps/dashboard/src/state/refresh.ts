import { effect, signal } from '@preact/signals'
import { strings } from '../words/strings.ts'
import { hurried, pollNow, status } from './live-data.ts'

export type Scope = 'default' | 'disabled-diagnostics'

/** What there is to say about the last refresh that was asked for here; null for nothing. */
export const outcome = signal<{ readonly text: string; readonly isGood: boolean } | null>(null)
/** Asked for, not yet seen running. */
export const asking = signal(false)

const TOKEN_HEADER = 'X-Svc-Quota-Monitor-Refresh-Token'
const RELOADED = 'quota.reloaded'
const OUTCOME_MS = 20_000
/** Long enough to read why. */
const RELOAD_MS = 1_500

const bootstrap = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
const authMode = bootstrap('refresh-auth')

let awaited: string | null = null
let forgetting: ReturnType<typeof setTimeout> | undefined

/** Asks for a refresh; what becomes of it is told in `outcome`. */
export async function refresh(scope: Scope): Promise<void> {
  if (asking.value || status.value?.summary.manualRefresh.status === 'running') return
  if (authMode === 'management-key') return say(strings.refreshErrors.key, false)
  asking.value = true
  outcome.value = null
  try {
    const answer = await fetch('/api/v1/quota/refresh', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(authMode === 'page-token' ? { [TOKEN_HEADER]: bootstrap('refresh-token') } : {}),
      },
      body: JSON.stringify({ scope }),
      cache: 'no-store',
    })
    if (answer.status === 202) {
      sessionStorage.removeItem(RELOADED)
      awaited = ((await answer.json()) as { readonly startedAt: string }).startedAt
      pollNow()
      return
    }
    asking.value = false
    if (answer.status === 401) return reloadOnce()
    const { refreshErrors } = strings
    const texts: Readonly<Record<number, string>> = refreshErrors
    say(texts[answer.status] ?? refreshErrors.other(answer.status), false)
  } catch {
    asking.value = false
    say(strings.refreshErrors.offline, false)
  }
}

/** A token is of one process; a new page has the one of now. */
function reloadOnce(): void {
  if (sessionStorage.getItem(RELOADED) !== null) {
    say(strings.refreshErrors.stillRefused, false)
    return
  }
  sessionStorage.setItem(RELOADED, 'yes')
  say(strings.refreshErrors[401], false)
  setTimeout(() => location.reload(), RELOAD_MS)
}

function say(text: string, isGood: boolean): void {
  outcome.value = { text, isGood }
  clearTimeout(forgetting)
  forgetting = setTimeout(() => {
    outcome.value = null
  }, OUTCOME_MS)
}

effect(() => {
  hurried.value = asking.value
})

effect(() => {
  const run = status.value?.summary.manualRefresh
  if (
    run === undefined ||
    awaited === null ||
    run.startedAt === null ||
    Date.parse(run.startedAt) < Date.parse(awaited)
  )
    return
  asking.value = false
  if (run.status === 'running') return
  awaited = null
  const good = run.done - run.failed
  const isProbe = run.scope === 'disabled-diagnostics'
  if (run.status === 'completed')
    say(isProbe ? strings.probed(good) : strings.refreshed(good), true)
  else if (run.status === 'partial')
    say(
      isProbe ? strings.probedSome(good, run.failed) : strings.refreshedSome(good, run.failed),
      false,
    )
  else say(strings.refreshFailed(run.error), false)
})
