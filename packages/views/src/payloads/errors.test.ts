import { expect, it } from 'vitest'
import { errorBodies } from './errors.ts'

it('no two causes have the same text', () => {
  const texts = Object.values(errorBodies).map(({ body }) => body.error)
  expect(new Set(texts).size).toBe(texts.length)
})

it('a text speaks of its own cause and of no other remedy', () => {
  expect(errorBodies.unauthorized_key.body.error).not.toMatch(/reload/i)
  expect(errorBodies.unauthorized.body.error).not.toMatch(/key/)
  expect(errorBodies.forbidden_origin_kind.body.error).not.toMatch(/allowed_hosts/)
})
