import { type EpochMs, epochMs } from '@svc/core'
import { createMeta, giveIdentity, type Meta } from '../meta.ts'
import {
  createRollupSums,
  DAY_TIER_SECONDS,
  groupings,
  type RollupSums,
  TOTAL_MEMBER,
} from '../rollups.ts'
import type { Database } from '../sqlite.ts'
import type { BackupRow } from './backup-format.ts'
import type { BackupLine } from './backup-reader.ts'
import type { BackupMeta } from './backup-values.ts'

const DAY_MS = DAY_TIER_SECONDS * 1000

/** A store that takes rows of backups. It only ever grows: nothing it holds is deleted, hidden or made less. */
export interface ImportTarget {
  /** Usage rows that were not there before: 0 or 1. Call inside a transaction. */
  add(line: BackupLine): number
  /** Sums up what was added. Call before each end of a transaction. */
  finish(): void
  /** Sums up the last day as well. */
  end(): void
}

/** `certainAt`: a time that has certainly passed; it separates old sums from new ones. */
export function prepareTarget(db: Database, backup: BackupMeta, certainAt: EpochMs): ImportTarget {
  const meta = createMeta(db)
  db.exec('BEGIN IMMEDIATE')
  settleMeta(db, meta, backup)
  db.exec('COMMIT')

  const { accountId, apiNameId, modelId } = createNames(db)
  const days = createDays(db, certainAt)
  const addUsage = db.prepare(
    'INSERT OR IGNORE INTO usage (at_ms, key, account_id, api_name_id, model_id, tokens, failed) VALUES (?, cast(? AS INTEGER), ?, ?, ?, ?, ?)',
  )
  const addDay = db.prepare(
    `INSERT INTO rollups (grouping, tier_seconds, bucket_s, member_id, requests, tokens, failed) VALUES (?, ${DAY_TIER_SECONDS}, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET requests = max(requests, excluded.requests), tokens = max(tokens, excluded.tokens), failed = max(failed, excluded.failed)`,
  )
  const addSample = db.prepare('INSERT OR IGNORE INTO quota_samples VALUES (?, ?, ?, ?, ?)')
  const addPoint = db.prepare('INSERT OR IGNORE INTO capacity_points VALUES (?, ?, ?, ?, ?, ?)')
  const addChange = db.prepare(
    `INSERT INTO recent_changes (at_ms, tone, detail) SELECT ?, ?, ?
     WHERE NOT EXISTS (SELECT 1 FROM recent_changes WHERE at_ms = ? AND tone = ? AND detail = ?)`,
  )
  const addGap = db.prepare('INSERT OR IGNORE INTO gaps VALUES (?, ?, ?)')

  const addUsageRow = ([
    at,
    key,
    instance,
    account,
    apiName,
    model,
    tokens,
    failed,
  ]: BackupRow<'usage'>): number => {
    const members = {
      account: accountId(instance, account),
      api: apiNameId(apiName),
      model: modelId(model),
    }
    days.begin(at)
    const { changes } = addUsage.run(
      at,
      key,
      members.account,
      members.api,
      members.model,
      tokens,
      failed,
    )
    if (changes > 0) days.added({ at: epochMs(at), tokens, failed: failed === 1 }, members)
    return changes
  }
  const addDayRow = ([
    grouping,
    day,
    instance,
    member,
    requests,
    tokens,
    failed,
  ]: BackupRow<'days'>) => {
    // After the rows, so that what they add up to can be compared.
    days.end()
    const memberId = {
      total: () => TOTAL_MEMBER,
      account: () => accountId(instance, member),
      model: () => modelId(member),
      api: () => apiNameId(member),
    }
    addDay.run(groupings[grouping], day, memberId[grouping](), requests, tokens, failed)
  }

  return {
    add({ table, row }) {
      switch (table) {
        case 'accounts':
          accountId(...(row as BackupRow<'accounts'>))
          return 0
        case 'usage':
          return addUsageRow(row as BackupRow<'usage'>)
        case 'days':
          addDayRow(row as BackupRow<'days'>)
          return 0
        case 'quotaSamples': {
          const [instance, account, ...sample] = row as BackupRow<'quotaSamples'>
          addSample.run(accountId(instance, account), ...sample)
          return 0
        }
        case 'capacityPoints':
          addPoint.run(...(row as BackupRow<'capacityPoints'>))
          return 0
        case 'recentChanges': {
          const change = row as BackupRow<'recentChanges'>
          addChange.run(...change, ...change)
          return 0
        }
        case 'gaps':
          addGap.run(...(row as BackupRow<'gaps'>))
          return 0
        case 'meta':
          return 0
        default:
          return table satisfies never
      }
    },
    finish: days.finish,
    end: days.end,
  }
}

