import { epochMs } from '@svc/core'
import { providerOfUsage } from '@svc/core/usage'
import { type Database, inTransaction } from '@svc/sqlite'
import { createMeta, type Meta } from '../../sqlite/meta.ts'
import { openForWriting } from '../../sqlite/open-database.ts'
import { prepareRollup } from '../../sqlite/rollups.ts'
import { historyErrorOf } from '../../sqlite/sqlite-error.ts'
import { lockStore } from '../../sqlite/store-lock.ts'
import { prepareUsage } from '../../sqlite/usage-rows.ts'
import { statedOf } from '../../usage/measures.ts'
import { DAY_TIER_SECONDS, groupings, TOTAL_MEMBER } from '../../usage/tiers.ts'
import type { BackupRow } from '../format/backup-format.ts'
import type { BackupLine } from '../format/backup-reader.ts'
import type { BackupMeta } from '../format/backup-values.ts'
import type { ImportOrigin, ImportTarget, WithImportTarget } from '../format/import-target.ts'
import { createDays, type ImportDays } from './import-days.ts'
import { createNames, type ImportNames } from './import-names.ts'
import { BACKUP_PAGE_CACHE } from './page-cache.ts'

const ROWS_PER_TRANSACTION = 1_000

/** The target for a file, created if missing. Throws HistoryError: `locked` while a service holds it. */
export function sqliteTarget(path: string): WithImportTarget {
  return async (origin, write) => {
    const lock = lockStore(path)
    try {
      const db = openForWriting(lock.path)
      try {
        db.pragma(BACKUP_PAGE_CACHE)
        return await write(targetIn(db, origin))
      } finally {
        if (db.inTransaction) db.exec('ROLLBACK')
        db.pragma('wal_checkpoint(TRUNCATE)')
        db.close()
      }
    } finally {
      lock.release()
    }
  }
}

function targetIn(db: Database, { meta: backup, certainAt }: ImportOrigin): ImportTarget {
  const meta = createMeta(db)
  const transaction = async <Result>(work: () => Result): Promise<Result> => {
    try {
      return inTransaction(db, work)
    } catch (error) {
      throw historyErrorOf(error)
    }
  }
  inTransaction(db, () => settleMeta(db, meta, backup))
  const names = createNames(db)
  const days = createDays(db, certainAt)
  const add = rowAdder(db, names, days)
  return {
    rowsMax: ROWS_PER_TRANSACTION,
    add: (lines) =>
      transaction(() => {
        let added = 0
        for (const line of lines) added += add(line)
        days.finish()
        return added
      }),
    end: () => transaction(days.end),
  }
}

/** Creates a function that adds a row and returns the number of new usage rows: 0 or 1. Call it inside a transaction. */
function rowAdder(db: Database, names: ImportNames, days: ImportDays) {
  const addUsage = usageAdder(db, names, days)
  const addDay = dayAdder(db, names, days)
  const addObserved = observedAdder(db, names)
  return ({ table, row }: BackupLine): number => {
    switch (table) {
      case 'accounts':
        names.accountId(...(row as BackupRow<'accounts'>))
        return 0
      case 'usage':
        return addUsage(row as BackupRow<'usage'>)
      case 'days':
        addDay(row as BackupRow<'days'>)
        return 0
      case 'quotaSamples':
        addObserved.sample(row as BackupRow<'quotaSamples'>)
        return 0
      case 'capacityPoints':
        addObserved.point(row as BackupRow<'capacityPoints'>)
        return 0
      case 'recentChanges':
        addObserved.change(row as BackupRow<'recentChanges'>)
        return 0
      case 'gaps':
        addObserved.gap(row as BackupRow<'gaps'>)
        return 0
      case 'meta':
        return 0
      default:
        return table satisfies never
    }
  }
}

