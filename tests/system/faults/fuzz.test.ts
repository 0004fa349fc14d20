import { randomInt } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../../tooling/eventually.ts'
import { freePort } from '../../../tooling/service/built-program.ts'
import { startService } from '../../../tooling/service/start-service.ts'
import { monotonicNowMs } from '../../../tooling/test-instant.ts'
import { underFault } from './base-line.ts'
import { createRequestFuzzer, exchange } from './request-fuzzer.ts'

/** The long run: `FUZZ_SECONDS=600 npx vitest run tests/system/faults/fuzz.test.ts`. A run can be repeated with `FUZZ_SEED`. */
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 30)
const SEED = Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31))
const CONNECTIONS = 24
const STATUSES = new Set([200, 304, 400, 401, 403, 404, 405, 408, 414, 431])
/** What refuses a third download at once. */
const BUSY = /^HTTP\/1\.1 503 .*\r\nretry-after: 5\r\n/is
const SECURITY = [
  'cache-control: no-store',
  "content-security-policy: default-src 'none'",
  'x-content-type-options: nosniff',
]
const LOG_LINE_LENGTH_MAX = 1_024
/** The sample makes its usage anew for each chart and download, several at a time: 210 to 260 MB were seen, after 9,000 connections or 23,000. */
const RSS_MB_MAX = 320

/** Heads of the answers on one connection; a body may hold what looks like one, so only what follows its length is looked at. */
function headsOf(answer: Buffer): readonly string[] {
  const heads: string[] = []
  let at = 0
  while (at < answer.length) {
    const end = answer.indexOf('\r\n\r\n', at)
    if (end < 0) break
    const head = answer.toString('latin1', at, end)
    heads.push(head)
    const bodyless = /^HTTP\/1\.1 (?:304|1\d\d)/.test(head)
    at = end + 4 + (bodyless ? 0 : Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0))
    // The answer to a HEAD has a length and no body.
    if (
      at > answer.length ||
      (at < answer.length && !answer.toString('latin1', at, at + 5).startsWith('HTTP/'))
    )
      break
  }
  return heads
}

describe('random bytes, targets and headers', () => {
  it(`${SECONDS} s of them`, async (context) => {
    const demo = await startService({
      where: 'program',
      args: ['--demo', '--port', String(await freePort())],
    })
    const port = Number(new URL(demo.url).port)
    const pid = demo.child.pid ?? 0
    const watched = { url: demo.url, pid, output: () => demo.stdout() + demo.stderr(), secrets: [] }
    const filesBefore = readdirSync(`/proc/${pid}/fd`).length
    await underFault(
      context,
      watched,
      async () => {
        const fuzzer = createRequestFuzzer(SEED)
        const counts = new Map<number, number>()
        const endsAt = monotonicNowMs() + SECONDS * 1_000
        let sent = 0
        await Promise.all(
          Array.from({ length: CONNECTIONS }, async () => {
            while (monotonicNowMs() < endsAt) {
              const pieces = fuzzer.next()
              const heads = headsOf(await exchange(port, pieces))
              sent += 1
              for (const head of heads) {
                const status = Number(head.slice(9, 12))
                const what = `seed ${SEED}: ${JSON.stringify(Buffer.concat(pieces).toString('latin1').slice(0, 500))} was answered ${head}`
                if (/^HTTP\/1\.1 100 /.test(head)) continue
                expect(STATUSES.has(status) || BUSY.test(head), what).toBe(true)
                for (const line of SECURITY) expect(head.toLowerCase(), what).toContain(line)
                counts.set(status, (counts.get(status) ?? 0) + 1)
              }
            }
          }),
        )
        await eventually(
          'its connections are gone',
          () => readdirSync(`/proc/${pid}/fd`).length <= filesBefore + 4,
        )
        const metrics = await (await fetch(`${demo.url}/metrics`)).text()
        const denied = [...metrics.matchAll(/http_guard_denied_total\{[^}]*\} (\d+)/g)].reduce(
          (sum, [, count]) => sum + Number(count),
          0,
        )

        expect(sent).toBeGreaterThan(100)
        expect(counts.get(200)).toBeGreaterThan(0)
        expect(denied).toBeGreaterThan(0)
        for (const line of demo.stderr().split('\n')) {
          expect(line.length).toBeLessThan(LOG_LINE_LENGTH_MAX)
          // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
        }
        return `seed ${SEED}: ${sent} connections, answers by status ${JSON.stringify(Object.fromEntries([...counts].sort()))}, ${denied} refused by the guard`
      },
      { rssMbMax: RSS_MB_MAX },
    )
    expect(await demo.stop()).toBe(0)
  })
})
