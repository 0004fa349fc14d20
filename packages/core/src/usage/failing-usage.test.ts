import { expect, it } from 'vitest'
import { isFailing } from './failing-usage.ts'

it.each([
  { requests: 0, failed: 0, failing: false },
  { requests: 4, failed: 4, failing: false },
  { requests: 5, failed: 1, failing: true },
  { requests: 100, failed: 9, failing: false },
  { requests: 100, failed: 10, failing: true },
])(
  '$failed of $requests requests failed: $failing that this is too many',
  ({ requests, failed, failing }) => {
    expect(isFailing({ requests, failed, tokens: 0 })).toBe(failing)
  },
)