/** Creates a function that adds a usage row and returns the number of new ones: 0 or 1. */
function usageAdder(db: Database, names: ImportNames, days: ImportDays) {
  const add = prepareUsage(db)
  return (row: BackupRow<'usage'>): number => {
    const [at, key, instance, account, apiName, model, tokens, failed, upstream, provider] = row
    const stated = row.slice(10)
    const members = {
      account: names.accountId(instance, account),
      api: names.apiNameId(apiName),
      model: names.modelId(model),
      upstream: names.upstreamId(upstream),
      provider: names.providerId(providerOfUsage({ provider, accountKey: account })),
    }
    days.begin(at)
    const { changes } = add.run(
      at,
      BigInt(key),
      members.account,
      members.api,
      members.model,
      tokens,
      failed,
      members.upstream,
      provider === null ? null : members.provider,
      ...stated,
    )
    if (changes > 0)
      days.added({ at: epochMs(at), tokens, failed: failed === 1, ...statedOf(stated) }, members)
    return changes
  }
}

/** Creates a function that raises a day's sums to those of the backup if they are lower. */
function dayAdder(db: Database, names: ImportNames, days: ImportDays) {
  const raise = prepareRollup(db, 'larger')
  return (row: BackupRow<'days'>): void => {
    const [grouping, day, instance, member, ...measures] = row
    // After the rows, so that their sums can be compared.
    days.end()
    const memberId = {
      total: () => TOTAL_MEMBER,
      account: () => names.accountId(instance, member),
      model: () => names.modelId(member),
      api: () => names.apiNameId(member),
      upstream: () => names.upstreamId(member),
      provider: () => names.providerId(member),
    }
    raise.run(groupings[grouping], DAY_TIER_SECONDS, day, memberId[grouping](), ...measures)
  }
}

/** Adders of the pool's observations: each row is added unless there is one for its time. */
function observedAdder(db: Database, names: ImportNames) {
  const addSample = db.prepare(
    'INSERT OR IGNORE INTO quota_samples (account_id, window_id, at_ms, percent, reset_at_ms) VALUES (?, ?, ?, ?, ?)',
  )
  const addPoint = db.prepare('INSERT OR IGNORE INTO capacity_points VALUES (?, ?, ?, ?, ?, ?)')
  const addChange = db.prepare(
    `INSERT INTO recent_changes (at_ms, tone, detail) SELECT ?, ?, ?
     WHERE NOT EXISTS (SELECT 1 FROM recent_changes WHERE at_ms = ? AND tone = ? AND detail = ?)`,
  )
  const addGap = db.prepare(
    'INSERT OR IGNORE INTO gaps (from_ms, to_ms, reason, upstream_id) VALUES (?, ?, ?, ?)',
  )
  return {
    sample: ([instance, account, ...sample]: BackupRow<'quotaSamples'>) =>
      void addSample.run(names.accountId(instance, account), ...sample),
    point: (point: BackupRow<'capacityPoints'>) => void addPoint.run(...point),
    change: (change: BackupRow<'recentChanges'>) => void addChange.run(...change, ...change),
    gap: ([from, to, reason, upstream]: BackupRow<'gaps'>) =>
      void addGap.run(from, to, reason, names.upstreamId(upstream)),
  }
}

/** Takes over identity and first poll of the backup. Only an empty store takes over the cut: it continues the other one. */
function settleMeta(db: Database, meta: Meta, { cut, firstPoll, identity }: BackupMeta): void {
  const isEmpty =
    db
      .prepare('SELECT NOT EXISTS (SELECT 1 FROM usage) AND NOT EXISTS (SELECT 1 FROM rollups)')
      .pluck()
      .get() === 1
  if (isEmpty && cut !== null) meta.setFirst({ cut_ms: cut })
  // A new store keeps the identity of the backup, so that fingerprints of clients stay the same.
  meta.setFirst(Object.fromEntries(identity))
  meta.giveIdentity()
  const known = meta.read().instant('first_poll_ms')
  if (firstPoll !== null && (known === null || firstPoll < known))
    meta.set({ first_poll_ms: firstPoll })
}
