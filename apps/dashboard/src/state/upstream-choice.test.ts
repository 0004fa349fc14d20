import type { ServerResponse } from 'node:http'
import { effect } from '@preact/signals'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { serveMonitor } from '../testing/monitor.ts'
import { chosenProvider, chosenUpstream } from './display-state.ts'
import {
  connection,
  followMonitor,
  health,
  isSwitching,
  pollNow,
  shownProvider,
  shownUpstream,
  status,
  wholeHealth,
  wholeStatus,
} from './live-data.ts'

/** The test's monitor: the requests it received, and its answers about one proxy. */
let asked: string[] = []
let answerAtUpstream: (response: ServerResponse, url: string) => void

/** The providers of the test's monitor; the first is at home. */
let providers = ['codex', 'claude', 'xai']

const send = (response: ServerResponse, of: string) =>
  void response
    .writeHead(200, { 'Content-Type': 'application/json', ETag: `"${of}"`, Connection: 'close' })
    .end(
      JSON.stringify({
        summary: { manualRefresh: { status: 'idle' } },
        available: true,
        recommendations: {
          provider: providers[0],
          pools: providers.map((provider) => ({ provider })),
        },
        of,
      }),
    )

const shownHealth = () => (health.value as { readonly of?: string } | null)?.of
const shown = () => [shownUpstream.value, (status.value as { readonly of?: string } | null)?.of]

serveMonitor((request, response) => {
  const url = request.url ?? ''
  asked.push(url)
  if (/(?:upstream|provider)=/.test(url)) answerAtUpstream(response, url)
  else send(response, url.split('?')[0] ?? '')
})
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval'] })
  answerAtUpstream = (response, url) => send(response, url)
  await followMonitor()
})
afterAll(() => {
  vi.useRealTimers()
})
beforeEach(async () => {
  answerAtUpstream = (response, url) => send(response, url)
  chosenUpstream.value = ''
  chosenProvider.value = ''
  await expect.poll(shown).toEqual(['', '/api/v1/status'])
  asked = []
})

it('one proxy that is chosen is shown as soon as it is known, and all of them stay known', async () => {
  chosenUpstream.value = 'tokyo'
  expect(shown()).toEqual(['', '/api/v1/status'])

  await expect.poll(shown).toEqual(['tokyo', '/api/v1/status?upstream=tokyo'])
  expect(wholeStatus.value).toMatchObject({ of: '/api/v1/status' })
  const ofPart = ['/api/v1/health?upstream=tokyo', '/api/v1/status?upstream=tokyo']
  expect(asked.toSorted()).toEqual(ofPart)
  const healthOf = () => [health.value, wholeHealth.value].map((one) => (one as { of?: string }).of)
  await expect.poll(healthOf).toEqual(['/api/v1/health?upstream=tokyo', '/api/v1/health'])

  pollNow()
  await expect
    .poll(() => asked.slice(2).toSorted())
    .toEqual([ofPart[0], '/api/v1/health', ofPart[1], '/api/v1/status'].toSorted())

  chosenUpstream.value = ''
  expect(shownHealth()).toBe('/api/v1/health')
  expect(wholeHealth.value).toBeNull()
})

it('all proxies are shown again at once', async () => {
  chosenUpstream.value = 'tokyo'
  await expect.poll(() => shownUpstream.value).toBe('tokyo')

  chosenUpstream.value = ''
  expect(shown()).toEqual(['', '/api/v1/status'])
  expect(wholeStatus.value).toBeNull()
})

