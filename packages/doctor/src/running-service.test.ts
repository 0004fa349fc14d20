import { describe, expect, it } from 'vitest'
import { monitorAt, runningServiceAt, SILENT } from './running-service.ts'

const HEALTH = { state: 'warn', summary: '1 thing to do', actions: [{ code: 'auth_invalid' }] }

/** A program with these answers by path; `null`: no answer. */
const listening =
  (answers: Readonly<Record<string, unknown>>, asked: string[] = []): typeof fetch =>
  async (url) => {
    asked.push(String(url))
    const body = answers[new URL(String(url)).pathname]
    if (body === undefined || body === null) throw new Error('refused')
    return new Response(typeof body === 'string' ? body : JSON.stringify(body))
  }
async function at(
  answers: Readonly<Record<string, unknown>>,
  host = '127.0.0.1',
  asked?: string[],
) {
  const found = await runningServiceAt({ host, port: 4515 }, listening(answers, asked))
  if (found === SILENT) throw new Error('it does not answer')
  return found
}

describe('a service that runs where ours would', () => {
  it('is one of ours when it answers as we do', async () => {
    expect(await at({ '/healthz': { ok: true }, '/api/v1/health': HEALTH })).toEqual({
      state: 'warn',
      summary: '1 thing to do',
      actionCodes: ['auth_invalid'],
      schedulers: [],
      pages: null,
      hasStore: null,
    })
  })

  it('says when the scheduler of each proxy last asked', async () => {
    const askedAt = '2026-11-20T12:00:00.000Z'
    const readers = [
      { name: 'scheduler', askedAt },
      { name: 'scheduler', upstream: 'tokyo', askedAt, state: 'routes' },
      { name: 'scheduler', upstream: 'berlin', askedAt, state: 'of tomorrow' },
      { name: 'another', askedAt },
      { name: 'scheduler', askedAt: 'now' },
      null,
      7,
    ]
    const service = await at({ '/healthz': { ok: true }, '/api/v1/health': { ...HEALTH, readers } })

    expect(service?.schedulers).toEqual([
      { upstream: null, askedAt: Date.parse(askedAt), state: null },
      { upstream: 'tokyo', askedAt: Date.parse(askedAt), state: 'routes' },
      { upstream: 'berlin', askedAt: Date.parse(askedAt), state: null },
    ])
  })

  it.each([
    ['nobody answers', {}],
    ['a web page answers', { '/healthz': '<html></html>' }],
    ['it is alive in other words', { '/healthz': { ok: 'yes' } }],
    ['its health is not ours', { '/healthz': { ok: true }, '/api/v1/health': {} }],
    ['its health is a list', { '/healthz': { ok: true }, '/api/v1/health': ['actions'] }],
    ['its health breaks off', { '/healthz': { ok: true }, '/api/v1/health': null }],
  ])('is not ours when $0', async (_, answers) => {
    expect(await at(answers)).toBeNull()
  })

  it.each([
    { what: 'an older one has no codes', actions: [{ title: 'x' }], expected: null },
    { what: 'one with a strange item', actions: [{ code: 'a' }, null], expected: null },
    { what: 'one with nothing to do', actions: [], expected: [] },
    {
      what: 'one with the same thing twice',
      actions: [{ code: 'a' }, { code: 'b' }, { code: 'a' }],
      expected: ['a', 'b'],
    },
  ])('names what is to be done: $what', async ({ actions, expected }) => {
    const health = { ...HEALTH, actions }

    expect((await at({ '/healthz': { ok: true }, '/api/v1/health': health }))?.actionCodes).toEqual(
      expected,
    )
  })

  it('is quoted as far as a line of a terminal can show it', async () => {
    const summary = `\u001b[2Jgone\nfail  forged: ${'x'.repeat(5_000)}`
    const answers = { '/healthz': { ok: true }, '/api/v1/health': { ...HEALTH, summary } }
    const asked = await at(answers)
    const shown = asked?.summary ?? ''

    expect(shown).toMatch(/^\\u\{1b\}\[2Jgone\\u\{a\}fail {2}forged: x{900,1000}$/)
    const strange = { ...HEALTH, summary: { toString: 1 }, actions: [{ code: 'a\nb' }] }
    expect(await at({ ...answers, '/api/v1/health': strange })).toMatchObject({
      summary: '',
      actionCodes: null,
    })
  })

  it('is read so far and no further', async () => {
    let sent = 0
    const piece = new Uint8Array(1024 * 1024).fill(32)
    const endless = () =>
      new Response(
        new ReadableStream({
          pull(body) {
            sent += 1
            body.enqueue(piece)
          },
        }),
      )

    expect(await monitorAt('http://at.example', async () => endless())).toBeNull()
    expect(sent).toBeLessThan(12)
  })

  it('in a state that this version does not know is unknown', async () => {
    const health = { ...HEALTH, state: 'splendid' }

    expect((await at({ '/healthz': { ok: true }, '/api/v1/health': health }))?.state).toBe(
      'unknown',
    )
  })

  it.each([
    { host: '0.0.0.0', base: 'http://127.0.0.1:4515' },
    { host: '::', base: 'http://[::1]:4515' },
    { host: 'fe80::1', base: 'http://[fe80::1]:4515' },
    { host: 'quota.lan', base: 'http://quota.lan:4515' },
  ])('that listens on $host is asked at $base', async ({ host, base }) => {
    const asked: string[] = []
    await at({}, host, asked)

    expect(asked).toEqual([`${base}/healthz`])
  })
})
