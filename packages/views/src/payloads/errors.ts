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
      'With status `too_many_requests` and `rows_gone`: start of the longest span with the same end that is answered; null if there is none. Omitted otherwise.',
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

/** Stable name of an error of the API. */
export type ErrorSlug =
  | 'not_found'
  | 'unknown_account'
  | 'unknown_range'
  | 'unknown_value'
  | 'unknown_upstream'
  | 'invalid_parameter'
  | 'invalid_span'
  | 'invalid_cursor'
  | 'rows_gone'
  | 'too_many_requests'
  | 'method_not_allowed'
  | 'bad_request'
  | 'invalid_request'
  | 'invalid_target'
  | 'invalid_authority'
  | 'forbidden'
  | 'forbidden_origin'
  | 'forbidden_origin_kind'
  | 'forbidden_site'
  | 'unauthorized'
  | 'unauthorized_key'
  | 'too_large'
  | 'invalid_refresh'
  | 'invalid_pick'
  | 'refresh_unavailable'
  | 'standby'
  | 'request_timeout'
  | 'uri_too_long'
  | 'headers_too_large'
  | 'too_many_followers'
  | 'shutting_down'
  | 'unavailable'
  | 'no_store'
  | 'store_unavailable'
  | 'too_many_downloads'
  | 'not_ready'
  | 'store_held'
  | 'internal'

interface ErrorAnswer {
  readonly httpStatus: number
  readonly body: Readonly<ReadError>
}

/** Status code and body of every error answer, by slug. The texts are fixed, so that no part of a request is echoed. */
export const errorBodies: Readonly<Record<ErrorSlug, ErrorAnswer>> = {
  not_found: errorAnswer(
    404,
    'not_found',
    'There is nothing at this path. The API lives under /api/v1/.',
  ),
  unknown_account: errorAnswer(
    404,
    'unknown_account',
    'No account with this key is listed or recorded. Keys stand in selector.accountKey of /api/v1/recommendations.',
  ),
  unknown_upstream: errorAnswer(
    404,
    'unknown_upstream',
    'No proxy of this name is watched. Those that are stand in upstreams.',
  ),
  unknown_range: errorAnswer(400, 'unknown_range', 'The range must be 24h, 7d or 30d.'),
  unknown_value: errorAnswer(
    400,
    'unknown_value',
    'A parameter has a value that it does not take. It stands in parameter, and what it takes in allowed.',
  ),
  invalid_parameter: errorAnswer(
    400,
    'invalid_parameter',
    'A parameter has an invalid value. It stands in parameter, and what it takes, or examples of it, in allowed.',
  ),
  invalid_span: errorAnswer(
    400,
    'invalid_span',
    'The parameter from must be earlier than to, and to at most a minute ahead.',
  ),
  invalid_cursor: errorAnswer(
    400,
    'invalid_cursor',
    'The cursor is not one of this question. Ask for the first page without a cursor.',
  ),
  rows_gone: errorAnswer(
    422,
    'rows_gone',
    'Only single requests could answer this, and those of the span before rowsSince are deleted.',
  ),
  too_many_requests: errorAnswer(
    422,
    'too_many_requests',
    'Only single requests could answer this, and the span has more of them than limit. Ask for a span that begins at longestFrom or later.',
  ),
  method_not_allowed: errorAnswer(
    405,
    'method_not_allowed',
    'This path does not take this method. See the Allow header.',
  ),
  bad_request: errorAnswer(400, 'bad_request', 'The request is not valid HTTP.'),
  invalid_request: errorAnswer(
    400,
    'invalid_request',
    'The request must carry exactly one valid Host header.',
  ),
  invalid_target: errorAnswer(
    400,
    'invalid_request',
    'The target of the request must be a path that begins with one slash.',
  ),
  invalid_authority: errorAnswer(
    400,
    'invalid_request',
    'The address in the request line must name the same host as the Host header.',
  ),
  forbidden: errorAnswer(
    403,
    'forbidden',
    'This host name is not allowed. Add it to allowed_hosts.',
  ),
  forbidden_origin: errorAnswer(
    403,
    'forbidden',
    'This origin is not allowed. Add its host name to allowed_hosts.',
  ),
  forbidden_origin_kind: errorAnswer(
    403,
    'forbidden',
    'The Origin header is null or names no http or https page, as for a local file or a sandboxed frame. Such a request is always refused.',
  ),
  forbidden_site: errorAnswer(
    403,
    'forbidden',
    'A page of another site sent this request. Only pages of this service may.',
  ),
  unauthorized: errorAnswer(
    401,
    'unauthorized',
    'The refresh token is missing or wrong. Reload the page to get the current one.',
  ),
  unauthorized_key: errorAnswer(
    401,
    'unauthorized',
    'The management key is missing or wrong. Send the key of the proxy in the header Authorization, as Bearer and the key.',
  ),
  too_large: errorAnswer(413, 'too_large', 'The body is larger than 4 KiB.'),
  invalid_refresh: errorAnswer(
    400,
    'invalid_request',
    'The body must be a JSON object of type application/json. It has a scope (default, disabled-diagnostics, or account with an accountKey) or cancel: true, and nothing else.',
  ),
  invalid_pick: errorAnswer(
    400,
    'invalid_request',
    'The body must be a JSON object of type application/json. It has as, a name of 1 to 64 letters, digits, dots, underscores and hyphens, may have keep and failed, each a text, and avoid, plan, provider and upstream, each a list of texts, and nothing else.',
  ),
  refresh_unavailable: errorAnswer(
    503,
    'unavailable',
    'Refresh is off: no management key can be read. Run svc-quota-monitor doctor.',
  ),
  standby: errorAnswer(
    503,
    'standby',
    'This monitor stands by: another one of the same history asks for quota. Ask the one that holder names.',
  ),
  request_timeout: errorAnswer(408, 'request_timeout', 'The request did not arrive in time.'),
  uri_too_long: errorAnswer(414, 'uri_too_long', 'The address is longer than 4 KiB.'),
  headers_too_large: errorAnswer(431, 'headers_too_large', 'The headers are larger than 16 KiB.'),
  too_many_followers: errorAnswer(
    503,
    'too_many_followers',
    'As many clients follow the events as may at once: 64. Ask again later, or read the status.',
  ),
  shutting_down: errorAnswer(503, 'shutting_down', 'The service is shutting down.'),
  unavailable: errorAnswer(503, 'unavailable', 'The history is busy. Ask again in a moment.'),
  no_store: errorAnswer(503, 'no_store', 'Requests are kept in a store only. Set state_db.'),
  store_unavailable: errorAnswer(
    503,
    'store_unavailable',
    'The store cannot be read now. /api/v1/health says why.',
  ),
  too_many_downloads: errorAnswer(
    503,
    'too_many_downloads',
    'As many downloads are running as may. Ask again in a moment.',
  ),
  not_ready: errorAnswer(503, 'not_ready', 'No account list has been read yet.'),
  store_held: errorAnswer(
    503,
    'store_held',
    'This monitor stands by: another process holds the file of its history, state_db.',
  ),
  internal: errorAnswer(
    500,
    'internal',
    'Something went wrong inside. The log of the service says what.',
  ),
}

function errorAnswer(httpStatus: number, status: string, error: string): ErrorAnswer {
  return { httpStatus, body: { ok: false, status, error } }
}