it('the status of a choice is shown before its health, and never after it', async () => {
  const late = new Map<string, () => void>()
  answerAtUpstream = (response, url) =>
    void late.set(url.split('?')[0] ?? '', () => send(response, url))
  chosenProvider.value = 'claude'
  await expect.poll(() => late.size).toBe(2)
  expect(isSwitching.value).toBe(true)

  late.get('/api/v1/status')?.()
  await expect.poll(() => shownProvider.value).toBe('claude')
  expect([shownHealth(), isSwitching.value]).toEqual(['/api/v1/health', true])
  late.get('/api/v1/health')?.()
  await expect.poll(() => isSwitching.value).toBe(false)
  expect(shownHealth()).toBe('/api/v1/health?provider=claude')

  late.clear()
  const seen = new Set<unknown>()
  const stop = effect(() => void seen.add(`${shownProvider.value} ${shownHealth()}`))
  chosenProvider.value = 'xai'
  await expect.poll(() => late.size).toBe(2)
  late.get('/api/v1/health')?.()
  // Asked after the health was sent, so it has arrived by now.
  await (await fetch('/api/v1/status')).text()
  late.get('/api/v1/status')?.()
  await expect.poll(() => isSwitching.value).toBe(false)
  stop()
  expect([...seen]).not.toContain('claude /api/v1/health?provider=xai')
})

it('an answer about another proxy than the one that is chosen by now is not shown', async () => {
  const late: (() => void)[] = []
  answerAtUpstream = (response, url) => {
    if (url.endsWith('tokyo')) late.push(() => send(response, url))
    else send(response, url)
  }
  chosenUpstream.value = 'tokyo'
  await expect.poll(() => late).toHaveLength(2)
  chosenUpstream.value = 'berlin'
  for (const send of late) send()
  await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0)
  expect(shownUpstream.value).toBe('')

  pollNow()
  await expect.poll(shown).toEqual(['berlin', '/api/v1/status?upstream=berlin'])
})

it('a proxy that is watched no longer is chosen no longer', async () => {
  answerAtUpstream = (response) => void response.writeHead(404, { Connection: 'close' }).end('{}')
  chosenUpstream.value = 'gone'

  await expect.poll(() => chosenUpstream.value).toBe('')
  expect(shown()).toEqual(['', '/api/v1/status'])
  expect(connection.value.failingSinceMs).toBeNull()
})

it('a proxy whose status cannot be had leaves what is shown as it is, and is a failure', async () => {
  answerAtUpstream = (response) => void response.writeHead(503, { Connection: 'close' }).end('{}')
  chosenUpstream.value = 'tokyo'

  await expect.poll(() => connection.value.failingSinceMs).not.toBeNull()
  expect(shown()).toEqual(['', '/api/v1/status'])
})

it('a provider that is chosen is asked for by the status and the health, at the chosen proxy', async () => {
  chosenProvider.value = 'claude'
  await expect.poll(() => shownProvider.value).toBe('claude')
  expect(shown()).toEqual(['', '/api/v1/status?provider=claude'])
  await expect.poll(shownHealth).toBe('/api/v1/health?provider=claude')

  chosenUpstream.value = 'tokyo'
  await expect.poll(shown).toEqual(['tokyo', '/api/v1/status?upstream=tokyo&provider=claude'])

  chosenProvider.value = ''
  await expect.poll(shown).toEqual(['tokyo', '/api/v1/status?upstream=tokyo'])
  expect(shownProvider.value).toBe('')
})

it.each([
  { what: 'the one at home', choice: 'codex' },
  { what: 'one that has left', choice: 'kimi' },
])('$what is no choice', async ({ choice }) => {
  chosenProvider.value = choice

  expect(chosenProvider.value).toBe('')
  expect([shown(), asked]).toEqual([['', '/api/v1/status'], []])
})

it('all are no choice where there is one', async () => {
  chosenProvider.value = 'all'
  await expect.poll(() => shownProvider.value).toBe('all')

  providers = ['codex']
  pollNow()
  await expect.poll(() => chosenProvider.value).toBe('')
  providers = ['codex', 'claude', 'xai']
})

it('a provider that the monitor never heard of is chosen no longer', async () => {
  answerAtUpstream = (response) => void response.writeHead(400, { Connection: 'close' }).end('{}')
  chosenUpstream.value = 'tokyo'
  chosenProvider.value = 'nobody'

  await expect.poll(() => chosenProvider.value).toBe('')
  expect(chosenUpstream.value).toBe('tokyo')
})
