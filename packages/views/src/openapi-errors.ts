import { type PathError, unknownUpstream } from './openapi-paths.ts'
import { cacheControl, type JsonObject, schemaRef, type schemas } from './openapi-schemas.ts'
import { type ErrorSlug, errorBodies } from './payloads/errors.ts'

/** Error answers of any request, by status code. An error of a wrong path or method belongs to no operation and is not listed. */
const errorResponses = {
  '400': {
    name: 'BadRequest',
    description: 'The request is malformed.',
    slugs: ['bad_request', 'invalid_request', 'invalid_target', 'invalid_authority'],
  },
  '403': {
    name: 'Forbidden',
    description: 'The Host or Origin guard refused the request.',
    slugs: ['forbidden', 'forbidden_origin', 'forbidden_origin_kind', 'forbidden_site'],
  },
  '408': {
    name: 'RequestTimeout',
    description: 'The request did not arrive in time.',
    slugs: ['request_timeout'],
  },
  '414': {
    name: 'UriTooLong',
    description: 'The request URI is too long.',
    slugs: ['uri_too_long'],
  },
  '431': {
    name: 'HeadersTooLarge',
    description: 'The request headers are too large.',
    slugs: ['headers_too_large'],
  },
  '500': {
    name: 'Internal',
    description: 'An internal fault of the service. Failures of the proxy never cause it.',
    slugs: ['internal'],
  },
  '503': {
    name: 'ShuttingDown',
    description: 'The service is shutting down.',
    slugs: ['shutting_down'],
  },
} satisfies Readonly<Record<string, PathError & { readonly name: string }>>

/** Error answers of the refresh action, by status code. They replace the shared errors with the same code. */
export const refreshErrors = {
  '400': {
    description: 'The body is invalid, or the request is malformed.',
    slugs: ['invalid_refresh', 'invalid_request', 'bad_request'],
  },
  '401': {
    description: 'The token or the key is missing or wrong.',
    slugs: ['unauthorized', 'unauthorized_key'],
  },
  '404': {
    description: 'No account with this key is listed.',
    slugs: ['unknown_account'],
  },
  '413': { description: 'The body is too large.', slugs: ['too_large'] },
  '503': {
    description:
      'There is no management key, another monitor sends the queries, or the service is shutting down.',
    slugs: ['refresh_unavailable', 'standby', 'shutting_down'],
  },
} satisfies Readonly<Record<string, PathError>>

/** Error answers of a pick by a remembered caller, by status code. They replace the shared errors with the same code. */
export const pickErrors = {
  '400': {
    description: 'The body is invalid or has an unknown value, or the request is malformed.',
    slugs: ['invalid_pick', 'unknown_value', 'invalid_request', 'bad_request'],
  },
  ...unknownUpstream,
  '413': { description: 'The body is too large.', slugs: ['too_large'] },
} satisfies Readonly<Record<string, PathError>>

/** The example body of each error. */
function examplesOf(slugs: readonly ErrorSlug[]): JsonObject {
  return Object.fromEntries(slugs.map((slug) => [slug, { value: { ...errorBodies[slug].body } }]))
}

/** Error answers that every path may give, by status code. */
export const sharedErrors: JsonObject = Object.fromEntries(
  Object.entries(errorResponses).map(([code, { name }]) => [
    code,
    { $ref: `#/components/responses/${name}` },
  ]),
)

/** Error answers of a single path, by status code, with bodies of this schema. */
export function ownErrors(
  errors: Readonly<Record<string, PathError>>,
  schema?: keyof typeof schemas,
): JsonObject {
  return Object.fromEntries(
    Object.entries(errors).map(([code, error]) => [code, errorResponse(error, schema)]),
  )
}

function errorResponse(
  { description, slugs }: PathError,
  schema: keyof typeof schemas = 'ReadError',
): JsonObject {
  return {
    description,
    headers: cacheControl,
    content: {
      'application/json': { schema: schemaRef(schema), examples: examplesOf(slugs) },
    },
  }
}

/** The 503 answer of a path with reasons of its own. */
export function unavailableResponse({ description, slugs }: PathError): JsonObject {
  return {
    ...errorResponse({ description, slugs: [...slugs, 'shutting_down'] }),
    headers: {
      ...cacheControl,
      'Retry-After': { description: 'Seconds until the next attempt.', schema: { type: 'string' } },
    },
  }
}

/** Error answers shared by several paths. */
export function responseComponents(): JsonObject {
  const errors = Object.values(errorResponses).map(({ name, ...error }): [string, JsonObject] => [
    name,
    errorResponse(error),
  ])
  const notModified = {
    description: 'The client already has this version.',
    headers: {
      ETag: { $ref: '#/components/headers/ETag' },
      ...cacheControl,
    },
  }
  return { NotModified: notModified, ...Object.fromEntries(errors) }
}
