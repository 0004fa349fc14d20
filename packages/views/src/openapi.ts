import { usageGroups, usageMetrics, usageModes, usageRangeIds } from '@svc/core/usage'
import { type ConversionConfig, toJsonSchemaDefs } from '@valibot/to-json-schema'
import { type JsonObject, json, schemaRef, schemas } from './openapi-schemas.ts'
import { type ErrorSlug, errorBodies } from './payloads/errors.ts'
import { SERIES_TOP_MAX, SERIES_TOP_MIN, seriesDefaults } from './payloads/stats-series.ts'

/** An OpenAPI 3.1 document as plain JSON. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: JsonObject
  readonly servers: readonly JsonObject[]
  readonly tags: readonly JsonObject[]
  readonly paths: Readonly<Record<string, JsonObject>>
  readonly components: Readonly<Record<string, JsonObject>>
}

interface ReadPath {
  readonly operationId: string
  readonly tag: 'liveness' | 'snapshot' | 'usage' | 'metrics' | 'contract'
  readonly summary: string
  readonly description: string
  readonly answer: JsonObject
  /** Carries an ETag and answers 304 to the caller who has it. */
  readonly validated: boolean
  readonly parameters?: readonly JsonObject[]
  /** Headers of this answer alone. */
  readonly headers?: JsonObject
  /** Why this path answers 503, besides a shutdown. */
  readonly unavailable?: { readonly description: string; readonly slug: ErrorSlug }
}

function queryParameter(name: string, description: string, schema: JsonObject): JsonObject {
  return { name, in: 'query', required: false, description, schema }
}

const { range, metric, group, top, smooth, mode } = seriesDefaults
/** Nothing here can fail: what is not understood falls back to the default, an unknown parameter is ignored, and `warnings` says so. */
const seriesParameters = [
  queryParameter('range', 'Time window.', {
    type: 'string',
    enum: [...usageRangeIds],
    default: range,
  }),
  queryParameter('metric', 'What members are ranked by.', {
    type: 'string',
    enum: [...usageMetrics],
    default: metric,
  }),
  queryParameter('group', 'How usage is cut into lines. `api` shows client keys.', {
    type: 'string',
    enum: [...usageGroups],
    default: group,
  }),
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
  queryParameter('mode', 'Texts and smoothed arrays of whole buckets or by the minute.', {
    type: 'string',
    enum: [...usageModes],
    default: mode,
  }),
  queryParameter('format', 'JSON, or the points as CSV.', {
    type: 'string',
    enum: ['json', 'csv'],
    default: 'json',
  }),
]

/** Every path there is. */
const readPaths: Readonly<Record<string, ReadPath>> = {
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
      'that has not answered for 30 s.',
    answer: json('Readyz'),
    validated: false,
    unavailable: {
      description: 'Not yet. `Retry-After` says when to ask again.',
      slug: 'not_ready',
    },
  },
  '/api/v1/status': {
    operationId: 'getStatus',
    tag: 'snapshot',
    summary: 'Dashboard snapshot',
    description:
      'The envelope is stable. `tabs` is detail for the dashboard, to which fields are added freely.',
    answer: json('StatusSnapshot'),
    validated: true,
  },
  '/api/v1/recommendations': {
    operationId: 'getRecommendations',
    tag: 'snapshot',
    summary: 'Accounts ranked by routing score',
    description: 'The contract for automatic account selection. Ignore fields you do not know.',
    answer: json('Recommendations'),
    validated: true,
  },
  '/api/v1/health': {
    operationId: 'getHealth',
    tag: 'snapshot',
    summary: 'Operational health',
    description: 'What an operator must do, how each source is, and what changed lately.',
    answer: json('Health'),
    validated: true,
  },
  '/api/v1/stats': {
    operationId: 'getStats',
    tag: 'usage',
    summary: 'Usage at a glance',
    description: 'Recent activity, cumulative counters and the extent of the stored history.',
    answer: json('StatsTab'),
    validated: true,
  },
  '/api/v1/stats/series': {
    operationId: 'getStatsSeries',
    tag: 'usage',
    summary: 'Usage over time',
    description: 'Empty, with `available` false, where there is no usage history.',
    answer: { ...json('StatsSeries'), 'text/csv; charset=utf-8': { schema: { type: 'string' } } },
    validated: true,
    parameters: seriesParameters,
    headers: {
      'X-Svc-Quota-Monitor-Warnings': {
        description:
          'Of CSV: what was not taken as given, which JSON lists in `warnings`. Left out where there is nothing to say.',
        schema: { type: 'string' },
      },
    },
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
    validated: true,
  },
}

