import { strings } from '../words/strings.ts'
import { health, status } from './live-data.ts'
import { files } from './pool.ts'

/** A condition for the page to have something to show. */
export interface SetUpStep {
  readonly id: 'gateway' | 'key' | 'accounts' | 'quota' | 'history'
  /** `later` depends on an earlier step; `optional` may be skipped. */
  readonly state: 'done' | 'wrong' | 'waiting' | 'later' | 'optional'
  /** The problem in the monitor's words; empty if nothing is wrong. */
  readonly summary: string
  /** The remedy; null if there is none. */
  readonly remedy: string | null
  /** Code of the action about the problem; absent if there is none. */
  readonly code?: string | undefined
  /** Configured address of the proxy, if nothing answers there; otherwise absent. */
  readonly address?: string | undefined
}

type HealthItem = NonNullable<typeof health.value>['sources'][number]

/** Actions about problems with the management key. */
const KEY_CODES: ReadonlySet<string> = new Set([
  'management_key_missing',
  'management_key_unreadable',
  'management_key_refused',
  'management_banned',
])

/** All steps with their state, in the order they are needed. */
export function setUpSteps(): readonly SetUpStep[] {
  const key = keyStep()
  const { address } = sourceOf('accounts') ?? {}
  const proxy = isProxySilent()
    ? { ...sourceStep('accounts', 'gateway'), address }
    : sourceStep('gateway')
  const accounts = key.state === 'wrong' || isProxySilent() ? laterStep('accounts') : accountsStep()
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

/** Whether the proxy does not answer at all: then its address is probably wrong, and no list can be read. */
function isProxySilent(): boolean {
  const [gateway, accounts] = [sourceOf('gateway'), sourceOf('accounts')]
  return gateway?.code === 'unreachable' && accounts?.code === 'unreachable'
}

function accountsStep(): SetUpStep {
  const step = sourceStep('accounts')
  const isEmpty = step.state === 'done' && files.value.length === 0
  return isEmpty ? { ...step, state: 'wrong', summary: strings.noAccounts } : step
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
  // With several proxies each has its own sources. The shown proxy's count, else the first proxy's.
  return health.value?.sources.find((source) => source.id?.split('@')[0] === id)
}
