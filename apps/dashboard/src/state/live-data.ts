import { batch, computed, effect, signal, untracked } from '@preact/signals'
import type { Health, StatusSnapshot } from '@svc/views'
import type { Zone } from '@svc/views/format'
import { createZone } from '../words/times.ts'
import { chosenProvider, chosenUpstream, kiosk, theme } from './display-state.ts'

export type PoolAccount = StatusSnapshot['tabs']['pool']['accounts'][number]
export type PoolWindow = PoolAccount['windows'][number]

/** State of the connection to the monitor. Times are this browser's. */
export interface MonitorConnection {
  /** Time of the first failure in a row; null while the monitor answers. */
  readonly failingSinceMs: number | null
  readonly lastAnswerMs: number | null
  readonly nextTryMs: number
}

/** The shown status: of the home provider at all proxies, or of the chosen proxy and provider. */
export const status = signal<StatusSnapshot | null>(null)
/** The status for no choice of proxy or provider, while another one is shown; null otherwise. */
export const wholeStatus = signal<StatusSnapshot | null>(null)
/** Proxy of the shown status; empty for all of them. Follows `chosenUpstream` once its answer has arrived. */
export const shownUpstream = signal('')
/** Provider of the shown status, or `all`; empty for the home provider. Follows `chosenProvider` once its answer has arrived. */
export const shownProvider = signal('')
/** The shown health: of the same accounts as the status, but while another choice is loading. */
export const health = signal<Health | null>(null)
/** Query of the part of the pool that `health` is about; empty for the whole. */
const partOfHealth = signal('')
/** Whether another choice is loading, so that the shown numbers are not yet all those of the choice. */
export const isSwitching = computed(
  () =>
    shownUpstream.value !== chosenUpstream.value ||
    shownProvider.value !== chosenProvider.value ||
    partOfHealth.value !== chosenPart.value,
)
export const wholeHealth = signal<Health | null>(null)
export const connection = signal<MonitorConnection>({
  failingSinceMs: null,
  lastAnswerMs: null,
  nextTryMs: 0,
})
/** The monitor's clock minus this browser's. */
const aheadMs = signal(0)
/** This browser's time, updated every second; every minute on e-ink, where a ticking clock would smear. */
export const browserMs = signal(Date.now())
export const serverMs = computed(() => browserMs.value + aheadMs.value)
/** The monitor's time in steps of 15 s, for texts in minutes. */
export const calmMs = computed(() => Math.floor(serverMs.value / 15_000) * 15_000)

const statusTakenMs = signal(Date.now())
/** Age of the status in steps of 15 s, to be subtracted from its remaining seconds. */
export const elapsedSeconds = computed(
  () => Math.floor(Math.max(0, browserMs.value - statusTakenMs.value) / 15_000) * 15,
)

/** Whether the monitor has been silent for too long. */
export const isSilent = computed(() => {
  const { failingSinceMs, lastAnswerMs } = connection.value
  if (failingSinceMs === null) return false
  if (lastAnswerMs === null) return true
  const nowMs = browserMs.value
  return nowMs - lastAnswerMs >= SILENT_MS && nowMs - failingSinceMs >= FAILING_MS
})

/** Instant of the shown numbers: now, or the last answer once the monitor is silent. */
export const shownMs = computed(() => {
  const { lastAnswerMs } = connection.value
  if (!isSilent.value || lastAnswerMs === null) return calmMs.value
  return Math.floor((lastAnswerMs + aheadMs.value) / 15_000) * 15_000
})

const zoneName = computed(() => status.value?.displayTimezone ?? 'UTC')
export const zone = computed<Zone>(() => createZone(zoneName.value))

/** True while the page waits for a change in the status, so that it asks more often. */
export const hurried = signal(false)

const PERIOD_MS = 5_000
/** Poll interval of a page that follows the events, in milliseconds; polls detect a silent monitor. */
const FOLLOWED_PERIOD_MS = 15_000
/** Poll interval of a hidden page, which still updates its title. */
const HIDDEN_PERIOD_MS = 60_000
/**
 * The monitor counts as silent only after both times, since the last answer and since the first failure, so that one missed answer is not enough. In
 * milliseconds.
 */
const SILENT_MS = 8_000
const FAILING_MS = 3_000
const RUNNING_PERIOD_MS = 1_000
/** Longest wait of a page in view, in milliseconds: a silent monitor has to be noticed. */
const REST_MS_MAX = 60_000
/** Longest wait after failures on a wall display, in milliseconds; shorter, because nobody presses "Try now" there. */
const KIOSK_BACKOFF_MS_MAX = 15_000
const TIMEOUT_MS = 15_000
/** Minimum ratio of the poll interval to the time for reading and drawing an answer, up to the longest wait. */
const REST_PER_COST = 20

