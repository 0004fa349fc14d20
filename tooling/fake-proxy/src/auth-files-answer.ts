import { type EpochMs, instantToIso, plusMs } from '@svc/core'
import { jsonObject } from './api-call-answer.ts'
import { authIndexIn, type FakeAccount } from './fake-account.ts'
import type { FakeSettings } from './fake-state.ts'
import { SLOT_SECONDS, slotNumberAt } from './fake-traffic.ts'
import { clockLabel, goJson, goTime } from './wire.ts'

/** Slots of `recent_requests`, the last one current. See docs/upstream.md#recent-requests. */
const SLOT_COUNT = 20

interface ListContext {
  readonly authDir: string
  readonly utcOffsetMinutes: number
  readonly now: EpochMs
  readonly settings: Pick<FakeSettings, 'quotaFetch' | 'quotaSignals' | 'cooldowns'>
}

/** The `files` of the account list, sorted like the proxy's and filtered by its two exact filters. */
export function authFilesAnswer(
  accounts: readonly FakeAccount[],
  filter: { readonly name: string | undefined; readonly authIndex: string | undefined },
  context: ListContext,
): { readonly files: readonly object[]; readonly observed_at?: string } {
  const files = accounts
    // The real one lists any type but this one.
    .filter((account) => account.provider !== 'gemini')
    .filter((account) => filter.name === undefined || account.fileName === filter.name)
    .filter(
      (account) =>
        filter.authIndex === undefined ||
        authIndexIn(context.authDir, account) === filter.authIndex,
    )
    .toSorted((left, right) =>
      left.fileName.toLowerCase() < right.fileName.toLowerCase() ? -1 : 1,
    )
    .map((account) => entryOf(account, context))
  return context.settings.cooldowns
    ? { files, observed_at: goTime(context.now, context.utcOffsetMinutes) }
    : { files }
}

/** One entry with its fields in alphabetical order, like a map written by Go. */
function entryOf(account: FakeAccount, context: ListContext): object {
  const email = account.hasEmail ? account.email : undefined
  const provider = account.provider === '' ? 'unknown' : account.provider
  const { cooldowns, quotaFetch, quotaSignals } = context.settings
  const fields: Record<string, unknown> = {
    account: email,
    account_type: 'oauth',
    auth_index: authIndexIn(context.authDir, account),
    cooldowns: cooldowns ? cooldownsOf(account, context.now) : undefined,
    created_at: timeOf(account.createdAt, context),
    disabled: account.disabled,
    email,
    failed: account.failed,
    id: account.fileName,
    id_token: account.idTokenReadable ? idTokenOf(account) : undefined,
    label: email ?? provider,
    last_refresh: timeOf(account.lastRefreshAt, context),
    modtime: timeOf(account.modifiedAt, context),
    name: account.fileName,
    next_retry_after: timeOf(account.nextRetryAt, context),
    note: account.note ?? undefined,
    path: `${context.authDir}/${account.fileName}`,
    priority: account.priority ?? undefined,
    project_id: account.projectId ?? undefined,
    provider,
    ...(quotaFetch &&
      account.supportsQuota && {
        quota_probe: true,
        quota_provider: provider,
        supports_quota: true,
      }),
    quota: quotaSignals ? quotaSignalsOf(account, context.utcOffsetMinutes) : undefined,
    recent_requests: recentRequestsOf(account, context),
    runtime_only: false,
    size: account.idTokenReadable ? 702 : 259,
    source: 'file',
    status: account.status,
    status_message: account.statusMessage,
    success: account.success,
    type: provider,
    unavailable: account.unavailable,
    updated_at: timeOf(account.updatedAt, context),
    weight: account.weight ?? undefined,
    ...account.entryOverrides,
  }
  return Object.fromEntries(
    Object.entries(fields).toSorted(([left], [right]) => (left < right ? -1 : 1)),
  )
}

function idTokenOf(account: FakeAccount): object {
  return {
    chatgpt_account_id: account.accountId,
    chatgpt_subscription_active_start: '2026-08-01T00:00:00+00:00',
    chatgpt_subscription_active_until: '2027-01-01T00:00:00+00:00',
    plan_type: account.plan,
  }
}

