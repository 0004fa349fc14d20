import { createHash } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { livePool } from '@svc/fake-proxy'
import type { Health } from '@svc/views'
import { afterEach, describe, expect, it } from 'vitest'
import { eventually } from '../../../tooling/eventually.ts'
import { underFault } from './base-line.ts'
import { type FaultyService, startFaultyService } from './faulty-service.ts'

let service: FaultyService | null = null
afterEach(async () => {
  await service?.stop()
  service = null
})

const isStalled = async ({ json }: FaultyService) =>
  (await json<Health>('/api/v1/health')).actions.some(({ code }) => code === 'evaluation_stalled')
const accountCount = async ({ status }: FaultyService) =>
  (await status()).recommendations.items.length

describe('the pipeline', () => {
  it.each([
    ['ends', 'end', 'ended'],
    ['hangs', 'hang', 'hangs'],
    ['cannot be called any more', 'close_port', 'hangs'],
  ] as const)(
    '%s: its last answers stay, health says so, and another goes on',
    async (_, fault, reason) => {
      const running = await startFaultyService({ accounts: (now) => livePool(20, now) })
      service = running
      await running.until('live')
      await underFault({ task: { meta: {} } } as never, running, async () => {
        const [count, asked] = [
          await accountCount(running),
          running.fake.stats.requestsByRoute['auth-files'],
        ]
        running.bring(fault)
        await eventually('health says so', () => isStalled(running))
        expect(await accountCount(running)).toBe(count)
        expect(
          await running.metric('svc_quota_monitor_health_actions{code="evaluation_stalled"}'),
        ).toBe(1)
        await eventually('another goes on', async () => !(await isStalled(running)))

        expect(await accountCount(running)).toBe(count)
        expect(running.fake.stats.requestsByRoute['auth-files']).toBeGreaterThan(asked)
        expect(running.output()).toContain(`pipeline lost, starting another reason=${reason}`)
        return `served all the time, ${count} accounts again`
      })
    },
  )

  it('ends again and again: each time another goes on', async () => {
    const running = await startFaultyService({ accounts: (now) => livePool(20, now) })
    service = running
    await running.until('live')
    for (let round = 0; round < 3; round += 1) {
      running.bring('end')
      await eventually('health says so', () => isStalled(running))
      await eventually('another goes on', async () => !(await isStalled(running)))
    }

    expect((await running.status()).source).toBe('live')
  })

  it('publishes 13 MB again and again while 50 readers hold the old: each reads one whole document', async () => {
    const running = await startFaultyService({
      accounts: (now) => livePool(5_500, now),
      // In real time: a reader that dawdles is cut after 30 s.
      factor: 1,
      flags: { 'upstream-timeout-seconds': '60' },
    })
    service = running
    await running.until('live')
    const readers = await Promise.all(
      Array.from({ length: 50 }, () => begun(`${running.url}/api/v1/status`)),
    )
    const etag = () =>
      fetch(`${running.url}/api/v1/status`, { method: 'HEAD' }).then(({ headers }) =>
        headers.get('etag'),
      )
    const seen = new Set<string | null>()
    await eventually('it is published again', async () => seen.add(await etag()).size > 1)
    const bodies = await Promise.all(readers.map(rest))

    for (const { bytes, length } of bodies) expect(bytes).toBe(length)
    const documents = new Map(
      bodies.map(({ digest, chunks }) => [digest, Buffer.concat(chunks).toString()]),
    )
    // All began within a moment, so that a publication can have come between them once at most.
    expect(documents.size).toBeLessThanOrEqual(2)
    for (const text of documents.values()) {
      expect(text.length).toBeGreaterThan(13e6)
      expect(
        (JSON.parse(text) as { recommendations: { items: readonly unknown[] } }).recommendations
          .items.length,
      ).toBeGreaterThan(5_000)
    }
  })
})

/** A response whose body nobody reads yet. */
function begun(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (answer) => resolve(answer.pause())).once('error', reject)
  })
}

/** What is left of an answer. Hashed as it comes, because the reader must be done before the server's limit for taking an answer. */
async function rest(answer: IncomingMessage) {
  const hash = createHash('sha256')
  const chunks: Buffer[] = []
  for await (const chunk of answer) {
    hash.update(chunk as Buffer)
    chunks.push(chunk as Buffer)
  }
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  return {
    chunks,
    bytes,
    digest: hash.digest('hex'),
    length: Number(answer.headers['content-length']),
  }
}
