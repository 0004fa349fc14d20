import { type EpochMs, epochMs } from '@svc/core'
import {
  BAN_SECONDS,
  type Log,
  parseHttpDate,
  RETRY_AFTER_SECONDS_MIN,
  type Redacted,
  retryAfterSecondsOf,
} from '@svc/core/service'
import { isRefusedRefresh, parseGoDuration } from '../wire/wire-fields.ts'
import { dropBody, parseJson, passJson, readBodyText, readJson } from './answer-body.ts'
import { createOwnSecrets, type OwnSecrets } from './own-secrets.ts'
import { type CallLimits, type RequestDeps, sendRequest, type UpstreamRequest } from './request.ts'
import { UpstreamError } from './upstream-error.ts'

export interface UpstreamDeps extends RequestDeps {
  /** Called with the proxy's clock for every answer of the management API that has a date. */
  readonly onProxyTime?: (proxyNow: EpochMs) => void
  /** Logs every call and its result; absent for no log. */
  readonly log?: Pick<Log, 'debug'>
  /** Secrets replaced in every answer; each key is added once sent. Absent: only the sent keys. */
  readonly ownSecrets?: OwnSecrets
}

export interface ManagementCall extends CallLimits {
  readonly key: Redacted
  readonly bytesMax: number
}

/** Time of an answer on both clocks. */
export interface AnswerTimes {
  readonly receivedAt: EpochMs
  /** The proxy's clock at the answer, in whole seconds; null if the answer has no date. */
  readonly proxyNow: EpochMs | null
}

/** A JSON answer of the management API. */
export interface ManagementAnswer extends AnswerTimes {
  readonly body: unknown
}

/** Facts about the proxy from the headers of its answers. */
export interface ProxyFacts {
  readonly version: string | null
  /** Whether this build of the proxy can load plugins; null for a build from before plugins existed. */
  readonly loadsPlugins: boolean | null
  /** The proxy's clock minus ours, in whole seconds; null before the first answer. */
  readonly clockSkewSeconds: number | null
}

/** Calls the management API below `upstreamUrl` and nothing else. Throws UpstreamError unless the answer is JSON with a 2xx status. */
export function createUpstreamClient(
  upstreamUrl: string,
  { clock, fetch, onProxyTime, log, ownSecrets = createOwnSecrets() }: UpstreamDeps,
) {
  const baseUrl = `${upstreamUrl.replace(/\/+$/, '')}/v0/management/`
  let facts: ProxyFacts = { version: null, loadsPlugins: null, clockSkewSeconds: null }

  const timesOf = async (response: Response): Promise<AnswerTimes> => {
    const receivedAt = clock.now()
    const proxyNow = parseHttpDate(response.headers.get('date'))
    if (proxyNow !== null) onProxyTime?.(proxyNow)
    facts = {
      version: versionOf(response.headers) ?? facts.version,
      loadsPlugins: loadsPluginsOf(response.headers) ?? facts.loadsPlugins,
      clockSkewSeconds:
        proxyNow === null ? facts.clockSkewSeconds : skewSeconds(proxyNow, receivedAt),
    }
    if (!response.ok) throw await refusalOf(response, receivedAt)
    return { receivedAt, proxyNow }
  }

  const send = async <Answer extends AnswerTimes>(
    path: string,
    { key, seconds, stop }: ManagementCall,
    request: Pick<UpstreamRequest<Answer>, 'json' | 'attemptsMax' | 'read'>,
  ): Promise<Answer> => {
    const startedMs = clock.monotonicMs()
    const note = (result: string) => {
      const [endpoint = ''] = path.split('?')
      log?.debug('proxy asked', {
        endpoint,
        result,
        ms: Math.round(clock.monotonicMs() - startedMs),
      })
    }
    try {
      const answer = await sendRequest(
        {
          ...request,
          url: baseUrl + path,
          headers: { accept: 'application/json', authorization: `Bearer ${key.reveal()}` },
          redirect: 'error',
          seconds,
          stop,
        },
        { clock, fetch },
      )
      note('ok')
      return answer
    } catch (error) {
      note(error instanceof UpstreamError ? error.code : 'failed')
      throw error
    }
  }

  const readAnswer =
    ({ key, bytesMax }: ManagementCall) =>
    async (response: Response): Promise<ManagementAnswer> => {
      const times = await timesOf(response)
      const body = await readJson(response, bytesMax)
      ownSecrets.add(key)
      await ownSecrets.replaceIn(body)
      return { ...times, body }
    }

  return {
    /** Sends a GET for a list, repeated once if the connection closed before the answer began. Throws UpstreamError. */
    get: (path: string, call: ManagementCall): Promise<ManagementAnswer> =>
      send(path, call, { attemptsMax: 2, read: readAnswer(call) }),
    /** Sends a GET and passes its JSON on unparsed, in chunks. Never repeated, because the proxy may delete what it returns. Throws UpstreamError. */
    take: (
      path: string,
      call: ManagementCall,
      chunk: (bytes: Uint8Array) => void,
    ): Promise<AnswerTimes> =>
      send(path, call, {
        attemptsMax: 1,
        async read(response) {
          const times = await timesOf(response)
          await passJson(response, call.bytesMax, chunk)
          return times
        },
      }),
    /** Sends a POST, never repeated. Throws UpstreamError. */
    post: (path: string, json: object, call: ManagementCall): Promise<ManagementAnswer> =>
      send(path, call, { json, attemptsMax: 1, read: readAnswer(call) }),
    facts: (): ProxyFacts => facts,
  }
}

