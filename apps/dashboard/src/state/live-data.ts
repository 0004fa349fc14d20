import { batch, computed, effect, signal } from '@preact/signals'
import type { Health, StatusSnapshot } from '@svc/views'
import { afterSteps, MisfitError, type StatusStep, statusVersionIn } from '@svc/views/changes'
import type { Zone } from '@svc/views/format'
import { createZone } from '../words/times.ts'
import { chosenUpstream, kiosk, theme } from './display-state.ts'

export type PoolAccount = StatusSnapshot['tabs']['pool']['accounts'][number]
export type PoolWindow = PoolAccount['windows'][number]

/** How the talk with the monitor goes. Times are this browser's. */
export interface Connection {
  /** First of the failures in a row; null while it answers. */
  readonly failingSinceMs: number | null
  readonly lastAnswerMs: number | null
  readonly nextTryMs: number
}

/** What is shown: of all proxies, or of the one that is chosen. */
export const status = signal<StatusSnapshot | null>(null)
/** The status of all proxies while one of them is shown alone; null while all of them are. */
export const wholeStatus = signal<StatusSnapshot | null>(null)
/** The proxy that the status is of; empty for all of them. It is the chosen one as soon as that has answered. */
export const shownUpstream = signal('')
export const health = signal<Health | null>(null)
export const connection = signal<Connection>({
  failingSinceMs: null,
  lastAnswerMs: null,
  nextTryMs: 0,
})
/** The monitor's clock minus this browser's. */
const aheadMs = signal(0)
/** This browser's time, by the second; by the minute where a ticking clock would smear. */
export const browserMs = signal(Date.now())
export const serverMs = computed(() => browserMs.value + aheadMs.value)
/** The same by steps of 15 s, for what is shown in minutes. */
export const calmMs = computed(() => Math.floor(serverMs.value / 15_000) * 15_000)

const statusTakenMs = signal(Date.now())
/** How long ago the status was made, by steps of 15 s; what it tells in seconds has come nearer by as much. */
export const elapsedSeconds = computed(
  () => Math.floor(Math.max(0, browserMs.value - statusTakenMs.value) / 15_000) * 15,
)

/** Whether the monitor has not answered for longer than it is asked. */
export const isSilent = computed(() => {
  const { failingSinceMs, lastAnswerMs } = connection.value
  if (failingSinceMs === null) return false
  if (lastAnswerMs === null) return true
  const nowMs = browserMs.value
  return nowMs - lastAnswerMs >= SILENT_MS && nowMs - failingSinceMs >= FAILING_MS
})

/** The instant that the numbers are of: now, or that of the last answer once the monitor is silent. */
export const shownMs = computed(() => {
  const { lastAnswerMs } = connection.value
  if (!isSilent.value || lastAnswerMs === null) return calmMs.value
  return Math.floor((lastAnswerMs + aheadMs.value) / 15_000) * 15_000
})

const zoneName = computed(() => status.value?.displayTimezone ?? 'UTC')
export const zone = computed<Zone>(() => createZone(zoneName.value))

/** Something is awaited that will show in the status any moment. */
export const hurried = signal(false)

const PERIOD_MS = 5_000
/** A page that nobody looks at is there for its title. */
const HIDDEN_PERIOD_MS = 60_000
/** A single missed answer is no news: so long nothing has come, and so long nothing comes when it is asked for. */
const SILENT_MS = 8_000
const FAILING_MS = 3_000
const RUNNING_PERIOD_MS = 1_000
const BACKOFF_MS_MAX = 60_000
/** Nobody presses "Try now" on a wall. */
const KIOSK_BACKOFF_MS_MAX = 15_000
const TIMEOUT_MS = 15_000
/** Reading and showing may take at most one part in this many of the time, however large the pool. */
const REST_PER_COST = 20

interface Source {
  readonly path: () => string
  readonly take: (body: unknown) => void
  /** What is shown, where the monitor can be asked for the changes since then. */
  readonly held?: () => unknown
  /** Of the answer that is shown; null where the next one is to be whole. */
  etag: string | null
}

/** What is answered instead of a status to who names the version they have. */
interface Changes {
  readonly since: string
  readonly etag: string
  readonly steps: readonly StatusStep[]
}

const sources: readonly Source[] = [
  {
    path: () => '/api/v1/status',
    etag: null,
    held: () => wholeStatus.value ?? status.value,
    take: (body) => {
      if (chosenUpstream.value === '') show(body as StatusSnapshot, '')
      else wholeStatus.value = body as StatusSnapshot
    },
  },
  {
    path: () => '/api/v1/health',
    etag: null,
    held: () => health.value,
    take: (body) => {
      health.value = body as Health
    },
  },
]

