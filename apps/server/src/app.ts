import type { Log } from '@svc/core'
import { type ErrorSlug, errorBodies, healthzBody } from '@svc/views'
import { Hono } from 'hono'
import type { EncodedPayload, Payloads } from './monitor/payloads.ts'
import { JSON_TYPE, METRICS_TYPE, securityHeaders } from './response-headers.ts'
import { readyBytes } from './routes/ready-bytes.ts'

export interface AppDeps {
  /** Bytes of the latest snapshot. */
  readonly payloads: () => Payloads
  readonly openapi: EncodedPayload
  /** Metrics as text exposition 0.0.4. */
  readonly metrics: () => Promise<string>
  readonly log: Log
}

/** Every path that is served; the labels of the request metrics. */
export const routes = [
  '/healthz',
  '/api/v1/status',
  '/api/v1/recommendations',
  '/api/v1/health',
  '/api/v1/openapi.json',
  '/metrics',
] as const

const HEALTHZ = JSON.stringify(healthzBody)

/** The routes. Every answer is made of ready bytes; the guard has already judged the request. */
export function createApp(deps: AppDeps): Hono {
  const app = new Hono()
  app.get(
    '/healthz',
    () => new Response(HEALTHZ, { headers: { ...securityHeaders, 'Content-Type': JSON_TYPE, 'Content-Length': String(HEALTHZ.length) } }),
  )
  app.get('/api/v1/status', (c) => readyBytes(deps.payloads().status, c.req.raw))
  app.get('/api/v1/recommendations', (c) => readyBytes(deps.payloads().recommendations, c.req.raw))
  app.get('/api/v1/health', (c) => readyBytes(deps.payloads().health, c.req.raw))
  app.get('/api/v1/openapi.json', (c) => readyBytes(deps.openapi, c.req.raw))
  app.get('/metrics', async () => {
    const text = await deps.metrics()
    return new Response(text, {
      headers: { ...securityHeaders, 'Content-Type': METRICS_TYPE, 'Content-Length': String(Buffer.byteLength(text)) },
    })
  })
  for (const path of routes) app.all(path, () => errorResponse('method_not_allowed', { Allow: 'GET, HEAD' }))
  app.notFound(() => errorResponse('not_found'))
  app.onError((error) => {
    deps.log.error('answer failed', { error: error.name })
    return errorResponse('internal')
  })
  return app
}

/** An error answer with its fixed body. */
function errorResponse(slug: ErrorSlug, headers: Readonly<Record<string, string>> = {}): Response {
  const { httpStatus, body } = errorBodies[slug]
  const text = JSON.stringify(body)
  return new Response(text, {
    status: httpStatus,
    headers: { ...securityHeaders, 'Content-Type': JSON_TYPE, 'Content-Length': String(Buffer.byteLength(text)), ...headers },
  })
}
