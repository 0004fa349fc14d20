import { expect, it } from 'vitest'
import { isRefusedRefresh } from './refused-refresh.ts'

it.each<{ body: unknown; refused: boolean }>([
  { body: { error: 'auth token refresh failed' }, refused: true },
  { body: { error: 'auth token refresh failed: status 400' }, refused: true },
  { body: 'auth token refresh failed', refused: true },
  { body: { error: 'auth token not found' }, refused: false },
  { body: { error: { message: 'auth token refresh failed' } }, refused: false },
  { body: { error: 'no auth token refresh failed' }, refused: false },
  { body: { status_code: 401, body: '' }, refused: false },
  { body: [], refused: false },
  { body: null, refused: false },
])('$body is a refused refresh: $refused', ({ body, refused }) => {
  expect(isRefusedRefresh(body)).toBe(refused)
})
