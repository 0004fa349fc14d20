import * as v from 'valibot'
import { described, optional } from './wire-schema.ts'

/** Answer of `/healthz`. */
export const healthzSchema = described(
  v.object({ ok: v.boolean() }),
  'The process is alive. Reports nothing else.',
)

/** An error of a read endpoint. */
export const readErrorSchema = described(
  v.object({
    ok: v.literal(false),
    status: described(v.string(), 'Stable slug of the error.'),
    error: described(v.string(), 'Error message for people; never quotes the request.'),
    upstreams: optional(
      v.array(v.string()),
      'Names of the watched proxies if the requested one is unknown; omitted for other errors.',
    ),
    parameter: optional(
      v.string(),
      'Name of the parameter with an unknown value; omitted for other errors.',
    ),
    allowed: optional(
      v.array(v.string()),
      'Supported values of the parameter; omitted for other errors.',
    ),
    requests: optional(
      v.number(),
      'With status `too_many_requests`: number of requests in the span. Omitted otherwise.',
    ),
    limit: optional(
      v.number(),
      'With status `too_many_requests`: maximum number of requests in the span. Omitted otherwise.',
    ),
    longestFrom: optional(
      v.nullable(v.string()),
      'With status `too_many_requests` and `rows_gone`: earliest start, with the same end, for which there is an answer; null if there is none. Omitted otherwise.',
    ),
    rowsSince: optional(
      v.nullable(v.string()),
      'With status `rows_gone`: time before which single requests are deleted. Omitted otherwise.',
    ),
    holder: optional(
      v.nullable(v.string()),
      'With status `standby`: host name and port of the monitor that sends the queries; null if there is none or the client may not refresh. Omitted otherwise.',
    ),
  }),
  'Error answer; `ok`, `status` and `error` mean the same as in the result of a refresh.',
)

/** Body of an error from a read endpoint. */
export type ReadError = v.InferOutput<typeof readErrorSchema>

/** Answer of `/readyz`. */
export const readyzSchema = described(
  v.object({ ok: v.boolean() }),
  'Accounts were read, or cannot be read for a reason that does not resolve by waiting; the history database, if configured, can be used.',
)

/** The body of `/healthz`, and of `/readyz` once ready. */
export const healthzBody: Readonly<v.InferOutput<typeof healthzSchema>> = { ok: true }

/** Text of every error answer, by status code and slug. The texts are fixed, so that no part of a request is echoed. */
const errorTexts = {
  400: {
    unknown_range: 'The range must be 24h, 7d or 30d.',
    unknown_value:
      'A parameter has a value that it does not take. It stands in parameter, and what it takes in allowed.',
    invalid_parameter:
      'A parameter has an invalid value. It stands in parameter, and what it takes, or examples of it, in allowed.',
    invalid_span: 'The parameter from must be earlier than to, and to at most a minute ahead.',
    invalid_cursor:
      'The cursor is not one of this question. Ask for the first page without a cursor.',
    bad_request: 'The request is not valid HTTP.',
    invalid_request: 'The request must carry exactly one valid Host header.',
    invalid_target: 'The target of the request must be a path that begins with one slash.',
    invalid_authority:
      'The address in the request line must name the same host as the Host header.',
    invalid_refresh:
      'The body must be a JSON object of type application/json. It has a scope (default, disabled-diagnostics, or account with an accountKey) or cancel: true, and nothing else.',
    invalid_pick:
      'The body must be a JSON object of type application/json. It has as, a name of 1 to 64 letters, digits, dots, underscores and hyphens, may have keep and failed, each a text, and avoid, plan, provider and upstream, each a list of texts, and nothing else.',
  },
  401: {
    unauthorized: 'The refresh token is missing or wrong. Reload the page to get the current one.',
    unauthorized_key:
      'The management key is missing or wrong. Send the key of the proxy in the header Authorization, as Bearer and the key.',
  },
  403: {
    forbidden: 'This host name is not allowed. Add it to allowed_hosts.',
    forbidden_origin: 'This origin is not allowed. Add its host name to allowed_hosts.',
    forbidden_origin_kind:
      'The Origin header is null or names no http or https page, as for a local file or a sandboxed frame. Such a request is always refused.',
    forbidden_site: 'A page of another site sent this request. Only pages of this service may.',
  },
  404: {
    not_found: 'There is nothing at this path. The API lives under /api/v1/.',
    unknown_account:
      'No account with this key is listed or recorded. Keys stand in selector.accountKey of /api/v1/recommendations.',
    unknown_upstream: 'No proxy of this name is watched. Those that are stand in upstreams.',
  },
  405: { method_not_allowed: 'This path does not take this method. See the Allow header.' },
  408: { request_timeout: 'The request did not arrive in time.' },
  413: { too_large: 'The body is larger than 4 KiB.' },
  414: { uri_too_long: 'The address is longer than 4 KiB.' },
  422: {
    rows_gone:
      'Only single requests could answer this, and those of the span before rowsSince are deleted.',
    too_many_requests:
      'Only single requests could answer this, and the span has more of them than limit. Ask for a span that begins at longestFrom or later.',
  },
  431: { headers_too_large: 'The headers are larger than 16 KiB.' },
  500: { internal: 'Something went wrong inside. The log of the service says what.' },
  503: {
    refresh_unavailable:
      'Refresh is off: no management key can be read. Run svc-quota-monitor doctor.',
    standby:
      'This monitor stands by: another one of the same history asks for quota. Ask the one that holder names.',
    too_many_followers:
      'As many clients follow the events as may at once: 64. Ask again later, or read the status.',
    shutting_down: 'The service is shutting down.',
    unavailable: 'The history is busy. Ask again in a moment.',
    no_store: 'Requests are kept in a store only. Set state_db.',
    store_unavailable: 'The store cannot be read now. /api/v1/health says why.',
    too_many_downloads: 'As many downloads are running as may. Ask again in a moment.',
    not_ready: 'No account list has been read yet.',
    store_held: 'This monitor stands by: another process holds the file of its history, state_db.',
  },
} as const

type Texts = typeof errorTexts
/** Stable name of an error of the API. */
export type ErrorSlug = { [Code in keyof Texts]: keyof Texts[Code] }[keyof Texts]

/** Member `status` of errors that share it with others; of all others it is the slug. */
const statuses: Readonly<Partial<Record<string, ErrorSlug>>> = {
  invalid_target: 'invalid_request',
  invalid_authority: 'invalid_request',
  forbidden_origin: 'forbidden',
  forbidden_origin_kind: 'forbidden',
  forbidden_site: 'forbidden',
  unauthorized_key: 'unauthorized',
  invalid_refresh: 'invalid_request',
  invalid_pick: 'invalid_request',
  refresh_unavailable: 'unavailable',
}

interface ErrorAnswer {
  readonly httpStatus: number
  readonly body: Readonly<ReadError>
}

/** Status code and body of every error answer, by slug. */
export const errorBodies = Object.fromEntries(
  Object.entries(errorTexts).flatMap(([code, texts]) =>
    Object.entries(texts).map(([slug, error]): [string, ErrorAnswer] => [
      slug,
      { httpStatus: Number(code), body: { ok: false, status: statuses[slug] ?? slug, error } },
    ]),
  ),
) as Readonly<Record<ErrorSlug, ErrorAnswer>>
