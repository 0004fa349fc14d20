import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type CourseQuery, courseRangeIds } from '@svc/core/account'
import { type SchedulerQuestion, UPSTREAM_NAME } from '@svc/core/service'
import type {
  FilteredPayload,
  FilteredReading,
  FilterValues,
  PickQuestion,
  Refusal,
  UnknownValue,
} from '@svc/monitor'
import {
  COURSE_RANGE_DEFAULT,
  type InvalidParameter,
  pickBodyOf,
  RANKING_LIMIT_MAX,
} from '@svc/views'
import { isOfOtherSite } from '../guards/refresh-auth.ts'
import { jsonBodyOf } from './quota-refresh.ts'

/** `User-Agent` of the plugin in integrations/cliproxyapi-scheduler. */
const AGENT = /^svc-quota-scheduler\/(?<version>[\w.+-]{1,32})$/
/** Header with the report of the plugin. */
const REPORT_HEADER = 'x-quota-scheduler'
const REPORT =
  /^asked=(?<asked>\d{1,9}); picked=(?<picked>\d{1,9}); follows=(?<follows>true|false)$/

/** A scheduler's request for the ranking, without the refusal that may follow; null if another program sent the request. */
export function schedulerQuestionOf(
  headers: IncomingHttpHeaders,
  url: string,
): Omit<SchedulerQuestion, 'refusal'> | null {
  const version = AGENT.exec(headers['user-agent'] ?? '')?.groups?.version
  if (version === undefined) return null
  const upstream = new URLSearchParams(url.slice(url.indexOf('?') + 1)).get('upstream') ?? ''
  const report = REPORT.exec(String(headers[REPORT_HEADER] ?? ''))?.groups
  return {
    version,
    upstream: UPSTREAM_NAME.test(upstream) ? upstream : null,
    report:
      report === undefined
        ? null
        : {
            askedCount: Number(report.asked),
            pickCount: Number(report.picked),
            follows: report.follows === 'true',
          },
  }
}

/** Parameter name that is safe to repeat in an answer; other names are only counted. */
const PLAIN_NAME = /^[\w.-]{1,32}$/
/** Maximum number of unknown parameters that are named. */
const UNKNOWN_NAMED_MAX = 5

/** A warning for each unknown parameter. */
export function unknownParameters(
  parameters: URLSearchParams,
  known: ReadonlySet<string>,
): readonly string[] {
  const unknown = [...new Set(parameters.keys())].filter((name) => !known.has(name))
  const named = unknown.filter((name) => PLAIN_NAME.test(name)).slice(0, UNKNOWN_NAMED_MAX)
  const others = unknown.length - named.length
  return [
    ...named.map((name) => `${name}: no such parameter; it is ignored`),
    ...(others > 0
      ? [`${others} more ${others === 1 ? 'parameter is' : 'parameters are'} not known and ignored`]
      : []),
  ]
}

/** Error of a parameter whose value is invalid. */
export function invalidParameter({ invalid }: InvalidParameter): Refusal {
  return { refusal: { slug: 'invalid_parameter', details: invalid } }
}

/** Query for the course of this account; null for an unknown range. */
export function courseQueryOf(accountKey: string, parameters: URLSearchParams): CourseQuery | null {
  const given = parameters.get('range') ?? COURSE_RANGE_DEFAULT
  const range = courseRangeIds.find((id) => id === given)
  return range === undefined ? null : { accountKey, range }
}

const FILTERS = ['plan', 'provider', 'upstream'] as const
const RANKING_PARAMETERS = new Set<string>([...FILTERS, 'limit', 'routable'])
const PICK_PARAMETERS = new Set<string>([...FILTERS, 'keep', 'avoid'])

/** A parsed query about accounts, with warnings about unknown parameters. */
interface Parsed<Query> {
  readonly query: Query
  readonly warnings: readonly string[]
}

