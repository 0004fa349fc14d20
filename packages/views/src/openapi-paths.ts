import { courseRangeIds } from '@svc/core/account'
import {
  failureStatuses,
  usageBucketIds,
  usageDimensions,
  usageGroups,
  usageMetrics,
  usageModes,
  usageRangeIds,
  usageResults,
} from '@svc/core/usage'
import { type JsonObject, json, schemaRef } from './openapi-schemas.ts'
import type { ErrorSlug } from './payloads/errors.ts'
import { COURSE_RANGE_DEFAULT } from './payloads/quota-course.ts'
import { RANKING_LIMIT_MAX } from './payloads/recommendations.ts'
import { seriesDefaults } from './payloads/stats-series.ts'
import { SERIES_TOP_MAX, SERIES_TOP_MIN } from './payloads/stats-series-schema.ts'
import { usagePageFormats } from './payloads/usage-rows.ts'

export interface ReadPath {
  readonly operationId: string
  readonly tag: 'liveness' | 'snapshot' | 'usage' | 'metrics' | 'contract'
  readonly summary: string
  readonly description: string
  readonly answer: JsonObject
  /** False if the path sends no ETag and never answers 304. */
  readonly validated?: boolean
  readonly parameters?: readonly JsonObject[]
  /** Headers of this answer only. */
  readonly headers?: JsonObject
  /** Reasons for a 503 that apply only to this path, so without the shutdown. */
  readonly unavailable?: PathError
  /** Reasons for an error that apply only to this path, by status code. */
  readonly errors?: Readonly<Record<string, PathError>>
}

/** An error specific to one path. */
export interface PathError {
  readonly description: string
  readonly slugs: readonly ErrorSlug[]
}

/** Errors of a path whose parameters can be wrong: its own, and a request that is none. */
function badRequest(description: string, slugs: readonly ErrorSlug[]): PathError {
  return {
    description: `${description}, or the request is malformed.`,
    slugs: [...slugs, 'bad_request', 'invalid_request'],
  }
}

function textHeader(description: string): JsonObject {
  return { description, schema: { type: 'string' } }
}

function queryParameter(
  name: string,
  description: string,
  schema: JsonObject = { type: 'string' },
): JsonObject {
  return { name, in: 'query', required: false, description, schema }
}

function choiceParameter(
  name: string,
  description: string,
  values: readonly string[],
  fallback: string,
): JsonObject {
  return queryParameter(name, description, { type: 'string', enum: [...values], default: fallback })
}

const ofUpstream = queryParameter(
  'upstream',
  'Name of a proxy, if several are watched. Limits the answer to this proxy and to what belongs to no proxy.',
  {
    type: 'string',
    pattern: '^[a-z0-9-]{1,32}$',
  },
)
const ignoredSince: JsonObject = {
  ...queryParameter(
    'since',
    'Ignored: the answer is always whole. Send the ETag in `If-None-Match` instead; the answer is 304 while nothing has changed.',
  ),
  deprecated: true,
}
export const unknownUpstream: ReadPath['errors'] = {
  '404': {
    description: 'No proxy of this name is watched; `upstreams` lists the watched ones.',
    slugs: ['unknown_upstream'],
  },
}

/** Query parameters that filter accounts; each takes a list. */
const accountFilters = [
  queryParameter(
    'plan',
    'Plans to include, separated by commas. Alternative spellings of a plan are accepted.',
  ),
  queryParameter('provider', 'Providers to include, separated by commas.'),
  queryParameter('upstream', 'Proxies to include, separated by commas.'),
]
const unknownValues: ReadPath['errors'] = {
  '400': badRequest('A parameter has an unsupported value', ['unknown_value']),
  ...unknownUpstream,
}

const invalidQuestion = badRequest('A filter or a time is invalid', [
  'invalid_parameter',
  'invalid_span',
])
const unanswered: ReadPath['errors'] = {
  '400': invalidQuestion,
  '422': {
    description:
      'The answer needs single requests, which are deleted or too many; `longestFrom` is the earliest start, with the same end, for which there is an answer.',
    slugs: ['rows_gone', 'too_many_requests'],
  },
}

