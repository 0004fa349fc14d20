import { readText } from '@svc/client'
import { type Config, isDatabaseAddress, serviceUrl, upstreamsOf } from '@svc/config'
import { type EpochMs, parseInstant, type Tone } from '@svc/core'
import { type SchedulerState, schedulerStates } from '@svc/core/service'
import { printable } from '@svc/views/format'
import { actionConditions } from '@svc/views/messages'
import { type CheckVerdict, ok, skip, warn } from './finding.ts'

/** State that a running service reports about itself. */
export interface RunningService {
  readonly state: Tone
  readonly summary: string
  /** Codes of the open actions; null from an older version, which does not report them. */
  readonly actionCodes: readonly string[] | null
  /** Last request of each proxy's scheduler; empty before the first. `upstream` is null if the scheduler named no proxy. */
  readonly schedulers: readonly {
    readonly upstream: string | null
    readonly askedAt: EpochMs
    /** State of the scheduler; null from an older version, which does not report it. */
    readonly state: SchedulerState | null
  }[]
  /** Web pages of the watched proxies, empty in the demo; null from a version that does not list its sources. */
  readonly pages: readonly string[] | null
  /** Whether it was started with a store; null if unknown. */
  readonly hasStore: boolean | null
}

/** Result for a program that listens but does not answer in time, for example a service that hangs. */
export const SILENT = 'silent'
type Asked = RunningService | typeof SILENT | null

const ANSWER_MS_MAX = 2_000
/** Size limit, above the health answer of the largest pool. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024
const SUMMARY_LENGTH_MAX = 1_000
const SLUG = /^[a-z][a-z0-9_]{0,63}$/

/** Queries the program that listens at the address of the service; null if it is no monitor. */
export function runningServiceAt(
  listener: Pick<Config['server'], 'host' | 'port'>,
  fetch: typeof globalThis.fetch,
): Promise<Asked> {
  return monitorAt(serviceUrl(listener), fetch)
}

/** Queries the program at this address; null if it is no monitor. */
export async function monitorAt(url: string, fetch: typeof globalThis.fetch): Promise<Asked> {
  const base = url.replace(/\/+$/, '')
  const alive = await jsonAt(`${base}/healthz`, fetch)
  if (alive === SILENT || alive?.ok !== true) return alive === SILENT ? SILENT : null
  const health = await jsonAt(`${base}/api/v1/health`, fetch)
  if (health === SILENT) return SILENT
  if (health === null || !Array.isArray(health.actions)) return null
  const sources = Array.isArray(health.sources) ? health.sources.filter(isObject) : null
  const store = sources?.find(({ id }) => id === 'history')
  return {
    state: TONES.find((tone) => tone === health.state) ?? 'unknown',
    summary: printable(textIn(health.summary).slice(0, SUMMARY_LENGTH_MAX)),
    actionCodes: actionCodesIn(health.actions),
    schedulers: schedulersIn(health.readers),
    pages: sources?.flatMap(({ pageUrl }) => (typeof pageUrl === 'string' ? pageUrl : [])) ?? null,
    hasStore: store === undefined ? null : store.reason !== 'no_store',
  }
}

/** Reason that a running service is not the one of this configuration; null if there is none. */
export async function strangerReason(
  { pages, hasStore, actionCodes }: RunningService,
  config: Config,
): Promise<string | null> {
  const own = upstreamsOf(config).map(({ upstream }) => upstream.upstreamUiUrl)
  if (pages?.length === 0) return 'it shows the demo'
  if (pages !== null && [...new Set(pages)].sort().join() !== [...new Set(own)].sort().join())
    return 'it watches another proxy'
  const { stateDb } = config.history
  if (stateDb === null || hasStore === null) return null
  if (!hasStore) return 'it keeps no history'
  const isOpen = isDatabaseAddress(stateDb) || actionCodes?.includes('history_failing') !== false
  return isOpen || (await isHeld(stateDb)) ? null : 'it keeps another history'
}

/** Whether a process holds a store file; true also if that is unknown. */
async function isHeld(path: string): Promise<boolean> {
  const { HistoryError, isStoreLocked } = await import('@svc/history')
  try {
    return isStoreLocked(path)
  } catch (error) {
    if (error instanceof HistoryError) return true
    throw error
  }
}

const TONES: readonly Tone[] = ['good', 'warn', 'bad', 'unknown']

function actionCodesIn(actions: readonly unknown[]): readonly string[] | null {
  const codes = actions.map((action) =>
    typeof action === 'object' && action !== null && 'code' in action ? action.code : null,
  )
  const isSlug = (code: unknown) => typeof code === 'string' && SLUG.test(code)
  return codes.every(isSlug) ? [...new Set(codes.map(textIn))] : null
}

const textIn = (value: unknown) => (typeof value === 'string' ? value : '')

function schedulersIn(readers: unknown): RunningService['schedulers'] {
  if (!Array.isArray(readers)) return []
  return readers.flatMap((reader: Partial<Record<string, unknown>> | null) => {
    const askedAt = parseInstant(textIn(reader?.askedAt))
    if (reader?.name !== 'scheduler' || askedAt === null) return []
    const upstream = typeof reader.upstream === 'string' ? reader.upstream : null
    const state = schedulerStates.find((known) => known === reader.state) ?? null
    return [{ upstream, askedAt, state }]
  })
}

async function jsonAt(url: string, fetch: typeof globalThis.fetch) {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX)
    const answer = await fetch(url, { redirect: 'error', signal })
    const text = await readText(answer.body, ANSWER_BYTES_MAX, signal)
    const document: unknown = JSON.parse(text ?? '')
    return isObject(document) ? document : null
  } catch (error) {
    return error instanceof Error && error.name === 'TimeoutError' ? SILENT : null
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Summarises the running service's own report in one line. */
export function serviceVerdict(service: RunningService | null): CheckVerdict {
  if (service === null) return skip('the service is not running', 'not_running')
  const { state, summary, actionCodes } = service
  const codes =
    actionCodes === null || actionCodes.length === 0 ? '' : ` (${actionCodes.join(', ')})`
  const detail = `it reports ${state}: ${summary}${codes}`
  return state === 'good' || state === 'unknown'
    ? ok(detail, state)
    : warn(state, detail, 'Its Health page, or /api/v1/health, says what to do.')
}

/** Verdict on another reader of the queue. Only the process that reads the queue can notice missing records, so doctor uses the service's report. */
export function rivalVerdict(service: RunningService | null): CheckVerdict {
  if (service === null)
    return skip(
      'only the running service can tell: it reads the queue, this check does not',
      'not_running',
    )
  if (service.actionCodes === null)
    return skip('the running service is older than this program and does not say', 'not_told')
  return service.actionCodes.includes('usage_rival')
    ? warn(
        'usage_rival',
        'the proxy counts more requests than its queue hands to the service: another program seems to read it',
        actionConditions.usage_rival.remedy,
      )
    : ok('none is suspected')
}
