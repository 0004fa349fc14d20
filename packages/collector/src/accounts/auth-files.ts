import { hash } from 'node:crypto'
import { posix } from 'node:path'
import {
  type Account,
  type AccountEvidence,
  type AccountList,
  type EpochMs,
  epochMs,
  type ProviderId,
  plusMs,
  type RequestSlot,
  type SkippedEntry,
  type UpstreamStatus,
} from '@svc/core'
import {
  ASSUMED_PROVIDER,
  DEFAULT_UPSTREAM,
  fileKeyOf,
  providerLabel,
  type UpstreamName,
} from '@svc/core/service'
import type { PassiveQuota } from '@svc/core/usage'
import * as v from 'valibot'
import type { AccountIdentity } from '../providers/contract/provider.ts'
import { vendorOf } from '../providers/known-providers.ts'
import { ELEMENTS_MAX } from '../proxy/answer-body.ts'
import { type ManagementAnswer, onOurClock } from '../proxy/upstream-client.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import {
  displayText,
  numberFrom,
  recordIn,
  textFrom,
  wireArray,
  wireFlag,
  wireInstant,
  wireNumber,
  wireText,
} from '../wire/wire-fields.ts'
import { type AccountTracker, SLOT_SECONDS } from './account-tracker.ts'
import { identitiesIn } from './login-aliases.ts'
import {
  type ListedCooldown,
  type ListedRefusal,
  listedCooldownIn,
  listedQuotaIn,
  readRefusal,
} from './newer-list-fields.ts'

const listSchema = v.object({ files: v.array(v.unknown()), observed_at: wireInstant })

/** Only the name is required: a proxy without its auth manager lists little else. See docs/upstream.md#account-list. */
const entrySchema = v.object({
  name: wireText,
  id: wireText,
  auth_index: v.optional(v.unknown(), null),
  provider: wireText,
  type: wireText,
  label: wireText,
  email: wireText,
  note: wireText,
  status: wireText,
  status_message: wireText,
  disabled: wireFlag,
  priority: wireNumber,
  unavailable: wireFlag,
  next_retry_after: wireInstant,
  cooldowns: v.optional(v.unknown(), null),
  supports_quota: wireFlag,
  quota_probe: wireFlag,
  quota: v.optional(v.unknown(), null),
  updated_at: wireInstant,
  modtime: wireInstant,
  success: wireNumber,
  failed: wireNumber,
  recent_requests: wireArray,
})
type Entry = v.InferOutput<typeof entrySchema>

interface ListClock {
  readonly now: EpochMs
  readonly proxyNow: EpochMs
  /** Converts an instant of the proxy's clock to our clock. */
  readonly onOurs: (instant: EpochMs) => EpochMs
}

const NAME_LENGTH_MAX = 1024
const TITLE_LENGTH_MAX = 256
const WORD_LENGTH_MAX = 64

/**
 * Maps an answer to the account list. Unreadable entries and repeated names are dropped and reported in `skipped`. Every instant is on our clock.
 * Throws UpstreamError: bad_payload.
 */
export function accountListOf(
  answer: ManagementAnswer,
  skewSeconds: number | null,
  tracker: AccountTracker,
  { upstream = DEFAULT_UPSTREAM, evidence = new Map() }: ListContext = {},
): ListedAccounts {
  const list = v.safeParse(listSchema, answer.body)
  if (!list.success)
    throw new UpstreamError('bad_payload', 'auth-files: expected an object with a list of files')

  const clock: ListClock = {
    now: answer.receivedAt,
    proxyNow: answer.proxyNow ?? list.output.observed_at ?? answer.receivedAt,
    onOurs: (instant) => onOurClock(instant, skewSeconds),
  }
  const sightings = tracker.nextList()
  const read = new Map<string, ReadEntry>()
  const skipped: SkippedEntry[] = []
  for (const [index, wire] of list.output.files.entries()) {
    const skip = (reason: SkippedEntry['reason']) => skipped.push({ position: index + 1, reason })
    if (index >= ELEMENTS_MAX) {
      skip('too_many')
      continue
    }
    const parsed = v.safeParse(entrySchema, wire)
    if (!parsed.success) {
      skip('not_an_object')
      continue
    }
    const entry = parsed.output
    const authName = authNameOf(entry)
    if (authName === null) {
      skip(nameOf(entry) === '' ? 'no_name' : 'bad_name')
      continue
    }
    if (read.has(authName)) {
      skip('repeated')
      continue
    }
    sightings.count(authName, {
      success: countOrNull(entry.success),
      failed: countOrNull(entry.failed),
    })
    const provider = providerNameOf(entry)
    read.set(authName, {
      provider,
      upstream,
      authName,
      entry,
      ...vendorOf(provider).identityOf(wire),
    })
  }
  const keyOf = accountKeysIn([...read.values()])
  const accounts = [...read.values()].map((one) => {
    const known = evidence.get(fileKeyOf({ upstream, selector: one }))
    return accountOf(one, { newKey: keyOf(one), identities: identitiesIn(known) }, clock, sightings)
  })
  return {
    accounts,
    skipped,
    requestCounters: sightings.counters(clock.now),
    quota: accounts.flatMap(({ provider, selector: { authName, accountKey } }) => {
      const wire = read.get(authName)?.entry.quota
      const sample = listedQuotaIn(wire, provider, clock.now, clock.onOurs)
      return sample === null ? [] : [{ accountKey, samples: [sample] }]
    }),
  }
}

