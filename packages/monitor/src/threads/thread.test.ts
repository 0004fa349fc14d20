import { silentLog, virtualClock } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { startThread, type Thread } from './thread.ts'

interface Far {
  run(): void
}

/** A thread whose code this is, and what it was lost by. */
function threadOf(code: string): {
  readonly thread: Thread<Far>
  readonly lostBy: Promise<string | null>
} {
  let resolve: (error: string | null) => void = () => undefined
  const lostBy = new Promise<string | null>((done) => {
    resolve = done
  })
  const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`)
  return {
    thread: startThread<Far, typeof silentLog>({
      url,
      name: 'test',
      setup: null,
      near: silentLog,
      onCrash: resolve,
    }),
    lostBy,
  }
}

it.each([
  ['the name of what was thrown', 'throw new TypeError("sk-secret")', /^TypeError at /],
  [
    'its code, where it has one',
    'throw Object.assign(new Error("sk-secret"), { code: "EMFILE" })',
    /^EMFILE at /,
  ],
  ['"unknown" where it has no name', 'throw "sk-secret"', /^unknown$/],
  ['nothing when it has only ended', 'process.exit(1)', /^null$/],
])('a thread that ends is reported with %s', async (_, code, expected) => {
  const { thread, lostBy } = threadOf(code)

  const error = String(await lostBy)
  expect(error).toMatch(expected)
  expect(error).not.toContain('sk-secret')
  await expect(thread.call('run', [])).rejects.toMatchObject({ code: 'crashed' })
})

it('a thread that we end is not reported as lost', async () => {
  const { thread, lostBy } = threadOf('setInterval(() => undefined, 1000)')
  const clock = virtualClock(async () => undefined)

  expect(await thread.end({ clock, closeMs: 1_000 }, Promise.resolve())).toBe(true)
  expect(
    await Promise.race([lostBy, new Promise((resolve) => setImmediate(() => resolve('nothing')))]),
  ).toBe('nothing')
})