interface Source {
  readonly path: () => string
  readonly take: (body: unknown) => void
  /** ETag of the shown answer; null without one. */
  etag: string | null
}

const sources: readonly Source[] = [
  {
    path: () => '/api/v1/status',
    etag: null,
    take: (body) => {
      if (chosenPart.value === '') show(body as StatusSnapshot)
      else wholeStatus.value = body as StatusSnapshot
      dropPointlessProvider()
    },
  },
  {
    path: () => '/api/v1/health',
    etag: null,
    take: (body) => {
      if (chosenPart.value === '') showHealth(body as Health)
      else wholeHealth.value = body as Health
    },
  },
]

/** Query for the chosen part of the pool; empty if nothing is chosen. */
export const chosenPart = computed(() => {
  const query = new URLSearchParams()
  if (chosenUpstream.value !== '') query.set('upstream', chosenUpstream.value)
  if (chosenProvider.value !== '') query.set('provider', chosenProvider.value)
  return query.toString()
})

/** Sources about the chosen part. */
const ofPart: readonly Source[] = [
  {
    path: () => `/api/v1/status?${chosenPart.value}`,
    etag: null,
    take: (body) => show(body as StatusSnapshot),
  },
  {
    path: () => `/api/v1/health?${chosenPart.value}`,
    etag: null,
    take: (body) => showHealth(body as Health),
  },
]

function showHealth(next: Health | null): void {
  health.value = next
  partOfHealth.value = chosenPart.value
}

function show(next: StatusSnapshot): void {
  batch(() => {
    status.value = next
    shownUpstream.value = chosenUpstream.value
    shownProvider.value = chosenProvider.value
    statusTakenMs.value = Date.now()
  })
}

/** Value of `chosenProvider` for the accounts of every provider. */
export const EVERY_PROVIDER = 'all'

/** Resets the choice of a provider that changes nothing, or that has left the pool, because the page might offer no way back. */
function dropPointlessProvider(): void {
  const { available, recommendations } = wholeStatus.value ?? status.value ?? {}
  const { pools = [], provider: home } = recommendations ?? {}
  const chosen = chosenProvider.value
  if (available !== true || chosen === '') return
  const isChoice =
    chosen === EVERY_PROVIDER
      ? pools.length > 1
      : chosen !== home && pools.some(({ provider }) => provider === chosen)
  if (!isChoice) chosenProvider.value = ''
}

/** Follows the choices. The status without a choice is already loaded; that of a part is requested. */
function followChoice(): void {
  effect(() => {
    const isPart = chosenPart.value !== ''
    for (const source of ofPart) source.etag = null
    const whole = wholeStatus.peek() ?? status.peek()
    if (whole === null) return
    if (isPart) {
      wholeStatus.value = whole
      wholeHealth.value = wholeHealth.peek() ?? health.peek()
      untracked(dropPointlessProvider)
      isPartDue = chosenPart.peek() !== ''
      if (isPartDue) pollNow()
      return
    }
    batch(() => {
      show(whole)
      showHealth(wholeHealth.peek() ?? health.peek())
      wholeStatus.value = null
      wholeHealth.value = null
    })
  })
}

let timer: ReturnType<typeof setTimeout> | undefined
let polling = false
let failures = 0
/** True if the running request no longer matches the choice; the next one then follows at once. */
let isOutdated = false
/** Whether the chosen part has not been requested yet. The next poll requests it alone, because the whole is known already. */
let isPartDue = false
/** Whether the monitor announces new versions of the status. */
let isFollowed = false
/** True if the monitor has announced a version that is not shown yet. */
let isBehind = false
/** Time of the end of the last poll, and duration of reading and drawing the last answer, in milliseconds. */
let endedMs = 0
let costMs = 0

/** Starts to poll the monitor, once a minute while the page is hidden. Resolves after the first answer or failure. */
export function followMonitor(): Promise<void> {
  followChoice()
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) pollNow()
  })
  setInterval(() => {
    const calm = theme.value === 'eink'
    if (!document.hidden && (!calm || Date.now() - browserMs.value >= 60_000))
      browserMs.value = Date.now()
  }, 1000)
  return poll()
}

/** Polls at once; the next wait starts afterwards. */
export function pollNow(): void {
  clearTimeout(timer)
  if (polling) isOutdated = true
  else void poll()
}

