import { courseRangeIds } from '@svc/core/account'
import {
  usageBucketIds,
  usageGroups,
  usageMetrics,
  usageModes,
  usageRangeIds,
} from '@svc/core/usage'
import { type JsonObject, json, jsonOf, schemaRef } from './openapi-schemas.ts'
import type { ErrorSlug } from './payloads/errors.ts'
import { COURSE_RANGE_DEFAULT } from './payloads/quota-course.ts'
import { RANKING_LIMIT_MAX } from './payloads/recommendations.ts'
import { seriesDefaults } from './payloads/stats-series.ts'
import { SERIES_TOP_MAX, SERIES_TOP_MIN } from './payloads/stats-series-schema.ts'
import { usageRowFormats } from './payloads/usage-rows.ts'

/** Description of one GET path. */
export interface ReadPath {
  readonly operationId: string
  readonly tag: 'liveness' | 'snapshot' | 'usage' | 'metrics' | 'contract'
  readonly summary: string
  readonly description: string
  readonly answer: JsonObject
  /** False if the path sends no ETag, and never answers 304. */
  readonly validated?: boolean
  readonly parameters?: readonly JsonObject[]
  /** Headers of this answer alone. */
  readonly headers?: JsonObject
  /** This path's own reasons for a 503. The shutdown, a reason of every path, is left out. */
  readonly unavailable?: { readonly description: string; readonly slugs: readonly ErrorSlug[] }
  /** This path's own reasons for an error, by status code. */
  readonly errors?: Readonly<Record<string, PathError>>
}

/** An error specific to one path. */
export interface PathError {
  readonly description: string
  readonly slugs: readonly ErrorSlug[]
}

function queryParameter(
  name: string,
  description: string,
  schema: JsonObject = { type: 'string' },
): JsonObject {
  return { name, in: 'query', required: false, description, schema }
}

/** Parameter that takes one of these values. */
function choiceParameter(
  name: string,
  description: string,
  values: readonly string[],
  fallback: string,
): JsonObject {
  return queryParameter(name, description, { type: 'string', enum: [...values], default: fallback })
}

/** Parameter of paths that can be limited to one of several proxies. */
const ofUpstream = queryParameter(
  'upstream',
  'Of several proxies: this one alone, and what belongs to none.',
  {
    type: 'string',
    pattern: '^[a-z0-9-]{1,32}$',
  },
)
const unknownUpstream: ReadPath['errors'] = {
  '404': {
    description: 'No proxy of this name is watched; `upstreams` names those that are.',
    slugs: ['unknown_upstream'],
  },
}

/** Parameters that leave accounts out; each takes a list. */
const accountFilters = [
  queryParameter(
    'plan',
    'Only accounts of these plans, separated by commas. Another spelling of a plan is understood.',
  ),
  queryParameter('provider', 'Only accounts of these providers, separated by commas.'),
  queryParameter('upstream', 'Only accounts at these proxies, separated by commas.'),
]
const unknownValues: ReadPath['errors'] = {
  '400': {
    description: 'A parameter has a value that it does not take, or the request is malformed.',
    slugs: ['unknown_value', 'bad_request', 'invalid_request'],
  },
  ...unknownUpstream,
}

const { range, bucket, metric, group, top, smooth, mode, compare } = seriesDefaults
/** Parameters that never cause an error: an invalid value falls back to the default, an unknown parameter is ignored, and `warnings` reports both. */
const seriesParameters = [
  choiceParameter('range', 'Time window.', usageRangeIds, range),
  choiceParameter(
    'bucket',
    'Width of the buckets; `auto` is that of the range. One that the range does not have falls back to `auto`.',
    usageBucketIds,
    bucket,
  ),
  choiceParameter('metric', 'What members are ranked by.', usageMetrics, metric),
  choiceParameter(
    'group',
    'How usage is cut into lines. `api` shows client keys.',
    usageGroups,
    group,
  ),
  queryParameter('top', 'Lines and breakdown rows at most.', {
    type: 'integer',
    minimum: SERIES_TOP_MIN,
    maximum: SERIES_TOP_MAX,
    default: top,
  }),
  queryParameter('smooth', '`0`, `false`, `off` and `no` leave the smoothed arrays out.', {
    type: 'string',
    default: String(smooth),
  }),
  choiceParameter(
    'mode',
    'Texts and smoothed arrays of whole buckets or by the minute.',
    usageModes,
    mode,
  ),
  queryParameter('compare', '`1`, `true`, `on` and `yes` add the same length of time before.', {
    type: 'string',
    default: String(compare),
  }),
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
  choiceParameter(
    'range',
    'How far back the course of its quota goes.',
    courseRangeIds,
    COURSE_RANGE_DEFAULT,
  ),
]
const courseErrors: ReadPath['errors'] = {
  '400': {
    description: 'The range is not one of those, or the request is malformed.',
    slugs: ['unknown_range', 'bad_request', 'invalid_request'],
  },
  '404': {
    description: 'No account with this key is listed or recorded.',
    slugs: ['unknown_account'],
  },
}

