import type { HealthItem } from '@svc/views'
import { TryNow } from '../parts/button.tsx'
import { Command } from '../parts/copy.tsx'
import { ToneIcon } from '../parts/icon.tsx'
import { Coded, Remedy, shown } from '../parts/text.tsx'
import { KEY_REFUSED, TryKey } from '../parts/try-key.tsx'
import { connection, health, status } from '../state/live-data.ts'
import { files } from '../state/pool.ts'
import { viewHref } from '../state/route.ts'
import { setUpWords as words } from '../words/set-up-words.ts'
import { strings } from '../words/strings.ts'
import './set-up.css'

const TONES: Readonly<Record<SetUpStep['state'], string>> = {
  done: 'good',
  wrong: 'bad',
  waiting: 'wait',
  later: 'unknown',
  optional: 'off',
}

const KEY_MISSING = 'management_key_missing'

/** Steps to take before the page has something to show, with their state and remedies; nothing until the first answer has come or failed. */
export function SetUp() {
  if (status.value === null && connection.value.failingSinceMs === null) return null
  const steps = setUpSteps()
  // The monitor does not query the proxy while the key is wrong.
  const isKeyWrong = steps.some(({ id, state }) => id === 'key' && state === 'wrong')
  // Polling the monitor again would not help: the key must be tried.
  const isKeyRefused = steps.some(({ code }) => code === KEY_REFUSED)
  const everySeconds = status.value?.summary.sampleEverySeconds
  const actionCount = health.value?.actionCount ?? 0
  return (
    <section class="set-up" aria-labelledby="title-set-up">
      <h2 id="title-set-up" class="headline">
        {words.title}
      </h2>
      <ol>
        {steps.map((step) => (
          <Step key={step.id} step={step} />
        ))}
      </ol>
      <p>{words.check}</p>
      <Command text={DOCTOR} />
      <Places />
      <p class="again">
        {!isKeyRefused && <TryNow />}
        {everySeconds !== undefined && !isKeyWrong && (
          <span class="dim">{words.again(everySeconds)}</span>
        )}
        {actionCount > 0 && <a href={viewHref('health')}>{words.toHealth}</a>}
      </p>
    </section>
  )
}

/** Call of the program in a clone, and the place of its configuration. */
const Places = () =>
  [words.fromClone, words.whereConfiguration].map((text) => (
    <p key={text} class="dim small">
      <Coded text={text} />
    </p>
  ))

const DOCTOR = 'svc-quota-monitor doctor'

const CONNECT = [
  'svc-quota-monitor init config --upstream-url http://127.0.0.1:8317 --management-key-file management-key > config.toml',
  DOCTOR,
  'svc-quota-monitor',
]

/** Commands that replace the demo by the user's own accounts. */
export function Connect() {
  return (
    <>
      <p>{words.connect}</p>
      {CONNECT.map((command) => (
        <Command key={command} text={command} />
      ))}
      <Places />
    </>
  )
}

/** Lines to copy, for the steps that have one. */
const SETTINGS: Readonly<Record<string, string>> = {
  key: 'management_key_file = "management-key"',
  history: 'state_db = "history.db"',
}
/** Writes the key file so that only its owner can read it. */
const WRITE_KEY = `(umask 077 && printf '%s\\n' "$PROXY_MANAGEMENT_KEY" > management-key)`

function Step({
  step: { id, state, summary, remedy, code, address },
}: {
  readonly step: SetUpStep
}) {
  const isMissing = state === 'wrong' || state === 'optional'
  const isKeyMissing = code === KEY_MISSING
  // A refused key, or a file that cannot be used, is already configured.
  const line =
    id === 'gateway'
      ? address && `upstream_url = "${address}"`
      : id === 'key' && !isKeyMissing
        ? undefined
        : SETTINGS[id]
  return (
    <li class="action">
      <ToneIcon tone={TONES[state]} />
      <div>
        <h3>
          {words.steps[id]} <span class="badge">{words.states[state]}</span>
        </h3>
        {state !== 'later' && summary !== '' && <p>{shown(summary)}</p>}
        {isMissing && remedy !== null && <Remedy note={remedy} />}
        {isMissing && line !== undefined && <Command text={line} />}
        {isKeyMissing && (
          <>
            <p class="small">
              <Coded text={words.whereKey} />
            </p>
            <Command text={WRITE_KEY} />
          </>
        )}
        {code === KEY_REFUSED && <TryKey />}
      </div>
    </li>
  )
}

/** A condition for the page to have something to show. */
interface SetUpStep {
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
