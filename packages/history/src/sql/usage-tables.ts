import { createHmac } from 'node:crypto'
import { DAY_MS, type EpochMs, epochMs } from '@svc/core'
import { dayOf, type PriceSettings, priceBookOf } from '@svc/core/money'
import { providerMember, totalMember, type UsageGroup, type UsageMember } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { pricedRequest } from '../usage/priced-usage.ts'
import { rowFilterOf, unknownIdsOf } from '../usage/stored-usage.ts'
import { DAY_TIER_SECONDS, groupings, TOTAL_MEMBER } from '../usage/tiers.ts'
import type { MembersById, UsageExtent, UsageQueries, UsageTables } from '../usage/usage-queries.ts'
import { type Connection, onlyValue, select } from './connection.ts'
import { earliestOf, gapsSince, missedTime, observedSince, watchedSince } from './coverage.ts'
import { type MetaValues, readMeta } from './meta.ts'
import { storedPrices } from './price-store.ts'
import { readRequests } from './request-reader.ts'

/** Settings of the operator that answers depend on. */
export interface AnswerSettings {
  readonly labels: ReadonlyMap<string, string>
  readonly prices: PriceSettings
}

/** The usage tables at one moment; call inside a transaction. `own` has the parts that differ by engine. */
export async function usageTables(
  db: Connection,
  { labels, prices }: AnswerSettings,
  own: UsageQueries & Pick<UsageTables, 'measured'>,
): Promise<UsageTables> {
  const meta = await readMeta(db)
  const rowsSince = meta.instant('cut_ms')
  const ratesUntil = meta.instant('rates_until_ms')
  const clients = { labels, fingerprintKey: meta.text('fingerprint_key') ?? '' }
  const named = (group: UsageGroup) => memberNames(db, group, clients)
  const tiersFromDay = dayOf(meta.instant('tiers_since_ms') ?? epochMs(0))
  const book = async () => priceBookOf({ stored: await storedPrices(db), ...prices, tiersFromDay })
  return {
    ...own,
    extent: extentOf(db, meta),
    rowsSince,
    pairsSince: meta.instant('pairs_since_ms'),
    // Requests are in the sums before they are deleted.
    ratesUntil: ratesUntil && epochMs(Math.max(ratesUntil, rowsSince ?? 0)),
    named,
    book,
    async requests({ filter = {}, limit }, left) {
      const from = epochMs(Math.max(left.from, rowsSince ?? 0))
      const isFiltered = Object.keys(filter).length > 0
      const rowFilter = isFiltered ? await rowFilterOf({ named }, filter) : undefined
      const asked = { ...left, from, limit }
      const page = await readRequests(db, asked, await named('client'), rowFilter)
      const known = await book()
      const requests = known.isEmpty
        ? page.requests
        : page.requests.map((request) => pricedRequest(known, request))
      const unknownIds = await unknownIdsOf({ named }, filter)
      return { requests, next: page.next, rowsSince, unknownIds }
    },
  }
}

/** Number of days searched first for the oldest and the newest row, because in PostgreSQL each day is a separate table. */
const NEAR_DAYS = 2

/** Extent of usage for one answer; repeated reads are cached. `meta` must be of the same moment. */
function extentOf(db: Connection, meta: MetaValues): UsageExtent {
  const firstPollAt = meta.instant('first_poll_ms')
  let known: EpochMs | null | undefined
  const extent: UsageExtent = {
    async earliest() {
      if (known === undefined) known = await readEarliest(db, meta.instant('cut_ms'))
      return known
    },
    latest: (now) => readLatest(db, now),
    async watch(from) {
      const since = watchedSince(await extent.earliest(), firstPollAt)
      return { since, missed: await gapsSince(db, from) }
    },
    async history(now) {
      const since = observedSince(firstPollAt, now)
      return {
        earliest: await extent.earliest(),
        latest: await readLatest(db, now),
        lastWriteAt: meta.instant('last_write_ms'),
        duplicates: meta.count('duplicate'),
        missing: meta.count('missing'),
        observedSeconds: Math.max(0, (now - since) / 1000),
        gapSeconds: (await missedTime(db, since, now)) / 1000,
      }
    },
  }
  return extent
}

