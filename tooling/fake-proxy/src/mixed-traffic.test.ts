import { describe, expect, it } from 'vitest'
import type { FakeAccount } from './fake-account.ts'
import { readRecording } from './recording.ts'
import { aWorld, type Json, RECORDED_AT, SECOND_MS, user } from './testing/vendor-world.ts'
import { fakeWindows } from './vendors/fake-window.ts'

describe('the account list', () => {
  it('has the recorded entry of every provider', async () => {
    const recorded = (readRecording('v7-mixed-auth-files') as Json).body.files as Json[]
    const { list } = aWorld([
      user('antigravity'),
      user('claude'),
      user('kimi', { note: 'Kimi of the lab' }),
      user('kiro'),
      user('xai'),
      user('', { name: 'nobody' }),
      user('gemini'),
    ])

    const files = await list()

    expect(files.map(({ provider }) => provider)).toEqual([
      'unknown',
      'antigravity',
      'claude',
      'kimi',
      'kiro',
      'xai',
    ])
    for (const file of files) {
      const like = recorded.find(({ provider }) => provider === file.provider)
      expect(file).not.toHaveProperty('id_token')
      expect(file.email === undefined, file.name).toBe(file.provider === 'kimi')
      expect(file.account).toBe(file.email)
      expect(file.label).toBe(file.email ?? file.provider)
      if (like !== undefined && like.email === file.email)
        expect(Object.keys(file)).toEqual(expect.arrayContaining(Object.keys(like)))
    }
    expect(files.find(({ provider }) => provider === 'kimi')).toMatchObject({
      name: expect.stringMatching(/^kimi-17873\d{8}\.json$/),
      note: 'Kimi of the lab',
    })
    expect(files.find(({ provider }) => provider === 'antigravity').project_id).toBe(
      'sample-project-user11',
    )
  })
})

describe('refused clients', () => {
  const claudeSpent = user('claude', {
    windows: fakeWindows({ '5h': { used: 100, resetsInSeconds: 6 }, week: 31 }),
  })
  const rows: readonly (readonly [
    what: string,
    FakeAccount,
    status: number,
    waitSeconds: number,
    text: string,
    model?: string,
  ])[] = [
    ['Claude, five hours', claudeSpent, 429, 33, "exceed your account's rate limit"],
    [
      'Claude, login',
      user('claude', { name: 'c2', vendor: 'token_revoked' }),
      401,
      1800,
      'revoked',
    ],
    [
      'Claude, premium',
      user('claude', {
        name: 'c3',
        windows: fakeWindows({ '5h': 8, week: 31, 'premium:week': 100 }),
      }),
      429,
      1,
      'weekly limit for this model',
      'claude-fable-5',
    ],
    [
      'xAI, pace',
      user('xai', { name: 'x4', vendor: 'clients_throttled' }),
      429,
      1,
      'Too many requests',
    ],
    [
      'xAI, free',
      user('xai', { plan: 'Free', windows: fakeWindows({ day: 100 }) }),
      429,
      86_400,
      'free-usage-exhausted',
    ],
    [
      'xAI, credits',
      user('xai', { name: 'x2', windows: fakeWindows({ week: 100 }) }),
      402,
      1800,
      'out of credits',
    ],
    [
      'xAI, login',
      user('xai', { name: 'x3', vendor: 'token_invalidated' }),
      401,
      1800,
      'bad-credentials',
    ],
    [
      'Kimi, week',
      user('kimi', { windows: fakeWindows({ '5h': 0, week: 100 }) }),
      403,
      1800,
      'weekly (7-day) usage limit',
    ],
    [
      'Kimi, five hours',
      user('kimi', { name: 'k2', windows: fakeWindows({ '5h': 100, week: 3 }) }),
      429,
      1,
      'rate_limit_reached_error',
    ],
    [
      'Antigravity, one pool',
      user('antigravity', { windows: fakeWindows({ 'gemini:week': 100, '3p:week': 3 }) }),
      429,
      400_000,
      'QUOTA_EXHAUSTED',
    ],
    [
      'Antigravity, banned',
      user('antigravity', { name: 'a2', vendor: 'terms_violated' }),
      403,
      1800,
      'TOS_VIOLATION',
    ],
  ]
  const all = () => rows.map(([, account]) => structuredClone(account))

  it('are shown and recorded as recorded, and any file change clears all but the cooldown of a Claude credential', async () => {
    const accounts = all()
    const healthy = user('codex')
    const { fake, list, records, advance } = aWorld([...accounts, healthy])
    const entryOf = async (account: FakeAccount) =>
      (await list()).find(({ name }) => name === account.fileName)
    for (const [index, [what, , status, waitSeconds, text, model]] of rows.entries()) {
      const account = accounts[index] ?? expect.fail()
      fake.traffic(account, { failed: 1, ...(model !== undefined && { model }) })
      const entry = await entryOf(account)
      expect(entry, what).toMatchObject({ status: 'error', unavailable: true, failed: 1 })
      expect(entry.status_message).toContain(text)
      expect(Date.parse(entry.next_retry_after), what).toBe(RECORDED_AT + waitSeconds * SECOND_MS)
      expect((await records())[0].fail).toEqual({ status_code: status, body: entry.status_message })
    }

    advance(SECOND_MS / 2)
    fake.write(healthy)

    for (const [index, account] of accounts.entries()) {
      const entry = await entryOf(account)
      expect(entry).toMatchObject({
        status: 'active',
        status_message: '',
        unavailable: index === 0,
        failed: 1,
      })
      expect('next_retry_after' in entry).toBe(index === 0)
    }
  })
})

