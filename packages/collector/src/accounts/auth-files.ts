import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import {
  type Account,
  type AccountList,
  type EpochMs,
  epochMs,
  plusMs,
  type RequestSlot,
  type SkippedEntry,
  type UpstreamStatus,
} from '@svc/core'
import { DEFAULT_UPSTREAM, type OtherLogin, type UpstreamName } from '@svc/core/service'
import * as v from 'valibot'
import type { Provider } from '../providers/contract/provider.ts'
import { providerNamed } from '../providers/known-providers.ts'
import { ELEMENTS_MAX } from '../proxy/answer-body.ts'
import { type ManagementAnswer, onOurClock } from '../proxy/upstream-client.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { displayText } from '../wire/display-text.ts'
import {
  numberFrom,
  textFrom,
  wireArray,
  wireFlag,
  wireInstant,
  wireNumber,
  wireText,
} from '../wire/wire-fields.ts'
import { type AccountTracker, SLOT_SECONDS } from './account-tracker.ts'

const listSchema = v.object({ files: v.array(v.unknown()) })

/** Every field but the name may be missing: a proxy without its auth manager lists little else. See docs/upstream.md#account-list. */
const entrySchema = v.object({
  name: wireText,
  id: wireText,
  auth_index: v.optional(v.unknown(), null),
  provider: wireText,
  type: wireText,
  label: wireText,
  email: wireText,
  status: wireText,
  status_message: wireText,
  disabled: wireFlag,
  priority: wireNumber,
  unavailable: wireFlag,
  next_retry_after: wireInstant,
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
  readonly skewSeconds: number | null
}

/** Longest file name. */
const NAME_LENGTH_MAX = 1024
const TITLE_LENGTH_MAX = 256
const WORD_LENGTH_MAX = 64

/**
 * Maps an answer to the account list. Entries that cannot be read or repeat a name are left out and reported in `skipped`. Every instant is on our
 * clock; `upstream` names the proxy. Throws UpstreamError: bad_payload.
 */
export function accountListOf(
  answer: ManagementAnswer,
  skewSeconds: number | null,
  tracker: AccountTracker,
  upstream: UpstreamName = DEFAULT_UPSTREAM,
): AccountList {
  const list = v.safeParse(listSchema, answer.body)
  if (!list.success)
    throw new UpstreamError('bad_payload', 'auth-files: expected an object with a list of files')

  const clock: ListClock = {
    now: answer.receivedAt,
    proxyNow: answer.proxyNow ?? answer.receivedAt,
    skewSeconds,
  }
  const sightings = tracker.nextList()
  const accountByName = new Map<string, Account>()
  const otherProviders = new Map<string, number>()
  const otherLogins: OtherLogin[] = []
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
    const authName = authNameOf(parsed.output)
    if (authName === null) {
      skip(nameOf(parsed.output) === '' ? 'no_name' : 'bad_name')
      continue
    }
    const providerName = providerNameOf(parsed.output)
    const provider = providerNamed(providerName)
    if (accountByName.has(authName)) {
      skip('repeated')
      continue
    }
    sightings.count(authName, {
      success: countOrNull(parsed.output.success),
      failed: countOrNull(parsed.output.failed),
    })
    if (provider === null) {
      const { auth_index, email } = parsed.output
      otherProviders.set(providerName, (otherProviders.get(providerName) ?? 0) + 1)
      otherLogins.push({
        provider: providerName,
        authIndex: authIndexOf(auth_index),
        email: emailOf(email),
      })
    } else
      accountByName.set(
        authName,
        accountOf({ provider, upstream, wire, entry: parsed.output, authName }, clock, sightings),
      )
  }
  return {
    accounts: [...accountByName.values()],
    otherProviders,
    ...(otherLogins.length === 0 ? {} : { otherLogins }),
    skipped,
    requestCounters: sightings.counters(clock.now),
  }
}

const nameOf = ({ name, id }: Entry) => name ?? id ?? ''