/** What may answer any request in place of the resource. A wrong path or method is no operation and not listed. */
const errorResponses = {
  '400': {
    name: 'BadRequest',
    description: 'The request is malformed.',
    slugs: ['bad_request', 'invalid_request', 'invalid_target', 'invalid_authority'],
  },
  '403': {
    name: 'Forbidden',
    description: 'The Host or Origin guard turned the request away.',
    slugs: ['forbidden', 'forbidden_origin', 'forbidden_origin_kind', 'forbidden_site'],
  },
  '408': {
    name: 'RequestTimeout',
    description: 'The request did not arrive in time.',
    slugs: ['request_timeout'],
  },
  '414': { name: 'UriTooLong', description: 'The address is too long.', slugs: ['uri_too_long'] },
  '431': {
    name: 'HeadersTooLarge',
    description: 'The headers are too large.',
    slugs: ['headers_too_large'],
  },
  '500': {
    name: 'Internal',
    description: 'A fault of the service itself. Failures of the proxy never cause it.',
    slugs: ['internal'],
  },
  '503': {
    name: 'ShuttingDown',
    description: 'The service is going away.',
    slugs: ['shutting_down'],
  },
} satisfies Readonly<
  Record<
    string,
    { readonly name: string; readonly description: string; readonly slugs: readonly ErrorSlug[] }
  >
>

/** What refuses a refresh, besides what may refuse any request. */
const refreshErrors = {
  '400': {
    description: 'The body is not what it may be, or the request is malformed.',
    slugs: ['invalid_refresh', 'invalid_request', 'bad_request'],
  },
  '401': {
    description: 'The token or the key is missing or wrong.',
    slugs: ['unauthorized', 'unauthorized_key'],
  },
  '413': { description: 'The body is too large.', slugs: ['too_large'] },
  '503': {
    description: 'There is no management key to ask with, or the service is going away.',
    slugs: ['refresh_unavailable', 'shutting_down'],
  },
} satisfies Readonly<
  Record<string, { readonly description: string; readonly slugs: readonly ErrorSlug[] }>
>

/** The one action. */
function refreshOperation(): JsonObject {
  const headers = { 'Cache-Control': { $ref: '#/components/headers/CacheControl' } }
  const shared = Object.entries(errorResponses).filter(([code]) => !(code in refreshErrors))
  return {
    operationId: 'refreshQuota',
    tags: ['action'],
    summary: 'Ask for the quota of every account now',
    description:
      'Queues the queries and returns at once; `summary.manualRefresh` of the status tells how far they have come. A second request while one is under way ' +
      'joins it, whatever its scope. Which credential is asked for is configured: the token of the dashboard page, the management key, or none.',
    security: [{ refreshToken: [] }, { managementKey: [] }, {}],
    requestBody: { required: false, content: json('ManualQuotaRefreshRequest') },
    responses: {
      '202': { description: 'Under way.', headers, content: json('ManualQuotaRefreshResult') },
      ...Object.fromEntries(
        Object.entries(refreshErrors).map(([code, { description, slugs }]) => [
          code,
          {
            description,
            headers,
            content: {
              'application/json': {
                schema: schemaRef('ManualQuotaRefreshResult'),
                examples: examplesOf(slugs),
              },
            },
          },
        ]),
      ),
      ...Object.fromEntries(
        shared.map(([code, { name }]) => [code, { $ref: `#/components/responses/${name}` }]),
      ),
    },
  }
}

function examplesOf(slugs: readonly ErrorSlug[]): JsonObject {
  return Object.fromEntries(slugs.map((slug) => [slug, { value: { ...errorBodies[slug].body } }]))
}

