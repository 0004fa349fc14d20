import * as v from 'valibot'
import { expect, it } from 'vitest'
import { errorBodies, healthzBody, healthzSchema, readErrorSchema } from './errors.ts'

/** Slugs on the wire; several causes share a slug but have different texts. */
const SLUG_ON_THE_WIRE: Readonly<Record<string, string>> = {
  invalid_refresh: 'invalid_request',
  invalid_pick: 'invalid_request',
  invalid_target: 'invalid_request',
  invalid_authority: 'invalid_request',
  forbidden_origin: 'forbidden',
  forbidden_origin_kind: 'forbidden',
  forbidden_site: 'forbidden',
  unauthorized_key: 'unauthorized',
  refresh_unavailable: 'unavailable',
}

it.each(Object.entries(errorBodies))(
  '%s is a read error whose status is its slug',
  (slug, { httpStatus, body }) => {
    expect(v.parse(readErrorSchema, body)).toEqual({
      ok: false,
      status: SLUG_ON_THE_WIRE[slug] ?? slug,
      error: expect.stringMatching(/^[A-Z].*\.$/),
    })
    expect(httpStatus).toBeGreaterThanOrEqual(400)
    expect(httpStatus).toBeLessThan(600)
  },
)

it('maps each slug to its status code', () => {
  expect(
    Object.fromEntries(
      Object.entries(errorBodies).map(([slug, { httpStatus }]) => [slug, httpStatus]),
    ),
  ).toEqual({
    bad_request: 400,
    invalid_request: 400,
    invalid_target: 400,
    invalid_authority: 400,
    invalid_refresh: 400,
    invalid_pick: 400,
    unauthorized: 401,
    unauthorized_key: 401,
    forbidden: 403,
    forbidden_origin: 403,
    forbidden_origin_kind: 403,
    forbidden_site: 403,
    not_found: 404,
    method_not_allowed: 405,
    request_timeout: 408,
    too_large: 413,
    uri_too_long: 414,
    headers_too_large: 431,
    internal: 500,
    too_many_followers: 503,
    shutting_down: 503,
    unavailable: 503,
    unknown_account: 404,
    unknown_upstream: 404,
    unknown_range: 400,
    unknown_value: 400,
    invalid_parameter: 400,
    invalid_span: 400,
    invalid_cursor: 400,
    rows_gone: 422,
    too_many_requests: 422,
    no_store: 503,
    store_unavailable: 503,
    too_many_downloads: 503,
    not_ready: 503,
    store_held: 503,
    refresh_unavailable: 503,
    standby: 503,
  })
})

it('liveness is one word', () => {
  expect(v.parse(healthzSchema, healthzBody)).toEqual({ ok: true })
})

it('no two causes have the same text', () => {
  const texts = Object.values(errorBodies).map(({ body }) => body.error)
  expect(new Set(texts).size).toBe(texts.length)
})

it('a text speaks of its own cause and of no other remedy', () => {
  expect(errorBodies.unauthorized_key.body.error).not.toMatch(/reload/i)
  expect(errorBodies.unauthorized.body.error).not.toMatch(/key/)
  expect(errorBodies.forbidden_origin_kind.body.error).not.toMatch(/allowed_hosts/)
})
