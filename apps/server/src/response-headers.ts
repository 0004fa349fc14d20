/**
 * Headers of every answer that is no page: nothing may run, frame or embed it, and no cache may keep it. There is no CORS
 * header, ever. Source: quality guard 1.6.
 */
export const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept-Encoding',
  'X-Content-Type-Options': 'nosniff',
} as const

export const JSON_TYPE = 'application/json; charset=utf-8'
export const CSV_TYPE = 'text/csv; charset=utf-8'
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
