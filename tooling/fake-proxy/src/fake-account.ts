import { createHash } from 'node:crypto'
import type { EpochMs } from '@svc/core'
import { aFakeQuota, type FakeBankedResets, type FakeQuota } from './fake-quota.ts'
import type { FakeWindows } from './vendors/fake-window.ts'
import type { ClientFailure, VendorAccount, VendorBehaviour } from './vendors/vendor.ts'
import { vendorOf } from './vendors/vendors.ts'

/** One simulated auth file and the account behind it. Change it through the fake, or directly between two requests. */
export interface FakeAccount {
  readonly provider: string
  readonly email: string
  /** False: neither the file nor the list has the e-mail, which then names the account in tests alone. */
  readonly hasEmail: boolean
  /** The vendor's account id, a UUID. */
  readonly accountId: string
  /** The access token held by the proxy; null if the file has none. */
  token: string | null
  /** The plan in the file's `id_token`. */
  plan: string
  /** The plan reported by the vendor, which may be newer. */
  vendorPlan: string
  fileName: string
  /** False: the list has no `id_token`, as for a file whose JWT cannot be read. */
  idTokenReadable: boolean
  /** Google's project; null if the file has none. */
  projectId: string | null
  note: string | null
  priority: number | null
  weight: number | null
  disabled: boolean
  /** False: the file lacks the key `disabled`, so that the proxy rewrites the file at its first result. */
  hasDisabledKey: boolean
  status: string
  statusMessage: string
  unavailable: boolean
  nextRetryAt: EpochMs | null
  /** The refusal behind the current status; null for none. */
  cooling: FakeCooling | null
  /** Refusals without a reset since the last success. Each doubles the proxy's wait. */
  plainRefusals: number
  success: number
  failed: number
  /** Outcomes per 600 s slot, keyed by floor(unix seconds / 600). */
  readonly outcomesBySlot: Map<number, { success: number; failed: number }>
  /** Null until the fake first sees the account. */
  createdAt: EpochMs | null
  updatedAt: EpochMs | null
  modifiedAt: EpochMs | null
  /** Null if not refreshed in this process; the list then omits it. */
  lastRefreshAt: EpochMs | null
  /** Time the proxy refreshes the token by itself; null: never. */
  refreshDueAt: EpochMs | null
  /** Requests per hour that clients send through this account without a call of `traffic`; 0 for none. */
  requestsPerHour: number
  /** Due time of the next request of `requestsPerHour`. */
  nextRequestAt: EpochMs | null
  vendor: VendorBehaviour
  /** Quota at Codex. */
  quota: FakeQuota
  /** Resets that its owner may spend at Codex; null: the vendor does not tell. */
  bankedResets: FakeBankedResets | null
  /** Quota at any other vendor, by window id. */
  windows: FakeWindows
  /** Form of the quota answer at any other vendor. */
  shape: VendorAccount['shape']
  /** Headers of the last answer to a client, as newer proxies keep them in memory; null for none. */
  signals: { readonly at: EpochMs; readonly headers: Readonly<Record<string, string>> } | null
  /** True if a plugin offers the quota, on newer proxies. */
  supportsQuota: boolean
  /** Members that override the account's list entry; `undefined` removes one. */
  entryOverrides: Readonly<Record<string, unknown>>
}

/** A cooldown in the proxy. */
interface FakeCooling {
  readonly failure: Pick<ClientFailure, 'status' | 'model' | 'outlastsFileChanges'>
  readonly until: EpochMs
}

/** Members of an account that a test chooses; `aFakeAccount` fills in the rest. */
export type FakeAccountShape = Partial<Omit<FakeAccount, 'outcomesBySlot'>> & {
  /** First part of the e-mail; the other members are derived from it. */
  readonly name: string
}

/** An enabled, active account with quota left, of Codex on Plus unless `shape` names a provider. E-mail, account id, token and file name are derived from `name`. */
export function aFakeAccount(shape: FakeAccountShape): FakeAccount {
  const { name, ...changes } = shape
  const provider = changes.provider ?? 'codex'
  const email = changes.email ?? `${name}@example.com`
  const vendor = vendorOf(provider)
  const hasEmail = changes.hasEmail ?? vendor?.login.hasEmail ?? true
  const accountId = changes.accountId ?? uuidOf(name)
  const plan = changes.plan ?? vendor?.login.plan ?? 'plus'
  return {
    provider,
    email,
    hasEmail,
    accountId,
    token: provider === 'codex' ? `fake-at-${name}` : `fake-${provider}-at-${name}`,
    plan,
    vendorPlan: plan,
    fileName: fakeFileName({ provider, email: hasEmail ? email : accountId, accountId, plan }),
    idTokenReadable: provider === 'codex',
    projectId: provider === 'antigravity' ? `sample-project-${name}` : null,
    note: null,
    priority: null,
    weight: null,
    disabled: false,
    hasDisabledKey: true,
    status: changes.disabled === true ? 'disabled' : 'active',
    statusMessage: '',
    unavailable: false,
    nextRetryAt: null,
    cooling: null,
    plainRefusals: 0,
    success: 0,
    failed: 0,
    outcomesBySlot: new Map(),
    createdAt: null,
    updatedAt: null,
    modifiedAt: null,
    lastRefreshAt: null,
    refreshDueAt: null,
    requestsPerHour: 0,
    nextRequestAt: null,
    vendor: 'quota',
    quota: aFakeQuota(formOfPlan(plan)),
    bankedResets: null,
    windows: vendor?.login.windows(plan) ?? {},
    shape: 'usual',
    signals: null,
    supportsQuota: false,
    entryOverrides: {},
    ...changes,
  }
}

function formOfPlan(plan: string) {
  if (plan === 'free') return 'free'
  return plan === 'pro' ? 'weekly_only' : 'two_windows'
}

/** The name of a file written by a login. See docs/upstream.md#auth-files. */
function fakeFileName(of: Pick<FakeAccount, 'provider' | 'email' | 'accountId' | 'plan'>): string {
  if (of.provider !== 'codex')
    return vendorOf(of.provider)?.login.fileName(of) ?? `${of.provider}-${of.email}.json`
  return `${of.provider}-${sha256Hex(of.accountId).slice(0, 8)}-${of.email}-${of.plan}.json`
}

/** The `auth_index` that a v7 proxy assigns to this file: 16 hex digits derived from type and absolute path. See docs/upstream.md#auth-index. */
export function fakeAuthIndex(provider: string, path: string): string {
  return sha256Hex(`${provider.toLowerCase()}:${path}`).slice(0, 16)
}

/** The account's `auth_index` at a proxy with this folder of auth files. */
export function authIndexIn(authDir: string, account: FakeAccount): string {
  return fakeAuthIndex(account.provider, `${authDir}/${account.fileName}`)
}

function uuidOf(name: string): string {
  const hex = sha256Hex(name)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
