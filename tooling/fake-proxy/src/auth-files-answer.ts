import { type EpochMs, plusMs } from '@svc/core'
import { type FakeAccount, fakeAuthIndex } from './fake-account.ts'
import type { FakeSettings } from './fake-settings.ts'
import { SLOT_SECONDS, slotNumberAt } from './fake-traffic.ts'
import { cooldownsOf, quotaSignalsOf } from './newer-list-fields.ts'
import { clockLabel, goTime } from './wire.ts'

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

export function authIndexIn(authDir: string, account: FakeAccount): string {
  return fakeAuthIndex(account.provider, `${authDir}/${account.fileName}`)
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
