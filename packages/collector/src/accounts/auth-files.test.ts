import { plusMs } from '@svc/core'
import { fileKeyOf } from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import { readRecording } from '@svc/fake-proxy'
import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { createAccountTracker } from './account-tracker.ts'
import { accountListOf } from './auth-files.ts'

function recordedFiles(name: string): readonly unknown[] {
  return (readRecording(name) as { readonly body: { readonly files: readonly unknown[] } }).body
    .files
}

function aList(
  files: unknown,
  options: {
    readonly skewSeconds?: number
    readonly tracker?: ReturnType<typeof createAccountTracker>
    readonly at?: typeof NOW
  } = {},
) {
  const receivedAt = options.at ?? NOW
  const proxyNow = plusMs(receivedAt, (options.skewSeconds ?? 0) * 1000)
  return accountListOf(
    { body: { files }, receivedAt, proxyNow },
    options.skewSeconds ?? 0,
    options.tracker ?? createAccountTracker(),
  )
}

const anEntry = (changes: object = {}) => ({
  name: 'codex-4f1a2b3c-alice@example.com-plus.json',
  id: 'codex-4f1a2b3c-alice@example.com-plus.json',
  auth_index: '0a4d98ea4d813760',
  provider: 'codex',
  label: 'alice@example.com',
  email: 'Alice@Example.com',
  status: 'active',
  status_message: '',
  disabled: false,
  unavailable: false,
  id_token: { chatgpt_account_id: '11111111-2222-3333-4444-555555555555', plan_type: 'plus' },
  ...changes,
})

function anAccount(changes: object = {}) {
  const { accounts } = aList([anEntry(changes)])
  const [account] = accounts
  if (account === undefined) throw new Error('the entry was skipped')
  return account
}

it.each([
  [5, 5],
  ['-1', -1],
  [0, 0],
  [1.5, undefined],
  ['high', undefined],
  [undefined, undefined],
])('the priority %s is %s', (priority, read) => {
  expect(anAccount({ priority }).priority).toBe(read)
})

describe('the recorded lists', () => {
  it('a fresh pool: twelve Codex accounts and one of Claude', () => {
    const list = aList(recordedFiles('v7-auth-files-fresh'))

    const of = (provider: string) => list.accounts.filter((one) => one.provider === provider)
    expect([of('codex').length, of('claude').length, list.accounts.length]).toEqual([12, 1, 13])
    expect(list.skipped).toEqual([])
    expect(list.accounts.filter((account) => account.operatorDisabled)).toHaveLength(1)
    expect(list.accounts.every((account) => account.recentRequests.length === 20)).toBe(true)
    expect(new Set(list.accounts.map((account) => account.selector.accountKey)).size).toBe(13)
  })

  it('after traffic every fault shows as what it is', () => {
    const list = aList(recordedFiles('v7-auth-files-after-traffic'))
    const messageOf = (user: string) =>
      list.accounts.find((account) => account.title === `${user}@example.com`)?.message

    expect(messageOf('user1')).toEqual({ kind: 'none' })
    expect(messageOf('user3')).toMatchObject({
      kind: 'usage_limit',
      resetsAt: 1_795_227_816_000,
      observedAt: 1_795_218_816_000,
    })
    expect(messageOf('user6')).toMatchObject({ kind: 'auth_fault', deactivated: false })
    expect(messageOf('user7')).toMatchObject({
      kind: 'auth_fault',
      code: 'deactivated_workspace',
      deactivated: true,
    })
    expect(messageOf('user8')).toEqual({ kind: 'blocked' })
    expect(messageOf('user13')).toEqual({ kind: 'other' })
  })

  it('keeps no raw message', () => {
    const list = aList([
      anEntry({ status_message: 'canary: Post "https://vendor" failed with sk-canary' }),
    ])

    expect(JSON.stringify(list)).not.toContain('canary')
  })
})

