import {
  type AccountList,
  defaultPolicy,
  evaluateSnapshot,
  instantToIso,
  type QuotaSample,
} from '@svc/core'
import type { LogFields } from '@svc/core/service'
import {
  aLiveObservation,
  aServiceObservation,
  evidenceOf,
  NOW,
  virtualClock,
} from '@svc/core/testing'
import { readRecording } from '@svc/fake-proxy'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAccountTracker } from './accounts/account-tracker.ts'
import { accountListOf } from './accounts/auth-files.ts'
import { createLiveSource } from './live-source.ts'
import { windowsOf } from './providers/codex/descriptor.ts'
import { codexQuotaSampleOf } from './providers/codex/usage-document.ts'
import { UpstreamError } from './proxy/upstream-error.ts'
import { liveSourceOptions, reportInto } from './testing/live-source-options.ts'

function recorded(name: string): { readonly body: unknown }[] {
  const recording = readRecording(name)
  return (Array.isArray(recording) ? recording : [recording]) as { readonly body: unknown }[]
}

const lists = ['v7-auth-files-fresh', 'v7-auth-files-after-traffic']
  .flatMap(recorded)
  .map((answer) => answer.body)
const usages = recorded('v7-api-call')
  .map((answer) => (answer.body as { readonly body?: string }).body ?? '')
  .filter((text) => text.startsWith('{'))
  .map((text) => JSON.parse(text) as unknown)

/** Values that a broken or hostile proxy may send in place of any other. */
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    '',
    [],
    {},
    [[]],
    0,
    -1,
    -0,
    0.1,
    1e11,
    1e12,
    1e300,
    2 ** 53 + 1,
    '12',
    '1e999',
    'NaN',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '2026-11-20T12:00:00.123456789+08:00',
    '2026-13-45T99:99:99Z',
    '__proto__',
    'constructor',
    '\ud800',
    '\u0000\u001b[2J\u202e</script>=cmd()',
    'x'.repeat(100_000),
    '{"error":{"type":"usage_limit_reached","resets_at":1e300,"resets_in_seconds":-5}}',
  ),
  fc.double(),
  fc.integer(),
  fc.string({ unit: 'binary' }),
  fc.jsonValue({ maxDepth: 3 }),
)

type Step = {
  readonly pick: number
  readonly change: 'replace' | 'remove' | 'rename' | 'duplicate'
  readonly value: unknown
  readonly key: string
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    pick: fc.nat(),
    change: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'rename', 'duplicate'),
    value: hostileValue,
    key: fc.constantFrom(
      '__proto__',
      'constructor',
      'toString',
      'primaryWindow',
      'usedPercent',
      'x',
    ),
  }),
  { minLength: 1, maxLength: 12 },
)

/** The document with some of its members changed; `changes` chooses which. */
function mutate(document: unknown, changes: readonly Step[]): unknown {
  const root = { document: JSON.parse(JSON.stringify(document)) as unknown }
  for (const change of changes) {
    const places = placesIn(root)
    const place = places[change.pick % places.length]
    if (place !== undefined) apply(change, place)
  }
  return root.document
}

interface Place {
  readonly holder: Record<string, unknown>
  readonly key: string
}

function placesIn(value: unknown): readonly Place[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])])
}

