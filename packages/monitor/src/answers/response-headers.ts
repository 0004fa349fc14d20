/**
 * Headers of every answer but the page: nothing in it may run, frame or embed it, and no cache may keep it. A CORS
 * header is never sent. See docs/security.md.
 */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept-Encoding',
  'X-Content-Type-Options': 'nosniff',
} as const

/** Browser features that the page never needs. */
const NO_FEATURES = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'serial',
  'usb',
]

/** Headers of the page: it runs only its own files and talks only to its own origin. See docs/security.md. */
export const PAGE_HEADERS = {
  ...securityHeaders,
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Content-Type': 'text/html; charset=utf-8',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  // A page on a wall display keeps its screen awake.
  'Permissions-Policy': [
    ...NO_FEATURES.map((feature) => `${feature}=()`),
    'screen-wake-lock=(self)',
  ].join(', '),
  'X-Frame-Options': 'DENY',
} as const

/** Headers of a file whose name changes with its content. */
export const ASSET_HEADERS = {
  ...securityHeaders,
  'Cache-Control': 'public, max-age=31536000, immutable',
} as const

/** Headers of the events. The last one keeps nginx from holding them back. */
export const EVENT_STREAM_HEADERS = {
  ...securityHeaders,
  'Content-Type': 'text/event-stream',
  'X-Accel-Buffering': 'no',
} as const

export const JSON_TYPE = 'application/json; charset=utf-8'
export const CALENDAR_TYPE = 'text/calendar; charset=utf-8'
export const CSV_TYPE = 'text/csv; charset=utf-8'
/** Content type of JSON Lines, one document per line. */
export const JSON_LINES_TYPE = 'application/x-ndjson; charset=utf-8'
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Header for warnings about the request, in answers whose body has no place for them. */
export const WARNINGS_HEADER = 'X-Svc-Quota-Monitor-Warnings'

/** Header with the cursor of the next page, where the answer has no place for it. */
export const NEXT_HEADER = 'X-Svc-Quota-Monitor-Next'