/** One proxy alone, of which there is no list of changes. */
const atUpstream: Source = {
  path: () => `/api/v1/status?upstream=${chosenUpstream.value}`,
  etag: null,
  take: (body) => show(body as StatusSnapshot, chosenUpstream.value),
}

function show(next: StatusSnapshot, upstream: string): void {
  batch(() => {
    status.value = next
    shownUpstream.value = upstream
    statusTakenMs.value = Date.now()
  })
}

/** Follows the choice of a proxy: what is shown of all of them is there at once, what is of one is asked for. */
function followChoice(): void {
  effect(() => {
    const isOne = chosenUpstream.value !== ''
    atUpstream.etag = null
    const whole = wholeStatus.peek() ?? status.peek()
    if (whole === null) return
    if (isOne) {
      wholeStatus.value = whole
      pollNow()
      return
    }
    batch(() => {
      show(whole, '')
      wholeStatus.value = null
    })
  })
}

let timer: ReturnType<typeof setTimeout> | undefined
let polling = false
let failures = 0
/** Something else is to be asked for than what is being asked for. */
let isOutdated = false

/** Begins to follow the monitor, once a minute while nobody looks. Resolves once it has answered, or has not. */
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

/** Asks at once, and goes on from there. */
export function pollNow(): void {
  clearTimeout(timer)
  if (polling) isOutdated = true
  else void poll()
}

async function poll(): Promise<void> {
  polling = true
  isOutdated = false
  const startedMs = performance.now()
  let restMs: number
  try {
    await Promise.all([...sources, ...(chosenUpstream.value === '' ? [] : [atUpstream])].map(ask))
    failures = 0
    const costMs = performance.now() - startedMs
    restMs = restAfter(costMs)
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
  browserMs.value = Date.now()
  clearTimeout(timer)
  timer = setTimeout(() => void poll(), isOutdated ? 0 : restMs)
}

/** Longer with each failure in a row, and spread, so that many pages do not ask at once. */
function restAfterFailure(): number {
  const restMs = Math.min(BACKOFF_MS_MAX, 1000 * 2 ** failures) * (0.8 + Math.random() * 0.4)
  return kiosk.value === '' ? restMs : Math.min(KIOSK_BACKOFF_MS_MAX, restMs)
}

/** How long to wait after an answer that took this long to be read and shown. */
function restAfter(costMs: number): number {
  if (document.hidden) return HIDDEN_PERIOD_MS
  const isHurried = hurried.value || status.value?.summary.manualRefresh.status === 'running'
  return isHurried ? RUNNING_PERIOD_MS : Math.max(PERIOD_MS, costMs * REST_PER_COST)
}

async function ask(source: Source): Promise<void> {
  const { etag, held } = source
  const path = source.path()
  // Also with no version: so the monitor knows from the first answer on that changes will be asked for.
  const query = held === undefined ? '' : `?since=${etag === null ? '' : statusVersionIn(etag)}`
  const answer = await fetch(path + query, {
    headers: etag === null ? {} : { 'If-None-Match': etag },
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const date = Date.parse(answer.headers.get('Date') ?? '')
  // The header has whole seconds only.
  if (Number.isFinite(date) && Math.abs(date - Date.now() - aheadMs.value) > 2_000)
    aheadMs.value = date - Date.now()
  // Another proxy was chosen meanwhile.
  if (source.path() !== path || answer.status === 304) return
  if (source === atUpstream && answer.status === 404) {
    // It is watched no longer, or by another name.
    chosenUpstream.value = ''
    return
  }
  if (!answer.ok) throw new Error(`status ${answer.status}`)
  const body: unknown = await answer.json()
  if (source.path() !== path) return
  if (etag === null || held === undefined || !isChanges(body)) {
    source.take(body)
    source.etag = answer.headers.get('ETag')
    return
  }
  const next = body.since === statusVersionIn(etag) ? afterChanges(held(), body) : null
  // Of another version than the one that is shown: the whole answer mends it.
  source.etag = next === null ? null : `"${body.etag}"`
  if (next === null) return ask(source)
  source.take(next)
}

function isChanges(body: unknown): body is Changes {
  return typeof body === 'object' && body !== null && 'since' in body
}

/** Null where the changes do not fit what is shown. */
function afterChanges(shown: unknown, { steps }: Changes): unknown {
  try {
    return afterSteps(shown, steps)
  } catch (error) {
    if (error instanceof MisfitError) return null
    throw error
  }
}