describe('an entry', () => {
  it('becomes an account', () => {
    const account = anAccount({
      status: 'error',
      unavailable: true,
      next_retry_after: '2026-11-20T21:10:00.4+08:00',
      modtime: '2026-11-20T11:00:00.123456789Z',
    })

    expect(account).toMatchObject({
      selector: {
        authName: 'codex-4f1a2b3c-alice@example.com-plus.json',
        authIndex: '0a4d98ea4d813760',
      },
      title: 'alice@example.com',
      vendorAccountId: '11111111-2222-3333-4444-555555555555',
      claimedPlan: 'plus',
      subscribedUntil: null,
      upstreamStatus: 'error',
      unavailable: true,
      nextRetryAt: Date.UTC(2026, 10, 20, 13, 10, 0, 400),
      modifiedAt: Date.UTC(2026, 10, 20, 11, 0, 0, 123),
      messageAt: null,
      lastSuccessAt: null,
    })
  })

  it('needs no more than a name', () => {
    expect(aList([{ name: 'x.json', type: 'codex' }])).toMatchObject({
      accounts: [{ title: 'x.json', selector: { authIndex: '' } }],
    })
    expect(aList([{ id: 'sub/dir/x.json', type: 'codex' }])).toMatchObject({
      accounts: [{ title: 'x.json', selector: { authName: 'sub/dir/x.json' } }],
    })
  })

  it('is called as the list calls it, so that files of one name in two folders are two accounts', () => {
    const names = ['codex-x.json', 'east/codex-x.json', 'west/codex-x.json', 'west\\codex-x.json']
    const { accounts, skipped } = aList(
      names.map((name, at) => ({ name, provider: 'kimi', label: 'kimi', auth_index: String(at) })),
    )

    expect(skipped).toEqual([])
    expect(accounts.map(({ selector }) => selector.authName)).toEqual(names)
    expect(new Set(accounts.map(({ selector }) => selector.accountKey)).size).toBe(4)
    expect(accounts.map(({ title }) => title)).toEqual(names.map(() => 'codex-x.json'))
    expect(new Set(accounts.map((account) => fileKeyOf(account))).size).toBe(4)
  })

  it.each([
    [null, 'not_an_object'],
    [[], 'no_name'],
    [{ name: '' }, 'no_name'],
    [{ name: '..', type: 'codex' }, 'bad_name'],
    [{ name: 'east/..' }, 'bad_name'],
    [{ name: 'x'.repeat(1025) }, 'bad_name'],
  ])('%j is left out with its place and why, and takes no other with it: %s', (entry, reason) => {
    expect(aList([anEntry(), entry])).toMatchObject({
      accounts: [{ title: 'alice@example.com' }],
      skipped: [{ position: 2, reason }],
    })
  })

  it('after the first 20,000 is left out, and said to be', () => {
    const entries = Array.from({ length: 20_002 }, (_, index) => ({ name: `${index}.json` }))
    const { accounts, skipped } = aList(entries)

    expect(accounts.filter(({ provider }) => provider === 'unknown')).toHaveLength(20_000)
    expect(skipped).toEqual([
      { position: 20_001, reason: 'too_many' },
      { position: 20_002, reason: 'too_many' },
    ])
  })

  it('of a name seen before is left out with its place', () => {
    const list = aList([anEntry({ label: 'first' }), anEntry({ label: 'second' })])

    expect(list).toMatchObject({
      accounts: [{ title: 'first' }],
      skipped: [{ position: 2, reason: 'repeated' }],
    })
  })

  it.each([
    [{ status: 'ready' }, 'unknown'],
    [{ status: null }, 'unknown'],
    [{ status: 'pending' }, 'pending'],
    [{ status: 'refreshing' }, 'refreshing'],
    [{ status: 'invalid' }, 'invalid'],
  ])('with %j has the status %s', (changes, status) => {
    expect(anAccount(changes).upstreamStatus).toBe(status)
  })

  it.each([[{ disabled: true }], [{ disabled: 'true' }], [{ status: 'disabled' }]])(
    'with %j is disabled',
    (changes) => {
      expect(anAccount(changes).operatorDisabled).toBe(true)
    },
  )

  it.each([
    [{ label: '', email: 'mail@x' }, 'mail@x'],
    [{ label: ' ', email: null }, 'codex-4f1a2b3c-alice@example.com-plus.json'],
    [{ label: 'a\u0000\u001b[31m\r\nb\u202e' }, 'a[31mb'],
    [{ label: 'x'.repeat(1_000_000) }, 'x'.repeat(256)],
    [{ label: '\ud800x' }, '\ufffdx'],
  ])('with %j has a title fit to show', (changes, title) => {
    expect(anAccount(changes).title).toBe(title)
  })

  it.each([
    [1, '1'],
    ['7', '7'],
    [null, ''],
    [{}, ''],
  ])('auth_index %j is %s', (wire, authIndex) => {
    expect(anAccount({ auth_index: wire }).selector.authIndex).toBe(authIndex)
  })

  it.each(['0001-01-01T00:00:00Z', 12, -1, '', {}])('time %j is none', (wire) => {
    expect(anAccount({ next_retry_after: wire, modtime: wire })).toMatchObject({
      nextRetryAt: null,
      modifiedAt: null,
    })
  })
})

