import { expect, it } from 'vitest'
import { createGenerationMemory } from './generation.ts'
import { UpstreamError } from './upstream-error.ts'

const failureOf = (...[code, detail]: readonly [UpstreamError['code'], object?]) =>
  new UpstreamError(code, 'it failed', detail)

const FAILURES = {
  'its own word about the key': failureOf('unauthorized', { httpStatus: 401, isFromProxy: true }),
  'its own refusal': failureOf('unauthorized', { httpStatus: 403, isFromProxy: true }),
  'that it is at home elsewhere': failureOf('home', { httpStatus: 403 }),
  'a gateway about the key': failureOf('unauthorized', { httpStatus: 401 }),
  'a missing route': failureOf('unsupported', { httpStatus: 404 }),
  'a route that is there': failureOf('unsupported', {
    ...{ httpStatus: 404, isFromProxy: true, hasReason: true },
  }),
  'a broken proxy': failureOf('unsupported', { httpStatus: 502 }),
}

// A second question with a wrong key would bring the ban nearer.
it.each([
  ['its own word about the key', false, false],
  ['its own refusal', false, false],
  ['that it is at home elsewhere', false, false],
  ['a gateway about the key', true, true],
  ['a missing route', true, true],
  ['a route that is there', true, false],
  ['a broken proxy', true, false],
] as const)(
  'after %s the list is asked for elsewhere: known as v0 %s, new %s',
  (said, v0, anew) => {
    const asked = (known: 'v0' | null) =>
      createGenerationMemory({ monotonicMs: () => 0 }, known).isElsewhere(
        'accounts',
        { first: 'v8', version: null },
        FAILURES[said],
      )
    expect([asked('v0'), asked(null)]).toEqual([v0, anew])
  },
)
