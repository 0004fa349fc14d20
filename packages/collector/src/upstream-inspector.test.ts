import { plusMs } from '@svc/core'
import { Redacted } from '@svc/core/service'
import { fixedClock, NOW } from '@svc/core/testing'
import { createFakeUpstream, fetchOf, samplePool } from '@svc/fake-proxy'
import { describe, expect, it } from 'vitest'
import { createUpstreamInspector } from './upstream-inspector.ts'

const KEY = 'canary-management-key'

function anInspector(key: string | null = KEY) {
  const fake = createFakeUpstream({
    now: () => plusMs(NOW, 600_000),
    managementKey: KEY,
    accounts: samplePool(NOW),
  })
  const inspector = createUpstreamInspector(
    {
      upstreamUrl: 'http://proxy.test:8317',
      gatewayHealthUrl: 'http://proxy.test:8317/healthz',
      key: key === null ? null : new Redacted(key),
      seconds: 5,
      stop: new AbortController().signal,
    },
    { clock: fixedClock(), fetch: fetchOf(fake) },
  )
  return { fake, inspector }
}

describe('a look at a proxy', () => {
  it('sends one request for each question', async () => {
    const { fake, inspector } = anInspector()
    const answers = [
      await inspector.health(),
      await inspector.accounts(),
      await inspector.usageStatistics(),
      await inspector.usageRoute(),
      await inspector.queueRetention(),
    ]

    expect(answers.map((answer) => (answer.kind === 'ok' ? answer.value : answer.failure))).toEqual(
      [
        true,
        {
          providers: expect.arrayContaining(['codex', 'claude']),
          authNames: expect.arrayContaining([expect.stringMatching(/user1@example\.com/)]),
          skippedCount: expect.any(Number),
        },
        { enabled: true },
        'queue',
        60,
      ],
    )
    expect(fake.requests.map(({ route }) => route)).toEqual([
      'healthz',
      // The list under v8, which this proxy does not have.
      'other',
      'auth-files',
      'usage-statistics-enabled',
      'usage-queue',
      'config',
    ])
  })

  it('takes no record out of the queue', async () => {
    const { fake, inspector } = anInspector()
    const [account] = fake.accounts
    if (account === undefined) throw new Error('the pool has accounts')
    fake.traffic(account, { success: 3 })
    await inspector.usageRoute()
    const left = await fetchOf(fake)('http://proxy.test/v0/management/usage-queue?count=10', {
      headers: { authorization: `Bearer ${KEY}` },
    })

    expect(await left.json()).toHaveLength(3)
  })

  it.each([
    { usage: 'legacy', route: 'legacy' },
    { usage: 'queue', route: 'queue' },
  ] as const)('tells a proxy with $usage by what it answers', async ({ usage, route }) => {
    const { fake, inspector } = anInspector()
    fake.settings.usage = usage

    expect(await inspector.usageRoute()).toMatchObject({ kind: 'ok', value: route })
  })

  it('knows the proxy once its list was read', async () => {
    const { inspector } = anInspector()
    expect(inspector.facts()).toEqual({
      version: null,
      generation: null,
      loadsPlugins: null,
      clockSkewSeconds: null,
    })
    await inspector.accounts()

    expect(inspector.facts()).toEqual({
      version: 'v7.2.140',
      generation: 'v0',
      loadsPlugins: false,
      clockSkewSeconds: 600,
    })
  })

  it('throws where a question needs a key and there is none', () => {
    const { inspector, fake } = anInspector(null)

    expect(() => inspector.accounts()).toThrow('there is no key')
    expect(fake.requests).toHaveLength(0)
  })
})

describe('a look that fails', () => {
  it('says how, and what was answered, without the key', async () => {
    const { inspector } = anInspector('canary-wrong')
    const inspected = await inspector.accounts()

    expect(inspected).toMatchObject({
      kind: 'failed',
      failure: { code: 'unauthorized', httpStatus: 401 },
      trace: { answer: { status: 401, isFromProxy: true }, systemCode: null },
    })
    expect(JSON.stringify(inspected)).not.toContain('canary')
  })

  it('at the gateway is any status but 2xx', async () => {
    const { fake, inspector } = anInspector()
    fake.settings.healthz = false

    expect(await inspector.health()).toMatchObject({
      kind: 'failed',
      failure: { code: 'unexpected_status', httpStatus: 404 },
      trace: { answer: { status: 404 } },
    })
  })
})