it('a login that waits is refused until its cooldown ends', () => {
  const cooldown = { scope: 'credential', reason: 'quota', retry_at: '2026-11-20T12:01:00Z' }
  const end = plusMs(NOW, 60_000)

  expect(anAccount({ cooldowns: [cooldown] })).toMatchObject({
    nextRetryAt: end,
    message: { kind: 'usage_limit', resetsAt: end },
  })
})

describe('accountKey', () => {
  const keyOf = (changes: object) => anAccount(changes).selector.accountKey

  it('follows account id and e-mail, not the file name or the case of the e-mail', () => {
    const key = keyOf({})

    expect(key).toBe('4877e4daa3ba4502')
    expect(keyOf({ name: 'renamed.json', auth_index: 'ff', email: 'alice@example.com' })).toBe(key)
    expect(keyOf({ id_token: { chatgpt_account_id: 'other' } })).not.toBe(key)
    expect(keyOf({ email: 'bob@example.com' })).not.toBe(key)
  })

  it('falls back to the e-mail, then to the name', () => {
    const byEmail = keyOf({ id_token: null })

    expect(keyOf({ id_token: null, name: 'renamed.json' })).toBe(byEmail)
    expect(keyOf({ email: null, name: 'one.json' })).not.toBe(
      keyOf({ email: null, name: 'two.json' }),
    )
  })
})

describe('recent requests', () => {
  const slots = Array.from({ length: 20 }, (_, index) => ({
    time: 'any',
    success: index,
    failed: '1',
  }))

  it('stand in slots of ten minutes, the last one current', () => {
    const { recentRequests } = anAccount({ recent_requests: slots })

    expect(recentRequests[19]).toEqual({ startAt: NOW, success: 19, failed: 1 })
    expect(recentRequests[0]).toEqual({ startAt: NOW - 19 * 600_000, success: 0, failed: 1 })
  })

  it('follow the proxy’s clock and are told on ours', () => {
    const { accounts } = aList(
      [anEntry({ recent_requests: slots, next_retry_after: '2026-11-20T12:15:00Z' })],
      { skewSeconds: 900 },
    )

    // At the proxy it is 12:15, so the current slot began at 12:10, which is 11:55 here.
    expect(accounts[0]?.recentRequests[19]?.startAt).toBe(plusMs(NOW, -300_000))
    expect(accounts[0]?.nextRetryAt).toBe(NOW)
  })

  it('keep their places when one is unreadable, and count nothing negative or broken', () => {
    const wire = [
      { success: 3, failed: 1 },
      null,
      { success: -5, failed: 1.7 },
      { success: 1e300, failed: 'many' },
    ]

    expect(
      anAccount({ recent_requests: wire }).recentRequests.map(({ success, failed }) => [
        success,
        failed,
      ]),
    ).toEqual([
      [3, 1],
      [0, 0],
      [0, 1],
      [Number.MAX_SAFE_INTEGER, 0],
    ])
  })
})

describe('a list', () => {
  it.each([[null], [[]], [{}], [{ files: null }], [{ files: {} }]])('%j is a failure', (body) => {
    expect(() =>
      accountListOf({ body, receivedAt: NOW, proxyNow: null }, null, createAccountTracker()),
    ).toThrow(UpstreamError)
  })

  it('of nobody is an empty success', () => {
    expect(aList([])).toEqual({
      accounts: [],
      skipped: [],
      requestCounters: null,
      quota: [],
    })
  })
})