/** The public contract as an OpenAPI 3.1 document, built from the schemas of the answers. Equal on every call. */
export function openApiDocument(): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quota Monitor Service',
      summary: 'Quota and pool monitor for OAuth coding-assistant accounts behind a proxy.',
      description:
        'Read-only JSON and metrics, and one protected action. The API is no authentication boundary: keep it on loopback or behind an authenticated reverse proxy. ' +
        'HEAD works wherever GET does. Fields may be added; clients ignore those they do not know. Trouble at the proxy is shown in the answers and is never a 5xx.',
      version: '1.0.0',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: 'http://127.0.0.1:4515', description: 'The default listener.' },
      { url: 'http://127.0.0.1:4516', description: 'The default listener of --demo.' },
    ],
    tags: [
      { name: 'liveness', description: 'Is the process alive?' },
      { name: 'snapshot', description: 'The latest evaluated snapshot of the pool.' },
      { name: 'usage', description: 'What was used, when and by whom.' },
      { name: 'action', description: 'The one thing that can be asked for.' },
      { name: 'metrics', description: 'For metrics scrapers.' },
      { name: 'contract', description: 'The API described by itself.' },
    ],
    paths: {
      ...Object.fromEntries(
        Object.entries(readPaths).map(([path, readPath]) => [path, { get: operation(readPath) }]),
      ),
      '/api/v1/quota/refresh': { post: refreshOperation() },
    },
    components: {
      schemas: schemaComponents(),
      responses: responseComponents(),
      parameters: {
        IfNoneMatch: {
          name: 'If-None-Match',
          in: 'header',
          required: false,
          description: 'ETag of the answer the caller has.',
          schema: { type: 'string' },
        },
      },
      headers: {
        ETag: {
          description: 'Strong validator of this answer in this encoding.',
          schema: { type: 'string' },
        },
        CacheControl: {
          description: 'Always `no-store`.',
          schema: { type: 'string', const: 'no-store' },
        },
      },
      securitySchemes: {
        refreshToken: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Svc-Quota-Monitor-Refresh-Token',
          description:
            'The token of the running process, found in the dashboard page. No read asks for it.',
        },
        managementKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The management key of the proxy, where the service is configured to take it. No read asks for it.',
        },
      },
    },
  }
}

function operation({
  operationId,
  tag,
  summary,
  description,
  answer,
  validated,
  parameters = [],
  ...own
}: ReadPath): JsonObject {
  const cacheControl = { 'Cache-Control': { $ref: '#/components/headers/CacheControl' } }
  const headers = {
    ...(validated ? { ETag: { $ref: '#/components/headers/ETag' } } : {}),
    ...cacheControl,
    ...own.headers,
  }
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: [],
    ...(validated
      ? { parameters: [...parameters, { $ref: '#/components/parameters/IfNoneMatch' }] }
      : {}),
    responses: {
      '200': { description: `${summary}.`, headers, content: answer },
      ...(validated ? { '304': { $ref: '#/components/responses/NotModified' } } : {}),
      ...Object.fromEntries(
        Object.entries(errorResponses).map(([code, { name }]) => [
          code,
          { $ref: `#/components/responses/${name}` },
        ]),
      ),
      ...(own.unavailable === undefined ? {} : { '503': unavailableResponse(own.unavailable) }),
    },
  }
}

function unavailableResponse({
  description,
  slug,
}: NonNullable<ReadPath['unavailable']>): JsonObject {
  return {
    description,
    headers: {
      'Cache-Control': { $ref: '#/components/headers/CacheControl' },
      'Retry-After': { description: 'Seconds.', schema: { type: 'string' } },
    },
    content: {
      'application/json': {
        schema: schemaRef('ReadError'),
        examples: examplesOf([slug, 'shutting_down']),
      },
    },
  }
}

function responseComponents(): JsonObject {
  const errors = Object.values(errorResponses).map(
    ({ name, description, slugs }): [string, JsonObject] => {
      const headers = { 'Cache-Control': { $ref: '#/components/headers/CacheControl' } }
      return [
        name,
        {
          description,
          headers,
          content: {
            'application/json': { schema: schemaRef('ReadError'), examples: examplesOf(slugs) },
          },
        },
      ]
    },
  )
  const notModified = {
    description: 'The caller already has this answer.',
    headers: {
      ETag: { $ref: '#/components/headers/ETag' },
      'Cache-Control': { $ref: '#/components/headers/CacheControl' },
    },
  }
  return { NotModified: notModified, ...Object.fromEntries(errors) }
}

function schemaComponents(): JsonObject {
  const conversion: ConversionConfig = {
    target: 'draft-2020-12',
    errorMode: 'throw',
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  }
  return toJsonSchemaDefs(schemas, conversion)
}