const { range, bucket, metric, group, top, smooth, mode, compare } = seriesDefaults
/** An invalid filter or time causes an error. Of the others, an invalid value falls back to the default, an unknown parameter is ignored, and `warnings` reports both. */
/** Parameters of every question about usage. */
const questionParameters = [
  ...usageDimensions.map((name) =>
    queryParameter(
      name,
      `Members to include: their \`id\` in \`/api/v1/stats/series?group=${name}\`, separated by commas. Repeat the parameter for an id that has a comma.`,
    ),
  ),
  {
    ...queryParameter('result', 'Result of the requests to include; both if omitted.'),
    schema: { type: 'string', enum: [...usageResults] },
  },
  queryParameter(
    'status',
    `Classes of failures to include, separated by commas: ${failureStatuses.join(', ')}.`,
  ),
  queryParameter(
    'from',
    'Start of the period, rounded down to the minute: an instant with its offset, or a day in the display timezone. Replaces `range`.',
  ),
  queryParameter('to', 'End of the period, exclusive, in the format of `from`; defaults to now.'),
]
const WINDOWS_PARAMETERS = new Set(['account', 'from', 'to'])
/** Parameters of the causes of failures; clients and models have none. */
const FAILURE_PARAMETERS = new Set(['account', 'provider', 'upstream', 'status', 'from', 'to'])
const seriesParameters = [
  choiceParameter('range', 'Period to chart.', usageRangeIds, range),
  choiceParameter(
    'bucket',
    'Width of the buckets; `auto` is the default width of the range. A width that the range does not support falls back to `auto`.',
    usageBucketIds,
    bucket,
  ),
  choiceParameter('metric', 'Metric by which the lines are ranked.', usageMetrics, metric),
  choiceParameter(
    'group',
    'Dimension by which usage is split into lines, or two of account, client, model, provider and upstream, separated by a comma. `api` shows client keys.',
    usageGroups,
    group,
  ),
  queryParameter('top', 'Maximum number of lines and of breakdown rows.', {
    type: 'integer',
    minimum: SERIES_TOP_MIN,
    maximum: SERIES_TOP_MAX,
    default: top,
  }),
  queryParameter('smooth', '`0`, `false`, `off` and `no` omit the smoothed arrays.', {
    type: 'string',
    default: String(smooth),
  }),
  choiceParameter(
    'mode',
    'Whether texts and smoothed arrays give totals per bucket or rates per minute.',
    usageModes,
    mode,
  ),
  queryParameter(
    'compare',
    '`1`, `true`, `on` and `yes` add the preceding period of the same length.',
    {
      type: 'string',
      default: String(compare),
    },
  ),
  queryParameter(
    'facets',
    `Dimensions by which to break the same usage down as well, separated by commas: ${usageDimensions.join(', ')}.`,
  ),
  ...questionParameters,
  choiceParameter('format', 'JSON, or the points as CSV.', ['json', 'csv'], 'json'),
]

const courseParameters = [
  {
    name: 'accountKey',
    in: 'path',
    required: true,
    description: '`selector.accountKey` of the account.',
    schema: { type: 'string' },
  },
  choiceParameter('range', 'Length of the quota history.', courseRangeIds, COURSE_RANGE_DEFAULT),
]
const courseErrors: ReadPath['errors'] = {
  '400': badRequest('The range is unknown', ['unknown_range']),
  '404': {
    description: 'No account with this key is listed or recorded.',
    slugs: ['unknown_account'],
  },
}