/** Facts about the accounts that come from outside the list. */
export interface ListContext {
  /** Name of the proxy; absent for the default proxy. */
  readonly upstream?: UpstreamName
  /** Evidence of the quota by `fileKeyOf`; absent if there is none. */
  readonly evidence?: ReadonlyMap<string, AccountEvidence>
}

/** The account list, with the quota found in the list itself. */
export interface ListedAccounts extends AccountList {
  readonly quota: readonly PassiveQuota[]
}

const nameOf = ({ name, id }: Entry) => name ?? id ?? ''

/** The name exactly as listed, because it is sent back to the proxy. The name of a file in a folder includes the folder. */
function authNameOf(entry: Entry): string | null {
  const name = nameOf(entry)
  return ['', '.', '..'].includes(lastPartOf(name)) || name.length > NAME_LENGTH_MAX ? null : name
}

/** The file name without its folder, for titles. */
function lastPartOf(name: string): string {
  return posix.basename(name.replaceAll('\\', '/'))
}

function emailOf(wire: string | null): string | null {
  return wire?.toLowerCase() ?? null
}

function providerNameOf(entry: Entry): string {
  return (
    displayText((entry.provider ?? entry.type ?? 'unknown').toLowerCase(), WORD_LENGTH_MAX) ||
    'unknown'
  )
}

interface ReadEntry extends AccountIdentity {
  readonly provider: ProviderId
  readonly upstream: UpstreamName
  readonly entry: Entry
  readonly authName: string
}

/** `newKey` follows from the list alone; `identities` are those that the vendor has named. */
function accountOf(
  one: ReadEntry,
  { newKey, identities }: { readonly newKey: string; readonly identities: readonly string[] },
  clock: ListClock,
  sightings: ReturnType<AccountTracker['nextList']>,
): Account {
  const onOurs = (instant: EpochMs | null) => (instant === null ? null : clock.onOurs(instant))
  const { provider, upstream, entry, authName } = one
  const { vendorAccountId, claimedPlan, subscribedUntil } = one
  const email = emailOf(entry.email)
  const accountKey = sightings.keyOf(authName, { provider, email, newKey }, identities)
  const recentRequests = recentRequestsOf(entry.recent_requests ?? [], clock)
  const cooldown = listedCooldownIn(entry.cooldowns, clock.now, clock.onOurs)
  const wait = cooldown === 'none' ? null : cooldown
  const refusal = { provider, text: entry.status_message ?? '', cooldown }
  const known = sightings.earlier(authName)
  const earlier = known?.selector.accountKey === accountKey ? known : null
  const nextRetryAt = cooldown === null ? onOurs(entry.next_retry_after) : (wait?.until ?? null)
  const modifiedAt = onOurs(entry.modtime)
  const tracked = sightings.follow(
    `${provider === ASSUMED_PROVIDER ? accountKey : `${provider}|${email}`}|${authName}`,
    {
      messageHash: messageHashOf(entry.status_message, wait),
      messageSince: messageSince(refusal, earlier),
      listsCooldowns: cooldown !== null,
      earlier,
      updatedAt: onOurs(entry.updated_at),
      modifiedAt,
      successCount: entry.success,
      failedCount: entry.failed,
      nextRetryAt,
      recentRequests,
    },
    clock.now,
    (at) => readRefusal(refusal, at),
  )
  return {
    provider,
    upstream,
    selector: { authName, authIndex: authIndexOf(entry.auth_index), accountKey },
    title: titleOf(provider, entry, authName),
    email,
    vendorAccountId,
    claimedPlan,
    // The vendor's own time: the proxy's clock has no part in it.
    subscribedUntil,
    upstreamStatus: statusOf(entry.status),
    operatorDisabled: entry.disabled === true || entry.status === 'disabled',
    ...((entry.supports_quota ?? entry.quota_probe) === true && { supportsQuota: true }),
    ...(Number.isSafeInteger(entry.priority) && { priority: entry.priority }),
    unavailable: isUnavailable(entry, cooldown),
    nextRetryAt,
    modifiedAt,
    ...tracked,
    recentRequests,
  }
}

/**
 * Whether the account waits for all models. Without a cooldown of the login, `next_retry_after` is only the proxy's guess from waits of single
 * models.
 */