/** Start of the oldest usage. Every row is in its day's sums; rows before the cut are deleted or will be soon. */
async function readEarliest(db: Connection, cut: EpochMs | null): Promise<EpochMs | null> {
  const { usage, sumsOfTier } = db.tables
  const { sums, ofTier } = sumsOfTier(DAY_TIER_SECONDS)
  const dayS = await onlyValue(
    db,
    sql`SELECT min(${sums.bucketS}) AS value FROM ${sums} WHERE ${ofTier} AND ${sums.grouping} = ${groupings.total}`,
  )
  const from = Math.max(cut ?? 0, dayS === null ? 0 : dayS * 1000)
  const oldest = sql`SELECT min(${usage.atMs}) AS value FROM ${usage}`
  const near = sql`${usage.atMs} < ${from + NEAR_DAYS * DAY_MS}`
  const row = (await onlyValue(db, sql`${oldest} WHERE ${near}`)) ?? (await onlyValue(db, oldest))
  return earliestOf(row, dayS)
}

async function readLatest(db: Connection, now: EpochMs): Promise<EpochMs | null> {
  const { usage } = db.tables
  const newest = sql`SELECT max(${usage.atMs}) AS value FROM ${usage} WHERE ${usage.atMs} < ${now}`
  const near = sql`${usage.atMs} >= ${now - NEAR_DAYS * DAY_MS}`
  const at = (await onlyValue(db, sql`${newest} AND ${near}`)) ?? (await onlyValue(db, newest))
  return at === null ? null : epochMs(at)
}

const TABLE_OF_GROUP = {
  model: 'models',
  api: 'apiNames',
  client: 'apiNames',
  upstream: 'upstreams',
  provider: 'providers',
} as const satisfies Readonly<Partial<Record<UsageGroup, keyof Connection['tables']>>>

/** Names of a group's members; a client label covers all its API names. */
async function memberNames(
  db: Connection,
  group: UsageGroup,
  clients: ClientNames,
): Promise<MembersById> {
  if (group === 'total') return everything
  const rows =
    group === 'account'
      ? (await select(db, db.tables.accounts, ['id', 'key', 'title'])).map(
          ({ id, key, title }) => [id, key, title === '' ? key : title] as const,
        )
      : (await select(db, db.tables[TABLE_OF_GROUP[group]], ['id', 'name'])).map(
          ({ id, name }) => [id, name, name] as const,
        )
  return membersOf(group, rows, clients)
}

type ClientNames = Pick<AnswerSettings, 'labels'> & { readonly fingerprintKey: string }

/** Members of the grouping `total`. */
export const everything: MembersById = new Map([[TOTAL_MEMBER, totalMember]])

/** Names of a group's members. A client label covers all its API names; `fingerprintKey` hides API names without a label. */
export function membersOf(
  group: Exclude<UsageGroup, 'total'>,
  rows: readonly (readonly [id: number, key: string, label: string])[],
  { labels, fingerprintKey }: ClientNames,
): MembersById {
  if (group === 'provider') return new Map(rows.map(([id, name]) => [id, providerMember(name)]))
  const apiNames = group === 'client' ? rows.map(([, name]) => name) : []
  const named = clientsByApiName(apiNames, labels, fingerprintKey)
  return new Map(rows.map(([id, key, label]) => [id, named.get(key) ?? { id: key, label }]))
}

/** Digits of a fingerprint; more if two names would share it. */
const FINGERPRINT_DIGITS = 8
const FINGERPRINT_DIGITS_MAX = 64

/**
 * Clients by their API name: their label, which several may share, or else a fingerprint that cannot be guessed from a list of likely names. The same
 * names and key always give the same fingerprints.
 */
export function clientsByApiName(
  apiNames: Iterable<string>,
  labels: ReadonlyMap<string, string>,
  fingerprintKey: string,
): ReadonlyMap<string, UsageMember> {
  const clients = new Map<string, UsageMember>()
  const key = Buffer.from(fingerprintKey, 'hex')
  let unlabelled: (readonly [apiName: string, digest: string])[] = []
  for (const apiName of apiNames) {
    const label = labels.get(apiName)
    if (label !== undefined) clients.set(apiName, { id: label, label })
    else unlabelled.push([apiName, createHmac('sha256', key).update(apiName).digest('hex')])
  }
  for (let digits = FINGERPRINT_DIGITS; unlabelled.length > 0; digits *= 2) {
    const counts = new Map<string, number>()
    const prefixes = unlabelled.map(([, digest]) => digest.slice(0, digits))
    for (const prefix of prefixes) counts.set(prefix, (counts.get(prefix) ?? 0) + 1)
    unlabelled = unlabelled.filter(([apiName], index) => {
      const prefix = prefixes[index] ?? ''
      if (counts.get(prefix) !== 1 && digits < FINGERPRINT_DIGITS_MAX) return true
      clients.set(apiName, { id: `client-${prefix}`, label: `client-${prefix}` })
      return false
    })
  }
  return clients
}