export const readPaths: Readonly<Record<string, ReadPath>> = {
  '/healthz': {
    operationId: 'getHealthz',
    tag: 'liveness',
    summary: 'Process liveness',
    description:
      'Succeeds while the process answers. It checks neither the proxy nor keys nor files.',
    answer: json('Healthz'),
    validated: false,
  },
  '/readyz': {
    operationId: 'getReadyz',
    tag: 'liveness',
    summary: 'Readiness',
    description:
      'Succeeds once accounts were read, or cannot be read for a reason that does not resolve by waiting: no management key, a refused management key, or a ' +
      'proxy that has not answered for 30 s. Fails while the history database cannot be used, or while another process holds the history file; that other process may be ready.',
    answer: json('Readyz'),
    validated: false,
    unavailable: {
      description:
        'The service is not ready. `Retry-After` gives the seconds until the next attempt.',
      slugs: ['not_ready', 'store_held', 'store_unavailable'],
    },
  },
  '/api/v1/status': {
    operationId: 'getStatus',
    tag: 'snapshot',
    summary: 'Dashboard snapshot',
    description:
      'All members but `tabs` are stable; `tabs` is for the dashboard. With `upstream` the answer has no forecast of how long ' +
      'the quota lasts.',
    answer: json('StatusSnapshot'),
    parameters: [ignoredSince, ofUpstream],
    errors: unknownUpstream,
  },
  '/api/v1/recommendations': {
    operationId: 'getRecommendations',
    tag: 'snapshot',
    summary: 'Accounts ranked by routing score',
    description:
      'The contract for automatic account selection. Ignore unknown fields. Unknown parameters are ignored and listed in `warnings`; an empty value counts as ' +
      'omitted. Counts, capacity and texts cover all accounts that match `plan`, `provider` and `upstream`; `routable` and `limit` shorten `items` alone.',
    answer: json('Recommendations'),
    parameters: [
      queryParameter('limit', 'Maximum number of accounts, best first.', {
        type: 'integer',
        minimum: 1,
        maximum: RANKING_LIMIT_MAX,
      }),
      choiceParameter('routable', '`true` omits blocked accounts.', ['true', 'false'], 'false'),
      ...accountFilters,
    ],
    errors: unknownValues,
  },
  '/api/v1/capacity': {
    operationId: 'getCapacity',
    tag: 'snapshot',
    summary: 'Quota left, account by account',
    description:
      'Quota left in each window, and how much of it each account contributes. Unknown parameters are ignored.',
    answer: json('CapacityParts'),
    parameters: accountFilters,
    errors: unknownValues,
  },
  '/api/v1/pick': {
    operationId: 'getPick',
    tag: 'snapshot',
    summary: 'The account for the next request',
    description:
      'Keeps the account in use while its score is within 10 points of the best. Remembers nothing: equal requests get equal answers until the pool changes. ' +
      'Unknown parameters are ignored and listed in `warnings`.',
    answer: json('Pick'),
    parameters: [
      queryParameter(
        'keep',
        '`selector.authName` (the name of the auth file) of the account in use; with several proxies it matches the auth file of that name at each of them.',
      ),
      queryParameter('avoid', '`authName` of each account to exclude, separated by commas.'),
      ...accountFilters,
    ],
    errors: unknownValues,
  },
  '/api/v1/health': {
    operationId: 'getHealth',
    tag: 'snapshot',
    summary: 'Operational health',
    description: 'Actions an operator must take, the state of each source, and recent changes.',
    answer: json('Health'),
    parameters: [ignoredSince, ofUpstream],
    errors: unknownUpstream,
  },
  '/api/v1/health/history': {
    operationId: 'getHealthHistory',
    tag: 'snapshot',
    summary: 'Health of the pool over 30 days',
    description:
      'Worst recorded state of the pool in each quarter of an hour, from the store. Without a store the list is empty, `available` is false and `reason` says why.',
    answer: json('HealthHistory'),
  },
  '/api/v1/events': {
    operationId: 'followEvents',
    tag: 'snapshot',
    summary: 'Stream of pool events',
    description:
      'Endless stream of Server-Sent Events. `snapshot` reports an evaluation of the pool; one is sent first, then one after each evaluation. `change` ' +
      'reports a recent change. `action` reports that an action for the operator was opened or resolved; actions open before the connection are in ' +
      '`/api/v1/health`. `Last-Event-ID` resumes after that event; if later events are no longer kept, a `snapshot` starts afresh.',
    answer: {
      'text/event-stream': {
        schema: {
          type: 'string',
          contentMediaType: 'application/json',
          contentSchema: {
            description: 'Data of a `snapshot`, `change` or `action` event.',
            anyOf: [schemaRef('SnapshotEvent'), schemaRef('HealthItem'), schemaRef('ActionEvent')],
          },
        },
      },
    },
    validated: false,
    parameters: [
      {
        name: 'Last-Event-ID',
        in: 'header',
        required: false,
        description: 'Id of the last event the client received.',
        schema: { type: 'string' },
      },
    ],
    unavailable: {
      description:
        'The maximum number of clients is connected. `Retry-After` gives the seconds until the next attempt.',
      slugs: ['too_many_followers'],
    },
  },
  '/api/v1/stats': {
    operationId: 'getStats',
    tag: 'usage',
    summary: 'Usage overview',
    description:
      'Recent activity, cumulative counters and the period covered by the stored history.',
    answer: json('StatsTab'),
  },
  '/api/v1/stats/series': {
    operationId: 'getStatsSeries',
    tag: 'usage',
    summary: 'Usage over time',
    description:
      'Usage in buckets of time, as totals and by member of a group. Without a usage history the lists are empty and `available` is false.',
    answer: { ...json('StatsSeries'), 'text/csv; charset=utf-8': { schema: { type: 'string' } } },
    parameters: seriesParameters,
    errors: unanswered,
    headers: {
      'X-Svc-Quota-Monitor-Warnings': textHeader(
        'Warnings of a CSV answer; JSON has them in `warnings`. Omitted if there are none.',
      ),
    },
  },
  '/api/v1/stats/windows': {
    operationId: 'getStatsWindows',
    tag: 'usage',
    summary: 'Use of quota windows',
    description:
      "How many quota windows of one provider's accounts ran dry, by default in the last 30 days, and how much quota expired unused. Figures are at most five minutes old. Without a " +
      'store the list is empty, `available` is false and `reason` says why.',
    answer: json('StatsWindows'),
    parameters: [
      queryParameter(
        'provider',
        'The provider; defaults to that of the first account in `account`, or else to the default provider.',
      ),
      ...questionParameters.filter(({ name }) => WINDOWS_PARAMETERS.has(String(name))),
    ],
    errors: {
      '400': {
        description:
          'There is no such provider, a time is invalid, or the request is malformed; `allowed` lists valid values.',
        slugs: [
          'unknown_value',
          'invalid_parameter',
          'invalid_span',
          'bad_request',
          'invalid_request',
        ],
      },
    },
  },
  '/api/v1/accounts/{accountKey}': {
    operationId: 'getAccount',
    tag: 'snapshot',
    summary: 'Details of one account',
    description:
      'Recent changes, usage and quota history of the account, and its score, windows and blocking reasons as in `/api/v1/recommendations`. Without a store usage and quota history are empty, ' +
      'with `available` false and a `reason`.',
    answer: json('AccountDetail'),
    parameters: courseParameters,
    errors: courseErrors,
  },
  '/api/v1/usage/rows': {
    operationId: 'getUsageRows',
    tag: 'usage',
    summary: 'Recorded requests',
    description:
      'Downloads the recorded requests, newest first, as of the start of the download. Requests recorded during the download are omitted, unless they are ' +
      'older than rows already sent. An answer that ends without its last chunk is incomplete. Unknown parameters are ignored; the header `X-Svc-Quota-Monitor-Warnings` names them.',
    answer: {
      'text/csv; charset=utf-8': { schema: { type: 'string' } },
      'application/x-ndjson; charset=utf-8': { schema: schemaRef('UsageRow') },
      ...json('UsageRows'),
    },
    validated: false,
    parameters: [
      choiceParameter(
        'range',
        'Length of the period. Rows older than the retention are no longer available.',
        usageRangeIds,
        range,
      ),
      ...questionParameters,
      queryParameter(
        'limit',
        'Maximum number of requests per page. With `limit`, `cursor` or `format=json` the answer is a page; otherwise it is a download of everything.',
        { type: 'integer', minimum: 1, maximum: 5_000, default: 500 },
      ),
      queryParameter(
        'cursor',
        'Value of `next` on the previous page. The filters must be the same.',
      ),
      choiceParameter(
        'format',
        'CSV, one JSON object per line, or a page in one JSON object; `json` is the default with `limit` and `cursor`.',
        usagePageFormats,
        'csv',
      ),
    ],
    headers: {
      'Content-Disposition': textHeader('File name, for example `usage-24h.csv`.'),
      'X-Svc-Quota-Monitor-Warnings': textHeader(
        'Ignored parameters, and ids that match no request. Omitted if there are none.',
      ),
      'X-Svc-Quota-Monitor-Next': textHeader(
        'Value of `cursor` for the next page. Omitted on the last page and for a download.',
      ),
    },
    errors: {
      '400': {
        description:
          'The range or format is unknown, a filter, a time or the limit is invalid, or the cursor belongs to other filters.',
        slugs: [
          'unknown_value',
          'invalid_parameter',
          'invalid_span',
          'invalid_cursor',
          'bad_request',
          'invalid_request',
        ],
      },
      '503': {
        description:
          'There is no store or it cannot be read, the store is busy, or two downloads already run. `Retry-After` gives the seconds until the next attempt if the store is busy or two downloads run.',
        slugs: [
          'no_store',
          'store_unavailable',
          'unavailable',
          'too_many_downloads',
          'shutting_down',
        ],
      },
    },
  },
  '/api/v1/usage/failures': {
    operationId: 'getUsageFailures',
    tag: 'usage',
    summary: 'Causes of failed requests',
    description:
      'Failed requests by provider, HTTP status and code, in whole UTC days. Without a store the list is empty, `available` is false and `reason` says why.',
    answer: json('UsageFailures'),
    parameters: questionParameters.filter(({ name }) => FAILURE_PARAMETERS.has(String(name))),
    errors: { '400': invalidQuestion },
  },
  '/api/v1/prices': {
    operationId: 'getPrices',
    tag: 'usage',
    summary: 'Prices of the models',
    description:
      'Models used in the last 30 days, with their list prices, their cost and the reason why tokens have no price. Without a store the list is empty, `available` is false and `reason` says why.',
    answer: json('Prices'),
  },
  '/api/v1/accounts/{accountKey}/quota': {
    operationId: 'getQuotaCourse',
    tag: 'usage',
    summary: 'Quota history of one account',
    description:
      'Readings, resets and gaps of every recorded window. Without a store the list is empty, `available` is false and `reason` says why.',
    answer: json('QuotaCourse'),
    parameters: courseParameters,
    errors: courseErrors,
  },
  '/api/v1/resets.ics': {
    operationId: 'getResetsCalendar',
    tag: 'snapshot',
    summary: 'Calendar of resets, subscription ends and expiries of banked resets',
    description:
      'iCalendar (RFC 5545) feed with the next reset of each window that returns quota, coming subscription ends and expiries of banked resets. An event keeps its UID when its time ' +
      'changes. Events name an account by its plan and the start of its key, or by its title if `ics_names` is set.',
    answer: { 'text/calendar; charset=utf-8': { schema: { type: 'string' } } },
  },
  '/metrics': {
    operationId: 'getMetrics',
    tag: 'metrics',
    summary: 'Metrics in the text exposition format 0.0.4',
    description: 'Rendered from the latest snapshot; a scrape causes no other work.',
    answer: { 'text/plain; version=0.0.4; charset=utf-8': { schema: { type: 'string' } } },
    validated: false,
  },
  '/api/v1/openapi.json': {
    operationId: 'getOpenApi',
    tag: 'contract',
    summary: 'This document',
    description: 'OpenAPI description of the running version.',
    answer: { 'application/json': { schema: { type: 'object' } } },
  },
}