export type UpstreamClient = ReturnType<typeof createUpstreamClient>

/**
 * Skew in seconds, rounded up. A `Date` header is cut to whole seconds, so equal clocks seem up to a second apart; rounding up makes their skew 0.
 */
function skewSeconds(proxyNow: EpochMs, receivedAt: EpochMs): number {
  return Math.ceil((proxyNow - receivedAt) / 1000) + 0
}

const VERSION = /^[\w.+-]{1,64}$/

function versionOf(headers: Headers): string | null {
  const version = headers.get('x-cpa-version') ?? ''
  return VERSION.test(version) ? version : null
}

function loadsPluginsOf(headers: Headers): boolean | null {
  const told = headers.get('x-cpa-support-plugin')
  return told === '1' || told === '0' ? told === '1' : null
}

/** See docs/upstream.md#management-access. */
async function refusalOf(response: Response, receivedAt: EpochMs): Promise<UpstreamError> {
  const { status: httpStatus, headers } = response
  if (httpStatus === 403) return await forbiddenBy(response)
  if (httpStatus === 400) return await badRequestBy(response)
  dropBody(response)
  const retryAfterSeconds = retryAfterSecondsOf(headers, receivedAt)
  if (httpStatus === 401)
    return new UpstreamError('unauthorized', 'the proxy refused the management key', { httpStatus })
  if (httpStatus === 404) {
    return headers.has('x-cpa-version')
      ? new UpstreamError('unsupported', 'the proxy does not have this route', { httpStatus })
      : new UpstreamError('management_disabled', 'no management API at this address', {
          httpStatus,
        })
  }
  if (httpStatus === 429)
    return new UpstreamError('throttled', 'the proxy asks for fewer calls', {
      httpStatus,
      retryAfterSeconds,
    })
  if (httpStatus >= 500)
    return new UpstreamError('server_error', `the proxy answered ${httpStatus}`, {
      httpStatus,
      retryAfterSeconds,
    })
  return new UpstreamError('unexpected_status', `the proxy answered ${httpStatus}`, { httpStatus })
}

/** See docs/upstream.md#forwarded-calls. */
async function badRequestBy(response: Response): Promise<UpstreamError> {
  const saysRefreshFailed = isRefusedRefresh(await errorTextOf(response))
  return new UpstreamError('unexpected_status', 'the proxy answered 400', {
    httpStatus: response.status,
    saysRefreshFailed,
  })
}

const REFUSAL_BYTES_MAX = 4096
const BAN_TEXT = /^IP banned\b.*\bTry again in (\S+?)\.?$/
/** Longest wait for the end of a ban before the next call. */
const BAN_SECONDS_MAX = 24 * 3600

async function forbiddenBy(response: Response): Promise<UpstreamError> {
  const httpStatus = response.status
  const text = await errorTextOf(response)
  if (!text.startsWith('IP banned'))
    return new UpstreamError('forbidden', 'the proxy does not allow management from here', {
      httpStatus,
    })
  const seconds = parseGoDuration(BAN_TEXT.exec(text)?.[1] ?? '') ?? BAN_SECONDS
  const retryAfterSeconds = Math.min(BAN_SECONDS_MAX, Math.max(RETRY_AFTER_SECONDS_MIN, seconds))
  return new UpstreamError('banned', 'the proxy has banned this address', {
    httpStatus,
    retryAfterSeconds,
  })
}

async function errorTextOf(response: Response): Promise<string> {
  try {
    const body = parseJson(await readBodyText(response, REFUSAL_BYTES_MAX))
    return typeof body === 'object' &&
      body !== null &&
      'error' in body &&
      typeof body.error === 'string'
      ? body.error
      : ''
  } catch {
    return ''
  }
}

/** Smaller skews are not corrected: whole-second dates and slow answers cause them as well. */
const SKEW_SECONDS_MIN = 5

/** Converts an instant of the proxy's clock to ours. */
export function onOurClock(instant: EpochMs, clockSkewSeconds: number | null): EpochMs {
  if (clockSkewSeconds === null || Math.abs(clockSkewSeconds) < SKEW_SECONDS_MIN) return instant
  return epochMs(instant - clockSkewSeconds * 1000)
}