function apply({ change, value, key }: Step, place: Place): void {
  const { holder } = place
  // A copy, so that a later change does not find this value inside itself.
  const define = (name: string, content: unknown) =>
    Object.defineProperty(holder, name, {
      value: structuredClone(content),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  if (change === 'replace') define(place.key, value)
  else if (Array.isArray(holder) && change === 'duplicate')
    holder.push(structuredClone(holder[Number(place.key)]))
  else if (Array.isArray(holder)) holder.splice(Number(place.key), 1)
  else {
    const content = holder[place.key]
    if (change !== 'duplicate') delete holder[place.key]
    if (change !== 'remove') define(key, content)
  }
}

const mutationOf = (documents: readonly unknown[]) =>
  fc
    .tuple(fc.constantFrom(...documents), steps)
    .map(([document, changes]) => mutate(document, changes))

function expectWritable(instants: readonly (number | null)[]): void {
  for (const instant of instants)
    if (instant !== null) instantToIso(instant as Parameters<typeof instantToIso>[0])
}

function expectSoundList(list: AccountList): void {
  for (const account of list.accounts) {
    const { message } = account
    const limits = message.kind === 'usage_limit' ? [message.resetsAt, message.observedAt] : []
    expectWritable([
      account.nextRetryAt,
      account.modifiedAt,
      account.messageAt,
      account.lastSuccessAt,
      ...limits,
    ])
    expectWritable(account.recentRequests.map((slot) => slot.startAt))
    expect(account.title.length).toBeLessThanOrEqual(256)
    expect(account.selector.accountKey).toMatch(/^[0-9a-f]{16}$/)
  }
}

function expectSoundSample(sample: QuotaSample): void {
  expectWritable([
    ...sample.windows.map((window) => window.resetAt),
    sample.spendReached?.resetAt ?? null,
  ])
  expect(new Set(sample.windows.map((window) => window.id)).size).toBe(sample.windows.length)
  for (const window of sample.windows) {
    expect(window.percent).toBeGreaterThanOrEqual(0)
    expect(window.percent).toBeLessThanOrEqual(100)
    expect(window.id.length).toBeLessThanOrEqual(80)
    expect(window.id).toMatch(/^(?:code_review:|extra:[a-z0-9_-]+:)?(?:5h|week|month|\d+s)$/)
  }
}

/** The account list; null if it is refused. */
function readOrRefused(body: unknown): AccountList | null {
  try {
    return accountListOf({ body, receivedAt: NOW, proxyNow: NOW }, 0, createAccountTracker())
  } catch (error) {
    if (error instanceof UpstreamError) return null
    throw error
  }
}

describe('a mutated account list', () => {
  it('is read or refused as a whole, and the rules can work with what is read', () => {
    fc.assert(
      fc.property(mutationOf(lists), (body) => {
        const list = readOrRefused(body)
        if (list === null) return
        expectSoundList(list)
        const observation = aLiveObservation(
          list.accounts.map((account) => [account, null] as const),
        )
        evaluateSnapshot(observation, defaultPolicy, NOW, { previous: null, recordedChanges: [] })
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 100 : 20 },
    )
  })
})

describe('a mutated usage document', () => {
  it('is a sound sample or none', () => {
    fc.assert(
      fc.property(mutationOf(usages), (document) => {
        const sample = codexQuotaSampleOf(document, NOW)
        if (sample === null) return
        expectSoundSample(sample)
        JSON.stringify(evidenceOf([sample]))
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 400 : 80 },
    )
  })

  it('pollutes no prototype', () => {
    codexQuotaSampleOf(
      JSON.parse(
        '{"plan_type":"plus","__proto__":{"polluted":1},"rate_limit":{"__proto__":{"polluted":1}}}',
      ),
      NOW,
    )

    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

it('whatever bytes the vendor answers with, under whatever status, there is a result', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 599 }),
      fc.oneof(fc.string(), fc.json()),
      fc.string(),
      (status, body, contentType) => {
        const headers = { get: (name: string) => (name === 'content-type' ? contentType : null) }
        const result = windowsOf({ status, headers, body, receivedAt: NOW })
        if (result.kind === 'sample') expectSoundSample(result.sample)
      },
    ),
  )
})

/** Occurs in every hostile text; no log line may contain it. */
const MARKER = 'marker-of-a-hostile-proxy'

interface HostileAnswer {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** A recorded answer with a changed structure, sometimes also truncated or with changed bytes. */
const hostileAnswer: fc.Arbitrary<HostileAnswer> = fc
  .record({
    document: mutationOf(everyRecordedBody()),
    status: fc.constantFrom(200, 200, 200, 200, 204, 400, 401, 403, 404, 429, 500, 503),
    type: fc.constantFrom(
      'application/json',
      'application/json',
      'application/json; charset=utf-8',
      'text/html',
      '',
    ),
    damage: fc.option(
      fc.record({
        at: fc.nat(),
        text: fc.constantFrom('', '"', '}', '[', '\\', '\u0000', '\ufffd'),
      }),
      { freq: 3 },
    ),
  })
  .map(({ document, status, type, damage }) => {
    const text = JSON.stringify({
      [MARKER]: MARKER,
      ...(typeof document === 'object' && document !== null ? document : { document }),
    })
    return {
      status,
      type,
      text: damage === null ? text : text.slice(0, damage.at % text.length) + damage.text,
    }
  })

function everyRecordedBody(): readonly unknown[] {
  const names = [
    'v7-api-call',
    'v7-auth-and-ban',
    'v7-auth-files-after-traffic',
    'v7-auth-files-fresh',
    'v7-management-disabled',
    'v7-statistics-off',
  ]
  return names.flatMap(recorded).map(({ body }) => body ?? {})
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('a proxy that answers anything to anything', () => {
  it('is survived: every answer is counted, what is known can be evaluated, and the log quotes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileAnswer, { minLength: 1, maxLength: 6 }), async (answers) => {
        const clock = virtualClock(turns)
        const asked = new Map<string, number>()
        const told: string[] = []
        const counted: string[] = []
        let next = 0
        const keep = (event: string, fields?: LogFields) =>
          void told.push(`${event} ${JSON.stringify(fields ?? {})}`)
        const source = createLiveSource(liveSourceOptions('key'), {
          clock,
          random: () => 0.5,
          fetch: async (input) => {
            const endpoint =
              new URL(input instanceof Request ? input.url : input).pathname.split('/').at(-1) ?? ''
            asked.set(endpoint, (asked.get(endpoint) ?? 0) + 1)
            const { status, type, text } = answers[next % answers.length] ?? {
              status: 500,
              type: '',
              text: '',
            }
            next += 1
            return new Response(status === 204 ? null : text, {
              status,
              headers: type === '' ? {} : { 'content-type': type },
            })
          },
          log: { debug: keep, info: keep, warn: keep, error: keep },
          usageSink: null,
          report: reportInto(counted),
        })
        source.start(() => undefined)
        for (let minute = 0; minute < 3; minute += 1) {
          await clock.advance(60_000)
          const snapshot = evaluateSnapshot(
            { ...source.latest(clock.now()), ...aServiceObservation() },
            defaultPolicy,
            clock.now(),
            { previous: null, recordedChanges: [] },
          )
          JSON.stringify(snapshot.accounts)
        }
        await source.stop()

        const times = (what: string) => counted.filter((one) => one.startsWith(what)).length
        const reads = times('refresh_total ok') + times('refresh_total failed')
        expect(reads).toBeGreaterThanOrEqual(asked.get('auth-files') ?? 0)
        expect(times('direct_quota_probes_total')).toBe(asked.get('api-call') ?? 0)
        expect(times('upstream_errors_total healthz')).toBeLessThanOrEqual(
          asked.get('healthz') ?? 0,
        )
        expect(told.filter((line) => line.includes(MARKER))).toEqual([])
        expect(({} as Record<string, unknown>)[MARKER]).toBeUndefined()
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 50 : 10 },
    )
  })
})