function isUnavailable(entry: Entry, cooldown: ListedRefusal['cooldown']): boolean {
  if (cooldown === 'none') return entry.unavailable === true && entry.next_retry_after === null
  return cooldown !== null || entry.unavailable === true
}

/** Hash by which a refusal is recognised in the next list; null if nothing is refused. */
function messageHashOf(text: string | null, wait: ListedCooldown | null): string | null {
  if (text === null && wait === null) return null
  const waiting = wait === null ? '' : `|${wait.reason}|${wait.until}`
  return hash('sha256', (text ?? '') + waiting, 'base64')
}

/** First time an earlier process saw this message of this account. It keeps our own restart from making a message newer. */
function messageSince(refusal: ListedRefusal, earlier: Account | null): EpochMs | null {
  if (earlier?.messageAt == null) return null
  const isSame =
    JSON.stringify(readRefusal(refusal, earlier.messageAt)) === JSON.stringify(earlier.message)
  return isSame ? earlier.messageAt : null
}

/**
 * The key of each account in a list: workspace and e-mail if known, else the e-mail if no other file of its provider has it, else e-mail and file
 * name, else the file name. See docs/rules.md#account-identity.
 */
function accountKeysIn(entries: readonly ReadEntry[]): (of: ReadEntry) => string {
  const countByLogin = new Map<string, number>()
  const loginOf = ({ provider, entry }: ReadEntry) => `${provider}|${emailOf(entry.email)}`
  for (const one of entries)
    countByLogin.set(loginOf(one), (countByLogin.get(loginOf(one)) ?? 0) + 1)
  return (of) => {
    const { provider, upstream, authName, vendorAccountId } = of
    const email = emailOf(of.entry.email)
    // Several Codex files of one workspace are one account; other vendors do not show what tells two files of one e-mail apart.
    const isAlone = provider === ASSUMED_PROVIDER || countByLogin.get(loginOf(of)) === 1
    const workspace = provider === ASSUMED_PROVIDER ? vendorAccountId : null
    // A file name identifies its owner only at its own proxy.
    const file = [...(upstream === DEFAULT_UPSTREAM ? [] : [upstream]), authName]
    const parts =
      email === null
        ? file
        : [...(workspace === null ? [] : [workspace]), email, ...(isAlone ? [] : file)]
    return hash('sha256', [provider, ...parts].join('|'), 'hex').slice(0, 16)
  }
}

/** Reads the auth index: text since v6.6.56, a number before. See docs/upstream.md#auth-index. */
function authIndexOf(wire: unknown): string {
  const index = typeof wire === 'number' ? String(wire) : (textFrom(wire) ?? '')
  return index.length > WORD_LENGTH_MAX ? '' : index
}

/** The first name that the entry has. A label that only repeats the vendor's name ranks below an operator's note. */
function titleOf(provider: ProviderId, entry: Entry, authName: string): string {
  const { label, email, note, name, id } = entry
  const vendorNames = [provider, providerLabel(provider), `${providerLabel(provider)} User`]
  const saysNothing = vendorNames.some((one) => one.toLowerCase() === label?.trim().toLowerCase())
  const file = lastPartOf(saysNothing ? authName : (name ?? id ?? ''))
  for (const candidate of [...(saysNothing ? [note] : [label]), email, file]) {
    const title = displayText(candidate ?? '', TITLE_LENGTH_MAX)
    if (title !== '') return title
  }
  return authName.slice(0, TITLE_LENGTH_MAX)
}

const STATUS_WORDS: ReadonlySet<string> = new Set<UpstreamStatus>([
  'active',
  'error',
  'disabled',
  'pending',
  'refreshing',
  'invalid',
])

function statusOf(word: string | null): UpstreamStatus {
  return word !== null && STATUS_WORDS.has(word) ? (word as UpstreamStatus) : 'unknown'
}

/** Number of slots the proxy keeps. See docs/upstream.md#recent-requests. */
const SLOT_COUNT_MAX = 20

/** The labels carry neither date nor zone, so the times follow from the proxy's clock: the last slot is the current one. */
function recentRequestsOf(wire: readonly unknown[], clock: ListClock): readonly RequestSlot[] {
  const slots = wire.slice(-SLOT_COUNT_MAX)
  const slotMs = SLOT_SECONDS * 1000
  const currentStartAt = epochMs(Math.floor(clock.proxyNow / slotMs) * slotMs)
  return slots.map((slot, index) => {
    // Without a schema: parsing twenty slots per account would take longer than all the rest.
    const { success, failed } = recordIn(slot)
    const startAt = clock.onOurs(plusMs(currentStartAt, (index + 1 - slots.length) * slotMs))
    return { startAt, success: countOf(numberFrom(success)), failed: countOf(numberFrom(failed)) }
  })
}

function countOrNull(wire: number | null): number | null {
  return wire === null ? null : countOf(wire)
}

function countOf(wire: number | null): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.floor(wire ?? 0)))
}