/** Who the store is, and since when it has watched. Only a store that holds nothing yet takes the cut over: it goes on where the other one was. */
function settleMeta(db: Database, meta: Meta, { cut, firstPoll, identity }: BackupMeta): void {
  const isEmpty =
    db
      .prepare('SELECT NOT EXISTS (SELECT 1 FROM usage) AND NOT EXISTS (SELECT 1 FROM rollups)')
      .pluck()
      .get() === 1
  if (isEmpty && cut !== null && meta.text('cut_ms') === null) meta.set('cut_ms', cut)
  // A new store goes on under the identity of the one it comes from, so that fingerprints of clients stay the same.
  for (const [name, value] of identity) if (meta.text(name) === null) meta.set(name, value)
  giveIdentity(meta)
  const known = meta.instant('first_poll_ms')
  if (firstPoll !== null && (known === null || firstPoll < known))
    meta.set('first_poll_ms', firstPoll)
}

/** Numbers of names, given when there are none yet. */
function createNames(db: Database) {
  const addAccount = db
    .prepare(
      `INSERT INTO accounts (instance, key, title) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET title = max(title, excluded.title) RETURNING id`,
    )
    .pluck()
  const addApiName = db
    .prepare(
      'INSERT INTO api_names (name) VALUES (?) ON CONFLICT DO UPDATE SET name = name RETURNING id',
    )
    .pluck()
  const addModel = db
    .prepare(
      'INSERT INTO models (name) VALUES (?) ON CONFLICT DO UPDATE SET name = name RETURNING id',
    )
    .pluck()
  const known = (add: (...names: readonly string[]) => unknown) => {
    const ids = new Map<string, number>()
    return (key: string, ...names: readonly string[]): number => {
      const id = ids.get(key) ?? Number(add(...names))
      ids.set(key, id)
      return id
    }
  }
  const accountIds = known((instance = '', key = '', title = '') =>
    addAccount.get(instance, key, title),
  )
  const apiNameIds = known((name = '') => addApiName.get(name))
  const modelIds = known((name = '') => addModel.get(name))
  return {
    accountId: (instance: string, key: string, title = '') =>
      accountIds(`${instance}\n${key}`, instance, key, title),
    apiNameId: (name: string) => apiNameIds(name, name),
    modelId: (name: string) => modelIds(name, name),
  }
}

/**
 * Keeps sums in step with rows that come day by day. Where a day's sums are what its rows add up to, each new row is added to them. Where they are more,
 * rows have been forgotten, and a new one may be one of those: then the sums become the larger of themselves and of what the rows add up to now. So the
 * outcome depends neither on the order of imports nor on their number.
 */
function createDays(db: Database, certainAt: EpochMs) {
  const added = createRollupSums(db, 'add')
  const recounted = createRollupSums(db, 'larger')
  const rowsOfDay = db
    .prepare(
      'SELECT at_ms, tokens, failed, account_id, model_id, api_name_id FROM usage WHERE at_ms >= ? AND at_ms < ?',
    )
    .raw()
  const countOfDay = db
    .prepare(
      'SELECT count(*), total(tokens), total(failed) FROM usage WHERE at_ms >= ? AND at_ms < ?',
    )
    .raw()
  const sumsOfDay = db
    .prepare(
      `SELECT total(requests), total(tokens), total(failed) FROM rollups
       WHERE grouping IN (${Object.values(groupings).join(', ')}) AND tier_seconds = ${DAY_TIER_SECONDS} AND bucket_s = ? GROUP BY grouping`,
    )
    .raw()
  /** By every grouping, for no member's sum is ever less than what its rows add up to. */
  const isExact = (startMs: number): boolean => {
    const rows = countOfDay.get(startMs, startMs + DAY_MS) as readonly number[]
    const sums = sumsOfDay.all(startMs / 1000) as readonly (readonly number[])[]
    if (rows[0] === 0) return sums.length === 0
    return (
      sums.length === Object.keys(groupings).length &&
      sums.every((sum) => sum.every((measure, index) => measure === rows[index]))
    )
  }
  let day: { readonly startMs: number; readonly exact: boolean } | null = null

  const end = () => {
    if (day === null) return
    const { startMs, exact } = day
    day = null
    if (exact) return added.write(certainAt)
    for (const row of rowsOfDay.iterate(startMs, startMs + DAY_MS) as IterableIterator<
      readonly number[]
    >) {
      const [at = 0, tokens = 0, failed = 0, account = 0, model = 0, api = 0] = row
      recounted.add({ at: epochMs(at), tokens, failed: failed === 1 }, { account, model, api })
    }
    recounted.write(certainAt)
  }

  return {
    /** A row of this time is about to be added. */
    begin(at: number) {
      const startMs = Math.floor(at / DAY_MS) * DAY_MS
      if (day?.startMs === startMs) return
      end()
      day = { startMs, exact: isExact(startMs) }
    },
    added(...row: Parameters<RollupSums['add']>) {
      if (day?.exact === true) added.add(...row)
    },
    /** The transaction is about to end; the day may go on in the next. */
    finish() {
      if (day?.exact === true) added.write(certainAt)
    },
    end,
  }
}
