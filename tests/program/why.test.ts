import { join } from 'node:path'
import { fixedClock } from '@svc/core/testing'
import type { Recommendations } from '@svc/views'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runProgram } from '../../tooling/service/built-program.ts'
import { type LocalService, startService } from '../../tooling/service/start-service.ts'

let demo: LocalService
beforeAll(async () => {
  demo = await startService({ where: 'here', time: fixedClock(), demo: true })
})
afterAll(() => demo.stop())

const why = (args: readonly string[], columns = 80) =>
  runProgram(['why', '--url', demo.url, ...args], {
    env: { TZ: 'UTC', COLUMNS: String(columns) },
  })

/** Names of a routable account, of a blocked one, of one with two files and of one whose login is refused. */
async function namesInDemo(): Promise<readonly string[]> {
  const { items } = await demo.json<Recommendations>('/api/v1/recommendations')
  const twice = items.find(({ accountKey }, at) =>
    items.slice(at + 1).some((other) => other.accountKey === accountKey),
  )
  const blockedBy = (slug: string) =>
    items.find(({ routingBlockedReasons: reasons }) => reasons.includes(slug))
  return [
    items[0]?.title ?? '',
    blockedBy('quota_exhausted_5h')?.selector.authName ?? '',
    twice?.accountKey ?? '',
    blockedBy('auth_invalid')?.accountKey.slice(0, 4) ?? '',
  ]
}

describe('why, the program', () => {
  it.each([
    { columns: 80, count: 4 },
    { columns: 120, count: 1 },
  ])(
    'golden: $count of four accounts of the demo, in $columns columns',
    async ({ columns, count }) => {
      let printed = ''
      for (const name of (await namesInDemo()).slice(0, count)) {
        const { code, stdout, stderr } = await why([name], columns)
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
        printed += `${stdout}---\n`
      }

      // A name of a file is never broken, so that it can be copied.
      const long = printed.split('\n').filter((line) => line.length > columns)
      expect(long.every((line) => !line.includes(' '))).toBe(true)
      await expect(printed).toMatchFileSnapshot(
        join(import.meta.dirname, 'golden', `why-${columns}.txt`),
      )
    },
  )
})