function authNameOf(entry: Entry): string | null {
  const name = posix.basename(nameOf(entry).replaceAll('\\', '/'))
  return name === '' || name === '.' || name === '..' || name.length > NAME_LENGTH_MAX ? null : name
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

/** An entry that could be read. */
interface ReadEntry {
  readonly provider: Provider
  readonly upstream: UpstreamName
  /** The entry as received: some fields only the provider can read. */
  readonly wire: unknown
  readonly entry: Entry
  readonly authName: string
}

function accountOf(
  { provider, upstream, wire, entry, authName }: ReadEntry,
  clock: ListClock,
  sightings: ReturnType<AccountTracker['nextList']>,
): Account {
  const onOurs = (instant: EpochMs | null) =>
    instant === null ? null : onOurClock(instant, clock.skewSeconds)
  const { vendorAccountId, claimedPlan, subscribedUntil } = provider.identityOf(wire)
  const identity = { provider, upstream, authName, vendorAccountId, email: entry.email }
  const accountKey = accountKeyOf(identity)
  const recentRequests = recentRequestsOf(entry.recent_requests ?? [], clock)
  const text = entry.status_message ?? ''
  const messageHash =
    entry.status_message === null ? null : createHash('sha256').update(text).digest('base64')
  const known = sightings.earlier(authName)
  const earlier = known?.selector.accountKey === accountKey ? known : null
  const nextRetryAt = onOurs(entry.next_retry_after)
  const modifiedAt = onOurs(entry.modtime)
  const tracked = sightings.follow(
    `${accountKey}|${authName}`,
    {
      messageHash,
      messageSince: messageSince(provider, text, earlier),
      earlier,
      updatedAt: onOurs(entry.updated_at),
      modifiedAt,
      successCount: entry.success,
      failedCount: entry.failed,
      nextRetryAt,
      recentRequests,
    },
    clock.now,
    (at) => provider.readStatusMessage(text, at),
  )
  return {
    provider: provider.id,
    upstream,
    selector: { authName, authIndex: authIndexOf(entry.auth_index), accountKey },
    title: titleOf(entry, authName),
    email: emailOf(entry.email),
    vendorAccountId,
    claimedPlan,
    // The vendor's own time: the proxy's clock has no part in it.
    subscribedUntil,
    upstreamStatus: statusOf(entry.status),
    operatorDisabled: entry.disabled === true || entry.status === 'disabled',
    ...(Number.isSafeInteger(entry.priority) && { priority: entry.priority }),
    unavailable: entry.unavailable === true,
    nextRetryAt,
    modifiedAt,
    ...tracked,
    recentRequests,
  }
}

/** First time an earlier process saw this message of this account, so that our own restart does not make a message newer. */
function messageSince(provider: Provider, text: string, earlier: Account | null): EpochMs | null {
  if (earlier?.messageAt == null) return null
  const isSame =
    JSON.stringify(provider.readStatusMessage(text, earlier.messageAt)) ===
    JSON.stringify(earlier.message)
  return isSame ? earlier.messageAt : null
}

/** See docs/rules.md#account-identity. */
function accountKeyOf(of: {
  readonly provider: Provider
  readonly upstream: UpstreamName
  readonly authName: string
  readonly vendorAccountId: string | null
  readonly email: string | null
}): string {
  const email = emailOf(of.email)
  const parts =
    email === null
      ? // A file name identifies its owner only at its own proxy.
        [...(of.upstream === DEFAULT_UPSTREAM ? [] : [of.upstream]), of.authName]
      : of.vendorAccountId === null
        ? [email]
        : [of.vendorAccountId, email]
  return createHash('sha256')
    .update([of.provider.id, ...parts].join('|'))
    .digest('hex')
    .slice(0, 16)
}

/** Reads the auth index: text since v6.6.56, a number before. See docs/upstream.md#auth-index. */
function authIndexOf(wire: unknown): string {
  const index = typeof wire === 'number' ? String(wire) : (textFrom(wire) ?? '')
  return index.length > WORD_LENGTH_MAX ? '' : index
}

function titleOf(entry: Entry, authName: string): string {
  for (const candidate of [entry.label, entry.email, entry.name, entry.id]) {
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

/** Slots the proxy keeps. See docs/upstream.md#recent-requests. */
const SLOT_COUNT_MAX = 20

/** The labels carry neither date nor zone, so the times follow from the proxy's clock: the last slot is the current one. */
function recentRequestsOf(wire: readonly unknown[], clock: ListClock): readonly RequestSlot[] {
  const slots = wire.slice(-SLOT_COUNT_MAX)
  const slotMs = SLOT_SECONDS * 1000
  const currentStartAt = epochMs(Math.floor(clock.proxyNow / slotMs) * slotMs)
  return slots.map((slot, index) => {
    // Without a schema: parsing twenty slots per account would take longer than all the rest.
    const { success, failed } = (typeof slot === 'object' && slot !== null ? slot : {}) as Readonly<
      Record<string, unknown>
    >
    const startAt = onOurClock(
      plusMs(currentStartAt, (index + 1 - slots.length) * slotMs),
      clock.skewSeconds,
    )
    return { startAt, success: countOf(numberFrom(success)), failed: countOf(numberFrom(failed)) }
  })
}

function countOrNull(wire: number | null): number | null {
  return wire === null ? null : countOf(wire)
}

function countOf(wire: number | null): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.floor(wire ?? 0)))
}