describe('served clients are recorded', () => {
  it.each([
    [
      'claude',
      {},
      'claude',
      'ClaudeExecutor',
      'POST /v1/messages',
      'user11@example.com',
      [100, 50, 0, 300, 300, 40, 490],
      [440, 100, 300, 40],
      [50, 50, 0],
    ],
    [
      'xai',
      {},
      'xai',
      'XAIExecutor',
      'POST /v1/responses',
      'user11@example.com',
      [1000, 50, 10, 200, 200, 0, 1050],
      [1000, 800, 200, 0],
      [50, 40, 10],
    ],
    [
      'kimi',
      {},
      'kimi',
      'KimiExecutor',
      'POST /v1/chat/completions',
      'sk-client-alpha-sample-0001',
      [100, 50, 10, 20, 20, 0, 150],
      [100, 80, 20, 0],
      [50, 40, 10],
    ],
    [
      'kimi',
      { format: 'claude' },
      'claude',
      'ClaudeExecutor',
      'POST /v1/messages',
      'sk-client-alpha-sample-0001',
      [100, 50, 0, 300, 300, 40, 490],
      [440, 100, 300, 40],
      [50, 50, 0],
    ],
    [
      'antigravity',
      {},
      'antigravity',
      'AntigravityExecutor',
      'POST /v1beta/models/*action',
      'user11@example.com',
      [1000, 50, 30, 200, 200, 0, 1080],
      [1000, 800, 200, 0],
      [80, 50, 30],
    ],
    [
      'antigravity',
      { format: 'claude' },
      'antigravity',
      'AntigravityExecutor',
      'POST /v1/messages',
      'user11@example.com',
      [1000, 50, 30, 200, 200, 0, 1080],
      [1000, 800, 200, 0],
      [80, 50, 30],
    ],
  ] as const)(
    'of %s %j',
    async (provider, request, recordedAs, executor, endpoint, source, tokens, input, output) => {
      const account = user(provider)
      const { fake, records } = aWorld([account])

      fake.traffic(account, { success: 1, ...request })
      const [record] = await records()

      expect(record).toMatchObject({
        provider: recordedAs,
        executor_type: executor,
        endpoint,
        source,
        auth_index: fake.authIndexOf(account),
        auth_type: 'oauth',
      })
      const counts = record.tokens
      expect([
        counts.input_tokens,
        counts.output_tokens,
        counts.reasoning_tokens,
        counts.cached_tokens,
        counts.cache_read_tokens,
        counts.cache_creation_tokens,
        counts.total_tokens,
      ]).toEqual(tokens)
      expect(Object.values(record.token_breakdown.input)).toEqual(input)
      expect(Object.values(record.token_breakdown.output)).toEqual(output)
    },
  )

  const headersOf = async (
    account: FakeAccount,
    request: Parameters<ReturnType<typeof aWorld>['fake']['traffic']>[1],
  ) => {
    const { fake, records } = aWorld([account])
    fake.traffic(account, request)
    const [{ response_headers }] = await records()
    return Object.fromEntries(
      Object.entries(response_headers as Record<string, string[]>).map(([name, [value]]) => [
        name.replace('Anthropic-Ratelimit-Unified-', ''),
        value,
      ]),
    )
  }

  it('with the unified headers of Claude', async () => {
    const account = user('claude')

    expect(await headersOf(account, { success: 1 })).toMatchObject({
      'Anthropic-Organization-Id': account.accountId,
      '5h-Reset': '1795469532',
      '5h-Status': 'allowed',
      '5h-Utilization': '0.08',
      '7d-Reset': '1795860532',
      '7d-Status': 'allowed',
      '7d-Utilization': '0.31',
      'Fallback-Percentage': '0.5',
      'Representative-Claim': 'five_hour',
      Reset: '1795469532',
      Status: 'allowed',
    })
    const spent = user('claude', { windows: fakeWindows({ '5h': 12, week: 101.5 }) })
    expect(await headersOf(spent, { failed: 1 })).toMatchObject({
      '7d-Status': 'rejected',
      '7d-Utilization': '1.015',
      'Representative-Claim': 'seven_day',
      'Retry-After': '400000',
      Status: 'rejected',
    })
    const premium = user('claude', {
      windows: fakeWindows({ '5h': 8, week: 90, 'premium:week': 100 }),
    })
    const headers = await headersOf(premium, { failed: 1, model: 'claude-fable-5' })
    expect(headers).toMatchObject({
      '7d-Status': 'allowed_warning',
      '7d_oi-Status': 'rejected',
      'Representative-Claim': 'seven_day_overage_included',
    })
    expect(headers).not.toHaveProperty('Retry-After')
  })
})