/**
 * Notes the status version that the monitor announced, and polls for it as soon as the drawing interval allows; undefined once the event stream has
 * ended.
 */
export function noteStatusVersion(told?: string | null): void {
  isFollowed = told !== undefined
  isBehind = isFollowed && !sources[0]?.etag?.startsWith(`"${told}`)
  // A request for another choice is due at once.
  if (!polling && !isOutdated && failures === 0) pollIn(endedMs + restAfter() - Date.now())
}

function pollIn(milliseconds: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void poll(), milliseconds)
}

async function poll(): Promise<void> {
  polling = true
  const part = chosenPart.value === '' ? [] : ofPart
  const isSwitch = isPartDue && part.length > 0
  const asked = isSwitch ? [] : sources
  isOutdated = isPartDue = false
  isBehind &&= asked.length === 0
  const startedMs = performance.now()
  let restMs: number
  try {
    await Promise.all([askTogether(asked), isSwitch ? askInTurn(part) : askTogether(part)])
    failures = 0
    costMs = performance.now() - startedMs
    restMs = restAfter()
    connection.value = {
      failingSinceMs: null,
      lastAnswerMs: Date.now(),
      nextTryMs: Date.now() + restMs,
    }
  } catch {
    failures += 1
    restMs = restAfterFailure()
    const { failingSinceMs, lastAnswerMs } = connection.value
    connection.value = {
      failingSinceMs: failingSinceMs ?? Date.now(),
      lastAnswerMs,
      nextTryMs: Date.now() + restMs,
    }
  }
  polling = false
  browserMs.value = endedMs = Date.now()
  pollIn(isOutdated ? 0 : restMs)
}

/** Wait after a failure. Doubles with each failure in a row, and is randomised so that many pages do not poll at once. */
function restAfterFailure(): number {
  const restMs = Math.min(REST_MS_MAX, 1000 * 2 ** failures) * (0.8 + Math.random() * 0.4)
  return kiosk.value === '' ? restMs : Math.min(KIOSK_BACKOFF_MS_MAX, restMs)
}

/** Wait after an answer, which grows with its cost. */
function restAfter(): number {
  if (document.hidden) return HIDDEN_PERIOD_MS
  const isHurried = hurried.value || status.value?.summary.manualRefresh.status === 'running'
  if (isHurried) return RUNNING_PERIOD_MS
  const periodMs = isBehind ? RUNNING_PERIOD_MS : isFollowed ? FOLLOWED_PERIOD_MS : PERIOD_MS
  return Math.max(periodMs, Math.min(REST_MS_MAX, costMs * REST_PER_COST))
}

/** Shows the answers of these sources at once, because each time that a large table is drawn takes long. Throws after that if one is missing. */
async function askTogether(asked: readonly Source[]): Promise<void> {
  const answers = await Promise.allSettled(asked.map(ask))
  batch(() => {
    for (const answer of answers) if (answer.status === 'fulfilled') answer.value()
  })
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason
}

/** Shows each answer as soon as those before it are shown: a switch waits for the numbers, not for what is wrong. */
async function askInTurn(asked: readonly Source[]): Promise<void> {
  const answers = asked.map(ask)
  try {
    for (const answer of answers) batch(await answer)
  } finally {
    await Promise.allSettled(answers)
  }
}

/** Resolves with a function that shows the answer, or does nothing if it is not new. */
async function ask(source: Source): Promise<() => void> {
  const { etag } = source
  const path = source.path()
  const answer = await fetch(path, {
    headers: etag === null ? {} : { 'If-None-Match': etag },
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const date = Date.parse(answer.headers.get('Date') ?? '')
  // The Date header has only whole seconds.
  if (Number.isFinite(date) && Math.abs(date - Date.now() - aheadMs.value) > 2_000)
    aheadMs.value = date - Date.now()
  // Another part was chosen in the meantime.
  if (source.path() !== path || answer.status === 304) return () => {}
  if (ofPart.includes(source) && (answer.status === 404 || answer.status === 400)) {
    // The proxy was removed or renamed; or the provider was never heard of.
    const choice = answer.status === 404 ? chosenUpstream : chosenProvider
    return () => {
      choice.value = ''
    }
  }
  if (!answer.ok) throw new Error(`status ${answer.status}`)
  const body: unknown = await answer.json()
  return () => {
    if (source.path() !== path) return
    source.take(body)
    source.etag = answer.headers.get('ETag')
  }
}