/** Every path for reading. */
export const readPaths: Readonly<Record<string, ReadPath>> = {
  '/healthz': {
    operationId: 'getHealthz',
    tag: 'liveness',
    summary: 'Process liveness',
    description:
      'Says that the process answers. It looks at neither the proxy, nor keys, nor files.',
    answer: json('Healthz'),
    validated: false,
  },
  '/readyz': {
    operationId: 'getReadyz',
    tag: 'liveness',
    summary: 'Readiness',
    description:
      'Says that accounts were read, or that they cannot be read for a reason that waiting does not change: no management key, a refused one, or a proxy ' +
      'that has not answered for 30 s. A monitor whose database of the history cannot be used is not ready, nor is one whose file of it another process holds: another one may be.',
    answer: json('Readyz'),
    validated: false,
    unavailable: {
      description: 'Not now. `Retry-After` says when to ask again.',
      slugs: ['not_ready', 'store_held', 'store_unavailable'],
    },
  },
  '/api/v1/status': {
    operationId: 'getStatus',
    tag: 'snapshot',
    summary: 'Dashboard snapshot',
    description:
      'The envelope is stable. `tabs` is detail for the dashboard, to which fields are added freely. Who names with `since` the version they have is answered ' +
      'with what has changed, 304 where nothing has, or the whole status where that version is not among the last ones. Of one of several proxies it is ' +
      'always whole, and says nothing of how long the quota lasts.',
    answer: jsonOf('StatusSnapshot', 'StatusChanges'),
    parameters: [
      queryParameter(
        'since',
        'A version of the status: its ETag, or `etag` of the changes that led to it. Empty: none yet, but changes will be asked for.',
      ),
      ofUpstream,
    ],
    errors: unknownUpstream,
  },
  '/api/v1/recommendations': {
    operationId: 'getRecommendations',
    tag: 'snapshot',
    summary: 'Accounts ranked by routing score',
    description:
      'The contract for automatic account selection. Ignore fields you do not know. A parameter that is not known is ignored, and `warnings` says so; an empty value counts as left out. With `plan`, ' +
      '`provider` or `upstream` the counts, the capacity and the texts are of the accounts that fit, whatever `routable` and `limit` leave out of `items`.',
    answer: json('Recommendations'),
    parameters: [
      queryParameter('limit', 'Accounts at most, best first.', {
        type: 'integer',
        minimum: 1,
        maximum: RANKING_LIMIT_MAX,
      }),
      choiceParameter(
        'routable',
        '`true` leaves blocked accounts out.',
        ['true', 'false'],
        'false',
      ),
      ...accountFilters,
    ],
    errors: unknownValues,
  },
  '/api/v1/pick': {
    operationId: 'getPick',
    tag: 'snapshot',
    summary: 'The account for the next request',
    description:
      'Keeps the account in use while it is within 10 points of the best, and remembers nothing: the same question has the same answer until the pool ' +
      'changes. A parameter that is not known is ignored, and `warnings` says so.',
    answer: json('Pick'),
    parameters: [
      queryParameter(
        'keep',
        '`selector.authName` of the account in use. Of several proxies the file of that name at any of them.',
      ),
      queryParameter('avoid', '`authName` of accounts not to give, separated by commas.'),
      ...accountFilters,
    ],
    errors: unknownValues,
  },
  '/api/v1/health': {
    operationId: 'getHealth',
    tag: 'snapshot',
    summary: 'Operational health',
    description:
      'What an operator must do, how each source is, and what changed lately. With `since` as the status, what has changed of it. Of one of several proxies ' +
      'it is always whole.',
    answer: jsonOf('Health', 'StatusChanges'),
    parameters: [
      queryParameter(
        'since',
        'A version of this answer: its ETag, or `etag` of the changes that led to it. Empty: none yet, but changes will be asked for.',
      ),
      ofUpstream,
    ],
    errors: unknownUpstream,
  },
  '/api/v1/health/history': {
    operationId: 'getHealthHistory',
    tag: 'snapshot',
    summary: 'Thirty days of the pool',
    description:
      'How the pool was in every quarter of an hour, from what the store keeps. Empty, with `available` false and a `reason`, where there is no store.',
    answer: json('HealthHistory'),
  },
  '/api/v1/events': {
    operationId: 'followEvents',
    tag: 'snapshot',
    summary: 'What happens, as it happens',
    description:
      'Server-Sent Events, without an end. `snapshot` says that the pool was evaluated: one first, then one each time. `change` is a recent change, `action` ' +
      'something an operator must do, or need not do any more; what is open already stands in `/api/v1/health`. `Last-Event-ID` resumes after that event; where events are ' +
      'missing since then, a `snapshot` starts afresh.',
    answer: {
      'text/event-stream': {
        schema: {
          type: 'string',
          contentMediaType: 'application/json',
          contentSchema: {
            description: 'Data of `snapshot`, of `change` and of `action`.',
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
        description: 'Id of the last event the caller has.',
        schema: { type: 'string' },
      },
    ],
    unavailable: {
      description: 'As many clients follow as may at once. `Retry-After` says when to ask again.',
      slugs: ['too_many_followers'],
    },
  },
  '/api/v1/stats': {
    operationId: 'getStats',
    tag: 'usage',
    summary: 'Usage at a glance',
    description: 'Recent activity, cumulative counters and the extent of the stored history.',
    answer: json('StatsTab'),
  },
  '/api/v1/stats/series': {
    operationId: 'getStatsSeries',
    tag: 'usage',
    summary: 'Usage over time',
    description: 'Empty, with `available` false, where there is no usage history.',
    answer: { ...json('StatsSeries'), 'text/csv; charset=utf-8': { schema: { type: 'string' } } },
    parameters: seriesParameters,
    headers: {
      'X-Svc-Quota-Monitor-Warnings': {
        description:
          'Of CSV: what was not taken as given, which JSON lists in `warnings`. Left out where there is nothing to say.',
        schema: { type: 'string' },
      },
    },
  },
  '/api/v1/stats/windows': {
    operationId: 'getStatsWindows',
    tag: 'usage',
    summary: 'How full the windows were',
    description:
      'Of all accounts together, over the last 30 days: how many windows ran dry, and how much quota expired unused. At most five minutes old. Empty, with ' +
      '`available` false and a `reason`, where there is no store.',
    answer: json('StatsWindows'),
  },
  '/api/v1/accounts/{accountKey}': {
    operationId: 'getAccount',
    tag: 'snapshot',
    summary: 'Everything known of one account',
    description:
      'Its score, its windows and what blocks it as in recommendations, what changed lately, what was used of it, and the course of its quota. Without a store ' +
      'the last two are empty, with `available` false and a `reason`.',
    answer: json('AccountDetail'),
    parameters: courseParameters,
    errors: courseErrors,
  },
  '/api/v1/usage/rows': {
    operationId: 'getUsageRows',
    tag: 'usage',
    summary: 'Single requests',
    description:
      'A download of the requests whose rows are kept, newest first, as of its beginning: what is recorded meanwhile is left out, unless it is older than what ' +
      'was already sent. An answer that ends without its last chunk is not complete. An unknown parameter is ignored.',
    answer: {
      'text/csv; charset=utf-8': { schema: { type: 'string' } },
      'application/x-ndjson; charset=utf-8': { schema: schemaRef('UsageRow') },
    },
    validated: false,
    parameters: [
      choiceParameter('range', 'How far back, as far as rows are kept.', usageRangeIds, range),
      ...['account', 'client', 'model'].map((name) =>
        queryParameter(name, `Of these alone: ids of series by ${name}, with commas between them.`),
      ),
      choiceParameter('format', 'CSV, or one JSON object a line.', usageRowFormats, 'csv'),
    ],
    headers: {
      'Content-Disposition': {
        description: 'A file name, as `usage-24h.csv`.',
        schema: { type: 'string' },
      },
      'X-Svc-Quota-Monitor-Warnings': {
        description: 'What was ignored. Left out where there is nothing to say.',
        schema: { type: 'string' },
      },
    },
    errors: {
      '400': {
        description: 'The range or the format is not known; `allowed` has those that are.',
        slugs: ['unknown_value', 'bad_request', 'invalid_request'],
      },
      '503': {
        description:
          'There is no store, or it cannot be read; or two downloads run already, or it is busy: then `Retry-After` says when to ask again.',
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
  '/api/v1/accounts/{accountKey}/quota': {
    operationId: 'getQuotaCourse',
    tag: 'usage',
    summary: 'The course of the quota of one account',
    description:
      'Every recorded window with its readings, its resets and its gaps. Empty, with `available` false and a `reason`, where there is no store.',
    answer: json('QuotaCourse'),
    parameters: courseParameters,
    errors: courseErrors,
  },
  '/api/v1/resets.ics': {
    operationId: 'getResetsCalendar',
    tag: 'snapshot',
    summary: 'Resets and ends of subscriptions as a calendar',
    description:
      'iCalendar (RFC 5545) to subscribe to: the next reset of each window of an account that gives quota back, and the ends of subscriptions to come. An event ' +
      'keeps its UID when its time moves. Accounts are called by their plan and the beginning of their key, by their titles with `ics_names`.',
    answer: { 'text/calendar; charset=utf-8': { schema: { type: 'string' } } },
  },
  '/metrics': {
    operationId: 'getMetrics',
    tag: 'metrics',
    summary: 'Metrics in the text exposition format 0.0.4',
    description: 'Made from the latest snapshot; a scrape causes no other work.',
    answer: { 'text/plain; version=0.0.4; charset=utf-8': { schema: { type: 'string' } } },
    validated: false,
  },
  '/api/v1/openapi.json': {
    operationId: 'getOpenApi',
    tag: 'contract',
    summary: 'This document',
    description: 'The contract of exactly the service that answers.',
    answer: { 'application/json': { schema: { type: 'object' } } },
  },
}