function recentRequestsOf(account: FakeAccount, context: ListContext): readonly object[] {
  const current = slotNumberAt(context.now)
  return Array.from({ length: SLOT_COUNT }, (_, index) => {
    const slot = current - (SLOT_COUNT - 1 - index)
    const { success, failed } = account.outcomesBySlot.get(slot) ?? { success: 0, failed: 0 }
    const startMinutes = (slot * SLOT_SECONDS) / 60 + context.utcOffsetMinutes
    return {
      time: `${clockLabel(startMinutes)}-${clockLabel(startMinutes + SLOT_SECONDS / 60)}`,
      success,
      failed,
    }
  })
}

function timeOf(instant: EpochMs | null, context: ListContext): string | undefined {
  return instant === null ? undefined : goTime(plusMs(instant, 0), context.utcOffsetMinutes)
}

/** Names of headers that newer proxies keep, by provider; every other provider has none. */
const KEPT: Readonly<Record<string, RegExp>> = {
  claude: /^(?:Retry-After$|Anthropic-Ratelimit-Unified-)/,
  codex: /^(?:Retry-After$|X-Ratelimit-|X-Codex-)/,
}

/** The quota headers of the last answer, as newer proxies show them; empty before the first one. */
function quotaSignalsOf(account: FakeAccount, utcOffsetMinutes: number): object {
  const kept = KEPT[account.provider]
  if (kept === undefined || account.signals === null) return { signals: {} }
  const { at, headers } = account.signals
  const signals = Object.fromEntries(Object.entries(headers).filter(([name]) => kept.test(name)))
  return { observed_at: goTime(at, utcOffsetMinutes), signals }
}

/** The cooldowns that have not run out, as newer proxies list them. */
function cooldownsOf(account: FakeAccount, now: EpochMs): readonly object[] {
  const { cooling } = account
  if (cooling === null || cooling.until <= now) return []
  const { failure, until } = cooling
  const isWhole = failure.outlastsFileChanges === true
  return [
    {
      scope: isWhole ? 'credential' : 'model',
      ...(failure.model !== null && { model_key: failure.model }),
      reason: isWhole ? 'credential_quota' : reasonOf(failure.status),
      retry_at: instantToIso(until),
      remaining_seconds: Math.ceil((until - now) / 1000),
      http_status: failure.status,
    },
  ]
}

function reasonOf(status: number): string {
  switch (status) {
    case 401:
      return 'unauthorized'
    case 402:
    case 403:
      return 'payment_required'
    case 404:
      return 'not_found'
    case 429:
      return 'quota'
    default:
      return 'transient_error'
  }
}

interface PatchDeps {
  readonly accounts: readonly FakeAccount[]
  /** Rewrites the account's file. */
  readonly write: (account: FakeAccount) => void
}

/** Simulates `PATCH auth-files/status`: switches a file on or off. See docs/upstream.md#changing-auth-files. */
export function statusPatchAnswer(deps: PatchDeps, body: string): Response {
  const root = jsonObject(body)
  const { name = '', disabled = null } = root ?? {}
  const isRead = typeof name === 'string' && (disabled === null || typeof disabled === 'boolean')
  if (root === null || !isRead) return refused(400, 'invalid request body')
  if (name.trim() === '') return refused(400, 'name is required')
  if (disabled === null) return refused(400, 'disabled is required')
  const account = accountNamed(deps, name)
  if (account === null) return refused(404, 'auth file not found')
  account.disabled = disabled
  deps.write(account)
  return goJson({ disabled, status: 'ok' })
}

/** Simulates `PATCH auth-files/fields`: sets priority and note; other fields change nothing that the account list shows. */
export function fieldsPatchAnswer(deps: PatchDeps, body: string): Response {
  const root = jsonObject(body)
  if (root === null) return refused(400, 'invalid request body')
  const { name, ...fields } = root
  if (typeof name !== 'string' || name.trim() === '') return refused(400, 'name is required')
  const account = accountNamed(deps, name)
  if (account === null) return refused(404, 'auth file not found')
  if (Object.keys(fields).length === 0) return refused(400, 'no fields to update')
  if (typeof fields.priority === 'number') account.priority = fields.priority
  if (typeof fields.note === 'string') account.note = fields.note || null
  deps.write(account)
  return goJson({ status: 'ok' })
}

function accountNamed({ accounts }: PatchDeps, name: string): FakeAccount | null {
  return accounts.find(({ fileName }) => fileName === name.trim()) ?? null
}

function refused(status: 400 | 404 | 409, error: string): Response {
  return goJson({ error }, status)
}
