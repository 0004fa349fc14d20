import { type EpochMs, epochMs } from '@svc/core'
import {
  type Log,
  type ManagementRoute,
  managementPath,
  type ProxyGeneration,
  parseHttpDate,
  type Redacted,
  retryAfterSecondsOf,
} from '@svc/core/service'
import { isRecord, isRefusedRefresh, textFrom } from '../wire/wire-fields.ts'
import { dropBody, parseJson, passJson, readBodyText, readJson } from './answer-body.ts'
import { createGenerationMemory } from './generation.ts'
import { createOwnSecrets, type OwnSecrets } from './own-secrets.ts'
import { type CallLimits, type RequestDeps, sendRequest, type UpstreamRequest } from './request.ts'
import type { connectResp, RespConnection } from './resp-connection.ts'
import { banIn, UpstreamError, upstreamErrorOf } from './upstream-error.ts'

export interface UpstreamDeps extends RequestDeps {
  /** Connects by RESP; left out where only HTTP is to be used. */
  readonly connectResp?: typeof connectResp
  /** Called with the proxy's clock for every answer of the management API that has a date. */
  readonly onProxyTime?: (proxyNow: EpochMs) => void
  /** Logs every call and its result; absent for no log. */
  readonly log?: Pick<Log, 'debug'>
  /** Secrets replaced in every answer; each key is added once sent. Absent: only the sent keys. */
  readonly ownSecrets?: OwnSecrets
  /** Generation of the proxy where it is known already. */
  readonly generation?: ProxyGeneration | null
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
  /** Generation of the management API; null before the first account list. */
  readonly generation: ProxyGeneration | null
  /** Whether this build of the proxy can load plugins; null for a build from before plugins existed. */
  readonly loadsPlugins: boolean | null
  /** The proxy's clock minus ours, in whole seconds; null before the first answer. */
  readonly clockSkewSeconds: number | null
}

/** Facts before the first answer. */
export const noProxyFacts: ProxyFacts = {
  version: null,
  generation: null,
  loadsPlugins: null,
  clockSkewSeconds: null,
}

/**
 * Calls the management API below `upstreamUrl` and nothing else, under the generation that the proxy has. Throws UpstreamError unless the answer is
 * JSON with a 2xx status.
 */