/** Requested part of the ranking; empty for the whole ranking. */
export function rankingQueryOf(
  parameters: URLSearchParams,
): Parsed<Partial<Omit<FilteredReading, 'payload' | 'compression'>>> | UnknownValue {
  const limit = parameters.get('limit') || null
  const routable = parameters.get('routable') || 'false'
  if (limit !== null && !isCount(limit))
    return { unknown: { parameter: 'limit', allowed: [`1..${RANKING_LIMIT_MAX}`] } }
  if (routable !== 'true' && routable !== 'false')
    return { unknown: { parameter: 'routable', allowed: ['true', 'false'] } }
  const filter = filterValuesOf((name) => listOf(parameters, name))
  const cut = {
    ...(limit === null ? {} : { limit: Number(limit) }),
    ...(routable === 'true' ? { routable: true } : {}),
  }
  const isWhole = Object.keys({ ...filter, ...cut }).length === 0
  return {
    query: isWhole ? {} : { filter, ...cut },
    warnings: unknownParameters(parameters, RANKING_PARAMETERS),
  }
}

/** Requested part of status or health: one proxy, some providers, or both; null for everything. */
export function partFilterOf(parameters: URLSearchParams): FilterValues | null {
  const upstream = parameters.get('upstream')
  const provider = providersIn(parameters)
  if (upstream === null && provider === undefined) return null
  return {
    ...(upstream === null ? {} : { upstream: [upstream] }),
    ...(provider === undefined ? {} : { provider }),
  }
}

/** Asked providers; undefined if none is named. */
export function providersIn(parameters: URLSearchParams): readonly string[] | undefined {
  return filterValuesOf((name) => listOf(parameters, name)).provider
}

/** Parses a request for an account from a caller that is not remembered. */
export function pickQueryOf(parameters: URLSearchParams): Parsed<PickQuestion> {
  return {
    query: {
      filter: filterValuesOf((name) => listOf(parameters, name)),
      keep: parameters.get('keep') ?? undefined,
      avoid: listOf(parameters, 'avoid'),
    },
    warnings: unknownParameters(parameters, PICK_PARAMETERS),
  }
}

/** The filters that have a value; an empty one counts as left out. */
function filterValuesOf(
  valuesOf: (name: keyof FilterValues) => readonly string[] | undefined,
): FilterValues {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const values = (valuesOf(name) ?? []).filter((value) => value !== '')
      return values.length === 0 ? [] : [[name, values]]
    }),
  )
}

/** Values of a parameter that may repeat, each possibly a comma-separated list. */
export function listOf(parameters: URLSearchParams, name: string): readonly string[] {
  return parameters.getAll(name).flatMap(listedNamesIn)
}

/** Names in a comma-separated list. */
function listedNamesIn(list: string): readonly string[] {
  return list.split(',').map((name) => name.trim())
}

function isCount(value: string): boolean {
  return /^[1-9]\d{0,3}$/.test(value) && Number(value) <= RANKING_LIMIT_MAX
}

/** Asks the pipeline for an account. */
type Picks = (question: PickQuestion) => Promise<FilteredPayload>

/** Answers a POST from a remembered caller. Needs no credential, because it changes no quota and nothing at the proxy. */
export async function pickFor(
  request: IncomingMessage,
  pick: Picks,
): Promise<FilteredPayload | 'forbidden_site' | 'too_large' | 'invalid_pick'> {
  if (isOfOtherSite(request.headers)) return 'forbidden_site'
  const body = await jsonBodyOf(request)
  if (body === 'too_large') return body
  const asked = body === 'not_json' ? null : pickBodyOf(body.text)
  if (asked === null) return 'invalid_pick'
  const { plan, provider, upstream, avoid, ...question } = asked
  const names = (given: typeof avoid) => (typeof given === 'string' ? listedNamesIn(given) : given)
  const filter = filterValuesOf((name) => names(asked[name]))
  return pick({ ...question, avoid: names(avoid), filter })
}
