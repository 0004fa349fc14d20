import * as v from 'valibot'
import { expect, it } from 'vitest'
import { errorBodies, healthzBody, healthzSchema, readErrorSchema } from './errors.ts'

/** What refuses a refresh speaks of it under a slug of the specification. */
const SLUG_ON_THE_WIRE: Readonly<Record<string, string>> = { invalid_refresh: 'invalid_request', refresh_unavailable: 'unavailable' }

it.each(Object.entries(errorBodies))('%s is a read error whose status is its slug', (slug, { httpStatus, body }) => {
  expect(v.parse(readErrorSchema, body)).toEqual({
    ok: false,
    status: SLUG_ON_THE_WIRE[slug] ?? slug,
    error: expect.stringMatching(/^[A-Z].*\.$/),
  })
  expect(httpStatus).toBeGreaterThanOrEqual(400)
  expect(httpStatus).toBeLessThan(600)
})

it('maps each slug to its status code', () => {
  expect(Object.fromEntries(Object.entries(errorBodies).map(([slug, { httpStatus }]) => [slug, httpStatus]))).toEqual({
    bad_request: 400,
    invalid_request: 400,
    invalid_refresh: 400,
    unauthorized: 401,
    forbidden: 403,
    not_found: 404,
    method_not_allowed: 405,
    request_timeout: 408,
    too_large: 413,
    uri_too_long: 414,
    headers_too_large: 431,
    internal: 500,
    shutting_down: 503,
    unavailable: 503,
    refresh_unavailable: 503,
  })
})

it('liveness is one word', () => {
  expect(v.parse(healthzSchema, healthzBody)).toEqual({ ok: true })
})
