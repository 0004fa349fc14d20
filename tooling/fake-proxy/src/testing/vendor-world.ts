import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { aFakeAccount, type FakeAccount, type FakeAccountShape } from '../fake-account.ts'
import { createFakeUpstream } from '../fake-upstream.ts'

const KEY = 'test-mgmt-key-sample-71b2'
/** The time of the recorded queries. */
export const RECORDED_AT = epochMs(Date.UTC(2026, 10, 23, 19, 2, 12))
export const SECOND_MS = 1000
export const MINUTE_MS = 60_000

// biome-ignore lint/suspicious/noExplicitAny: recorded answers are compared as they are
export type Json = any

/** A fake with these accounts at the time of the recorded queries; `sleep` only notes how long. */
export function aWorld(accounts: readonly FakeAccount[] = []) {
  let now: EpochMs = RECORDED_AT
  const slept: number[] = []
  const fake = createFakeUpstream({
    now: () => now,
    managementKey: KEY,
    accounts,
    sleep: async (milliseconds) => void slept.push(milliseconds),
  })
  const send = async (path: string, body?: unknown): Promise<{ status: number; body: Json }> => {
    const response = await fake.app.request(`/v0/management/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${KEY}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
  const ask = async (account: FakeAccount, call: object = callOf(account)) =>
    (await send('api-call', { auth_index: fake.authIndexOf(account), ...call })).body
  return {
    fake,
    slept,
    send,
    ask,
    advance: (milliseconds: number) => {
      now = plusMs(now, milliseconds)
    },
    document: async (account: FakeAccount, call?: object) =>
      JSON.parse((await ask(account, call)).body),
    list: async () => (await send('auth-files')).body.files as Json[],
    records: async () => (await send('usage-queue?count=500')).body as Json[],
  }
}

export const AUTHORIZATION = { Authorization: 'Bearer $TOKEN$' }
/** The quota query of each vendor. */
export const CLAUDE = {
  method: 'GET',
  url: 'https://api.anthropic.com/api/oauth/usage',
  header: {
    ...AUTHORIZATION,
    'anthropic-beta': 'oauth-2025-04-20',
    'User-Agent': 'claude-code/2.1.201',
  },
}
export const XAI = {
  method: 'GET',
  url: 'https://cli-chat-proxy.grok.com/v1/billing?format=credits',
  header: { ...AUTHORIZATION, 'x-xai-token-auth': 'xai-grok-cli' },
}
export const KIMI = {
  method: 'GET',
  url: 'https://api.kimi.com/coding/v1/usages',
  header: AUTHORIZATION,
}
export const ANTIGRAVITY = {
  method: 'POST',
  url: 'https://daily-cloudcode-pa.googleapis.com/v1internal:retrieveUserQuotaSummary',
  header: AUTHORIZATION,
  data: '{"project":"sample-project-41"}',
}
const CALLS: Readonly<Record<string, object>> = {
  codex: { ...KIMI, url: 'https://chatgpt.com/backend-api/wham/usage' },
  claude: CLAUDE,
  xai: XAI,
  kimi: KIMI,
  'kimi-ai': { ...KIMI, url: 'https://api.kimi.ai/coding/v1/usages' },
  antigravity: ANTIGRAVITY,
}

function callOf({ provider }: FakeAccount): object {
  return CALLS[provider] ?? KIMI
}

/** An account of a provider; all have one e-mail unless named otherwise. */
export const user = (provider: string, shape: Partial<FakeAccountShape> = {}) =>
  aFakeAccount({ name: 'user11', provider, ...shape })
