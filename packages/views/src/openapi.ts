import { type ConversionConfig, toJsonSchemaDefs } from '@valibot/to-json-schema'
import {
  ownErrors,
  pickErrors,
  refreshErrors,
  responseComponents,
  sharedErrors,
  unavailableResponse,
} from './openapi-errors.ts'
import { type ReadPath, readPaths } from './openapi-paths.ts'
import { cacheControl, type JsonObject, json, schemas } from './openapi-schemas.ts'

/** An OpenAPI 3.1 document as plain JSON. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: JsonObject
  readonly servers: readonly JsonObject[]
  readonly tags: readonly JsonObject[]
  readonly paths: Readonly<Record<string, JsonObject>>
  readonly components: Readonly<Record<string, JsonObject>>
}

function refreshOperation(): JsonObject {
  return {
    operationId: 'refreshQuota',
    tags: ['action'],
    summary: 'Refresh the quota of all accounts, or of one',
    description:
      'Queues the queries and returns at once. `summary.manualRefresh` of the status reports progress and the expected end. A second request joins the ' +
      'running refresh, whatever its scope. `{"cancel": true}` cancels the running refresh; repeating it changes nothing. The configuration decides which ' +
      'credential is required: the token of the dashboard page, the management key, or none.',
    security: [{ refreshToken: [] }, { managementKey: [] }, {}],
    requestBody: { required: false, content: json('ManualQuotaRefreshRequest') },
    responses: {
      '202': {
        description: 'The refresh runs or was cancelled.',
        headers: cacheControl,
        content: json('ManualQuotaRefreshResult'),
      },
      ...sharedErrors,
      ...ownErrors(refreshErrors, 'ManualQuotaRefreshResult'),
    },
  }
}

function pickOperation(): JsonObject {
  return {
    operationId: 'pick',
    tags: ['action'],
    summary: 'Account for the next request of a named caller',
    description:
      'Works like `GET /api/v1/pick`, but the caller keeps its last account, simultaneous callers are spread over several accounts, and an account that ' +
      'failed is avoided until its next reading. The caller is remembered in memory only, for 15 minutes after its last pick. Changes neither quota nor the ' +
      'proxy, and needs no credential.',
    security: [],
    requestBody: { required: true, content: json('PickRequest') },
    responses: {
      '200': {
        description: 'The account, or the reason why there is none.',
        headers: cacheControl,
        content: json('Pick'),
      },
      ...sharedErrors,
      ...ownErrors(pickErrors),
    },
  }
}

/** The public API as an OpenAPI 3.1 document, built from the payload schemas. Every call returns an equal document. */
export function openApiDocument(): OpenApiDocument {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quota Monitor Service',
      summary: 'Quota and pool monitor for OAuth coding-assistant accounts behind a proxy.',
      description:
        'Read-only JSON and metrics, plus two POST requests: one chooses an account for a named caller, and a protected one refreshes quota. The API does not authenticate its readers: keep it on loopback ' +
        'or behind an authenticated reverse proxy. HEAD works wherever GET does. Fields may be added; clients ignore fields they do not know. A failure of the ' +
        'proxy is reported inside the answers and never causes a 5xx.',
      version: '1.0.0',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: 'http://127.0.0.1:4515', description: 'Default listener.' },
      { url: 'http://127.0.0.1:4516', description: 'Default listener with `--demo`.' },
    ],
    tags: [
      { name: 'liveness', description: 'Liveness and readiness of the process.' },
      { name: 'snapshot', description: 'The latest evaluated snapshot of the pool.' },
      { name: 'usage', description: 'Recorded usage: amounts, times, accounts and clients.' },
      { name: 'action', description: 'The two POST requests.' },
      { name: 'metrics', description: 'Metrics for scrapers.' },
      { name: 'contract', description: 'Machine-readable description of the API.' },
    ],
    paths: {
      ...Object.fromEntries(
        Object.entries(readPaths).map(([path, readPath]) => [
          path,
          {
            get: operation(readPath),
            ...(path === '/api/v1/pick' ? { post: pickOperation() } : {}),
          },
        ]),
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
          description: 'ETag of the version the client has.',
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
            'Token of the running process, found in the dashboard page. Reads need no token.',
        },
        managementKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Management key of the proxy, if the service is configured to accept it. Reads need no key.',
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
  validated = true,
  parameters = [],
  ...own
}: ReadPath): JsonObject {
  const headers = {
    ...(validated ? { ETag: { $ref: '#/components/headers/ETag' } } : {}),
    ...cacheControl,
    ...own.headers,
  }
  const asked = [
    ...parameters,
    ...(validated ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
  ]
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: [],
    ...(asked.length === 0 ? {} : { parameters: asked }),
    responses: {
      '200': { description: `${summary}.`, headers, content: answer },
      ...(validated ? { '304': { $ref: '#/components/responses/NotModified' } } : {}),
      ...sharedErrors,
      ...ownErrors(own.errors ?? {}),
      ...(own.unavailable === undefined ? {} : { '503': unavailableResponse(own.unavailable) }),
    },
  }
}

function schemaComponents(): JsonObject {
  const conversion: ConversionConfig = {
    target: 'draft-2020-12',
    errorMode: 'throw',
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
    // Generators know the type of an enum, and openapi-python-client writes no valid code for a constant that may be left out.
    overrideSchema: ({ jsonSchema: { const: literal } }) =>
      typeof literal === 'boolean' ? { type: 'boolean', enum: [literal] } : undefined,
  }
  return toJsonSchemaDefs(schemas, conversion)
}