export function createUpstreamClient(upstreamUrl: string, deps: UpstreamDeps) {
  const { clock, fetch, onProxyTime, log, ownSecrets = createOwnSecrets(), generation } = deps
  const baseUrl = upstreamUrl.replace(/\/+$/, '')
  const memory = createGenerationMemory(clock, generation)
  let facts = noProxyFacts

  const timesOf = async (response: Response): Promise<AnswerTimes> => {
    const receivedAt = clock.now()
    const proxyNow = parseHttpDate(response.headers.get('date'))
    if (proxyNow !== null) onProxyTime?.(proxyNow)
    facts = {
      ...facts,
      version: versionOf(response.headers) ?? facts.version,
      loadsPlugins: loadsPluginsOf(response.headers) ?? facts.loadsPlugins,
      clockSkewSeconds:
        proxyNow === null ? facts.clockSkewSeconds : skewSeconds(proxyNow, receivedAt),
    }
    const home = response.headers.get('x-cpa-home-version')
    if (home !== null && (response.ok || response.status === 404)) throw homeInstead(response, home)
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
      const [endpoint = ''] = path.replace(MANAGEMENT_ROOT, '').split('?')
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

  /** Sends a call under the generation of the proxy, and under the other one if the call is not there. The failure is that of v0. */
  const sendFor = async <Answer extends AnswerTimes>(
    route: ManagementRoute,
    call: ManagementCall,
    request: (generation: ProxyGeneration) => Parameters<typeof send<Answer>>[2],
    query = '',
  ): Promise<Answer> => {
    const first = memory.first(route, facts.version)
    const sendUnder = async (generation: ProxyGeneration) => {
      const path = managementPath(route, generation)
      if (path === null)
        throw new UpstreamError('unsupported', 'this generation of the proxy has no such route', {
          httpStatus: 404,
          wasSent: false,
          isFromProxy: true,
        })
      const answer = await send(path + query, call, request(generation))
      if (route === 'accounts') memory.learn(generation, { first, version: facts.version })
      return answer
    }
    try {
      return await sendUnder(first)
    } catch (error) {
      const failure = upstreamErrorOf(error)
      if (!memory.isElsewhere(route, { first, version: facts.version }, failure)) throw failure
      if (first === 'v8') return await sendUnder('v0')
      return await sendUnder('v8').catch(() => {
        throw failure
      })
    }
  }

  const readAnswer =
    ({ key, bytesMax }: ManagementCall, route: ManagementRoute, generation: ProxyGeneration) =>
    async (response: Response): Promise<ManagementAnswer> => {
      const times = await timesOf(response)
      const body = await readJson(response, bytesMax)
      // Anything may answer 200 at a path that the proxy does not have.
      if (
        route === 'accounts' &&
        generation === 'v8' &&
        !(isRecord(body) && Array.isArray(body.files))
      )
        throw new UpstreamError('bad_payload', 'the answer is no list of accounts')
      ownSecrets.add(key)
      await ownSecrets.replaceIn(body)
      return { ...times, body }
    }

  return {
    /** Sends a GET for a list, repeated once if the connection closed before the answer began. Throws UpstreamError. */
    get: (
      route: ManagementRoute,
      call: ManagementCall,
      query?: string,
    ): Promise<ManagementAnswer> =>
      sendFor(
        route,
        call,
        (under) => ({ attemptsMax: 2, read: readAnswer(call, route, under) }),
        query,
      ),
    /** Sends a GET and passes its JSON on unparsed, in chunks. Never repeated, because the proxy may delete what it returns. Throws UpstreamError. */
    take: (
      route: ManagementRoute,
      call: ManagementCall,
      chunk: (bytes: Uint8Array) => void,
      query?: string,
    ): Promise<AnswerTimes> =>
      sendFor(
        route,
        call,
        () => ({
          attemptsMax: 1,
          async read(response) {
            const times = await timesOf(response)
            await passJson(response, call.bytesMax, chunk)
            return times
          },
        }),
        query,
      ),
    /** Sends a POST, never repeated. Throws UpstreamError. */
    post: (route: ManagementRoute, json: object, call: ManagementCall): Promise<ManagementAnswer> =>
      sendFor(route, call, (under) => ({
        json,
        attemptsMax: 1,
        read: readAnswer(call, route, under),
      })),
    /** Connects by RESP and shows the key. Throws UpstreamError: `unsupported` where RESP is not to be had. */
    async resp(call: ManagementCall): Promise<RespConnection> {
      if (deps.connectResp !== undefined) return deps.connectResp(upstreamUrl, call, clock)
      throw new UpstreamError('unsupported', 'only HTTP is to be used')
    },
    facts: (): ProxyFacts => ({ ...facts, generation: memory.known() }),
  }
}

export type UpstreamClient = ReturnType<typeof createUpstreamClient>

/**
 * Skew in seconds, rounded up. A `Date` header is cut to whole seconds, so equal clocks seem up to a second apart; rounding up makes their skew 0.
 */
function skewSeconds(proxyNow: EpochMs, receivedAt: EpochMs): number {
  return Math.ceil((proxyNow - receivedAt) / 1000) + 0
}

const MANAGEMENT_ROOT = /^\/v\d+\/management\//
const VERSION = /^[\w.+-]{1,64}$/

function versionOf(headers: Headers): string | null {
  const version = headers.get('x-cpa-version') ?? ''
  return VERSION.test(version) ? version : null
}

function loadsPluginsOf(headers: Headers): boolean | null {
  const told = headers.get('x-cpa-support-plugin')
  return told === '1' || told === '0' ? told === '1' : null
}

function homeInstead(response: Response, version: string): UpstreamError {
  const { status: httpStatus } = response
  dropBody(response)
  const named = VERSION.test(version) ? ` (${version})` : ''
  const message = `a CLIProxyAPI Home${named} answers, which is not read`
  return new UpstreamError('home', message, { httpStatus, isFromProxy: true })
}

/** Words of the proxy about the key and the caller, which it says with its headers, unless something in front drops them. */
const ABOUT_THE_KEY = /^(?:IP banned|(?:missing|invalid) management key|remote management )/

/** See docs/upstream.md#management-access. */
async function refusalOf(response: Response, receivedAt: EpochMs): Promise<UpstreamError> {
  const { status: httpStatus, headers } = response
  const isHeaded = headers.has('x-cpa-version')
  // A refused key is known at once, even where the body of the answer never ends.
  const isClear = (httpStatus === 401 && isHeaded) || httpStatus === 429
  const isBroken = httpStatus >= 500 && httpStatus !== 501
  const text = isClear || isBroken ? '' : await errorTextOf(response)
  const detail = {
    httpStatus,
    isFromProxy: isHeaded || ABOUT_THE_KEY.test(text),
    hasReason: text !== '',
  }
  if (httpStatus === 403)
    return (
      banIn(text, detail) ??
      new UpstreamError('forbidden', 'the proxy does not allow management from here', detail)
    )
  if (httpStatus === 400)
    return new UpstreamError('unexpected_status', 'the proxy answered 400', {
      ...detail,
      saysRefreshFailed: isRefusedRefresh(text),
    })
  dropBody(response)
  const patient = { ...detail, retryAfterSeconds: retryAfterSecondsOf(headers, receivedAt) }
  if (httpStatus === 401)
    return new UpstreamError('unauthorized', 'the proxy refused the management key', detail)
  if (httpStatus === 404) {
    return isHeaded
      ? new UpstreamError('unsupported', 'the proxy does not have this route', detail)
      : new UpstreamError('management_disabled', 'no management API at this address', detail)
  }
  if (httpStatus === 429)
    return new UpstreamError('throttled', 'the proxy asks for fewer calls', patient)
  if (httpStatus >= 500)
    return new UpstreamError('server_error', `the proxy answered ${httpStatus}`, patient)
  return new UpstreamError('unexpected_status', `the proxy answered ${httpStatus}`, detail)
}

const REFUSAL_BYTES_MAX = 4096
async function errorTextOf(response: Response): Promise<string> {
  try {
    const body = parseJson(await readBodyText(response, REFUSAL_BYTES_MAX))
    return (isRecord(body) ? textFrom(body.error) : null) ?? ''
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
