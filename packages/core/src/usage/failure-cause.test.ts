import fc from 'fast-check'
import { expect, it } from 'vitest'
import { causesWithin, failureCauseOf, type ProviderCause } from './failure-cause.ts'

const codeOf = (body: unknown) =>
  failureCauseOf(429, typeof body === 'string' ? body : JSON.stringify(body)).code

it.each([
  [{ error: { code: 'rate_limit_exceeded', type: 'requests' } }, 'rate_limit_exceeded'],
  [
    { error: { type: 'usage_limit_reached', message: 'for ann@example.com' } },
    'usage_limit_reached',
  ],
  [{ error: { code: null, type: 'Overloaded_Error' } }, 'overloaded_error'],
  // Google's code is a number.
  [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }, 'resource_exhausted'],
  [[{ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }], 'resource_exhausted'],
  [{ error: 'invalid_grant' }, 'invalid_grant'],
  [{ error: { code: 'a.b-c_d' } }, 'a.b-c_d'],
  [{ error: { code: 'sk-live-1', type: 'server_error' } }, 'server_error'],
  [{ error: { code: 'a_b_c_d_e_f_g', status: 'UNKNOWN' } }, 'unknown'],
  [{ error: { code: 'abcdefghijklmnopq' } }, 'none'],
  [{ error: { code: 'two words' } }, 'none'],
  [{ error: { code: 'naïve' } }, 'none'],
  [{ error: { code: ['x'], type: { y: 1 } } }, 'none'],
  ['{"error":{"__proto__":{"code":"inherited"}}}', 'none'],
  [{ error: 'Something went wrong' }, 'none'],
  [{ detail: 'Unauthorized' }, 'none'],
  [null, 'none'],
  ['', 'none'],
  ['upstream connect error', 'none'],
  ['{"error":{"code":"cut', 'none'],
  ['\uFEFF \n{"error":{"code":"late"}}', 'late'],
  [' \n<!DOCTYPE html><title>Just a moment</title>', 'html'],
  ['\uFEFF<html>', 'html'],
  [`{"error":{"code":"big","message":"${'x'.repeat(1_000_000)}"}}`, 'none'],
] as const)('the code in %.60j is %s', (body, code) => {
  expect(codeOf(body)).toBe(code)
})

it.each([
  [429, 429],
  [100, 100],
  [999, 999],
  [0, 0],
  [99, 0],
  [1_000, 0],
  [-1, 0],
  [429.5, 0],
  [Number.NaN, 0],
  [Number.POSITIVE_INFINITY, 0],
])('the status %d is stored as %i', (httpStatus, status) => {
  expect(failureCauseOf(httpStatus, '').status).toBe(status)
})

it('no body brings more than six words of sixteen letters into a code', () => {
  const member = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.jsonValue())
  const error = fc.record(
    { code: member, type: member, status: member, message: member },
    { requiredKeys: [] },
  )
  const body = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.record({ error: fc.oneof(error, member) }).map((one) => JSON.stringify(one)),
  )
  fc.assert(
    fc.property(body, (text) => {
      expect(codeOf(text)).toMatch(/^[a-z]{1,16}(?:[_.-][a-z]{1,16}){0,5}$/)
    }),
    { numRuns: process.env.TEST_SIZE === 'full' ? 2_000 : 300 },
  )
})

const cause = (providerId: number, number: number): ProviderCause => ({
  providerId,
  status: 400,
  code: `code-${number}`,
})
const causes = (providerId: number, length: number, from = 0) =>
  Array.from({ length }, (_, number) => cause(providerId, from + number))
const named = (all: readonly ProviderCause[]) => all.filter(({ code }) => code !== 'other')

it('a provider has 64 causes, and one for the rest', () => {
  const found = causesWithin(causes(1, 60), [...causes(1, 6, 60), cause(2, 0)])

  expect(named(found)).toEqual([...causes(1, 4, 60), cause(2, 0)])
  expect(found.slice(4, 6)).toEqual(Array(2).fill({ providerId: 1, status: 0, code: 'other' }))
})

it('all providers have 1,000 causes together, and one each for the rest', () => {
  const stored = Array.from({ length: 20 }, (_, providerId) => causes(providerId, 49)).flat()
  const others = { providerId: 3, status: 0, code: 'other' }
  const found = causesWithin([...stored, others], [...causes(30, 30), others])

  expect(named(found)).toEqual(causes(30, 20))
  expect(found.slice(20)).toEqual([...Array(10).fill({ ...others, providerId: 30 }), others])
})
