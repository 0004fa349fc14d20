import { strings } from '../words/strings.ts'
import { shownSources } from './fleet.ts'
import { health, status } from './live-data.ts'

/** One thing that must be in place before the page has something to show. */
export interface SetUpStep {
  readonly id: 'gateway' | 'key' | 'accounts' | 'quota' | 'history'
  /** `later` waits for a step before it; `optional` may stay as it is. */
  readonly state: 'done' | 'wrong' | 'waiting' | 'later' | 'optional'
  /** What is the case, as the monitor words it; empty where nothing is wrong. */
  readonly summary: string
  /** What to do; null for nothing. */
  readonly remedy: string | null
  /** The code of the action that says what is wrong; undefined where none does. */
  readonly code?: string | undefined
}

type HealthItem = NonNullable<typeof health.value>['sources'][number]

/** Actions that say what is wrong with the management key. */
const KEY_CODES: ReadonlySet<string> = new Set([
  'management_key_missing',
  'management_key_unreadable',
  'management_key_refused',
  'management_banned',
])

/** What is in place and what is missing, in the order in which it is needed. */
export function setUpSteps(): readonly SetUpStep[] {
  const key = keyStep()
  const proxy = isProxySilent() ? sourceStep('accounts', 'gateway') : sourceStep('gateway')
  const accounts =
    key.state === 'wrong' || isProxySilent() ? laterStep('accounts') : sourceStep('accounts')
  const quota = accounts.state === 'done' ? sourceStep('direct_quota', 'quota') : laterStep('quota')
  const history = sourceStep('history')
  return [
    proxy,
    key,
    accounts,
    quota,
    history.state === 'later' ? { ...history, state: 'optional' } : history,
  ]
}

/** Whether nothing of the proxy answers: then its address is wrong, and no list can be read. */
function isProxySilent(): boolean {
  const [gateway, accounts] = [sourceOf('gateway'), sourceOf('accounts')]
  return gateway?.code === 'unreachable' && accounts?.code === 'unreachable'
}

function keyStep(): SetUpStep {
  const action = health.value?.actions.find(({ code }) => KEY_CODES.has(code ?? ''))
  if (action !== undefined) return { ...stepOf('key', 'wrong', action), code: action.code }
  const isRead = status.value?.available === true || sourceOf('accounts')?.code === 'ok'
  return { id: 'key', state: isRead ? 'done' : 'waiting', summary: '', remedy: null }
}

function sourceStep(source: string, id = source as SetUpStep['id']): SetUpStep {
  const item = sourceOf(source)
  if (item === undefined) return { id, state: 'waiting', summary: '', remedy: null }
  switch (item.code) {
    case 'ok':
    case 'degraded':
      return { id, state: 'done', summary: '', remedy: null }
    case 'off':
      return stepOf(id, 'later', item)
    case 'pending':
      return { id, state: 'waiting', summary: item.summary, remedy: null }
    default:
      return stepOf(id, 'wrong', item)
  }
}

function laterStep(id: SetUpStep['id']): SetUpStep {
  return { id, state: 'later', summary: '', remedy: null }
}

function stepOf(
  id: SetUpStep['id'],
  state: SetUpStep['state'],
  { summary, detail, note }: Pick<HealthItem, 'summary' | 'detail' | 'note'>,
): SetUpStep {
  const sentences = [summary, detail].filter((part) => part !== undefined)
  return { id, state, summary: sentences.join(strings.gap), remedy: note ?? null }
}

function sourceOf(id: string): HealthItem | undefined {
  // Of several proxies each names its own; the one that is shown says what its set-up lacks, else the first.
  return shownSources.value.find((source) => source.id?.split('@')[0] === id)
}
