import { closeSync, fstatSync, openSync } from 'node:fs'
import { type EpochMs, epochMs } from '@svc/core'
import { historyErrorOf } from '../history-error.ts'
import { createMeta, giveIdentity, type Meta } from '../meta.ts'
import { openForWriting } from '../open-database.ts'
import { createRollupSums, DAY_TIER_SECONDS, groupings, TOTAL_MEMBER } from '../rollups.ts'
import type { Database } from '../sqlite.ts'
import { lockStore } from '../store-lock.ts'
import { BACKUP_PAGE_CACHE, type BackupRow } from './backup-format.ts'
import { BackupError, type Progress } from './backup-progress.ts'
import { type BackupLine, readHead, readRows } from './backup-reader.ts'

export interface ImportOptions {
  readonly statePath: string
  readonly file: string
  readonly now: EpochMs
  readonly onProgress?: Progress
  /** Ends the import between two transactions; running it again goes on. */
  readonly stop?: AbortSignal
}

export interface ImportResult {
  /** Rows in the file. */
  readonly rows: number
  /** Usage rows that were not there before. */
  readonly added: number
}

const ROWS_PER_TRANSACTION = 1_000

/**
 * Adds what a backup holds to a store. The file is checked whole before the first row is written; then rows go in by transactions of 1,000, each
 * once, so an interrupted import is completed by running it again. Throws HistoryError (`locked` while a service holds the store) and BackupError.
 */
export async function importBackup({ statePath, file: path, now, onProgress, stop }: ImportOptions): Promise<ImportResult> {
  const file = openBackup(path)
  try {
    const head = readHead(file)
    const total = 2 * Object.values(head.counts).reduce((sum, count) => sum + count, 0)
    const turn = async (rows: number) => {
      onProgress?.({ rows, total })
      await new Promise((resolve) => setImmediate(resolve))
      if (stop?.aborted === true) throw new BackupError('interrupted: import the same file again to go on')
    }
    let checked = 0
    const lasting = { cut: 0, firstPoll: null as number | null, identity: new Map<string, string>() }
    for (const { table, row } of readRows(file)) {
      checked += 1
      if (table === 'meta') noteMeta(lasting, row as BackupRow<'meta'>)
      if (checked % ROWS_PER_TRANSACTION === 0) await turn(checked)
    }
    const lock = lockStore(statePath)
    try {
      const db = openForWriting(statePath)
      try {
        db.pragma(BACKUP_PAGE_CACHE)
        const target = prepareTarget(db, lasting)
        let written = 0
        let added = 0
        db.exec('BEGIN IMMEDIATE')
        for (const line of readRows(file)) {
          added += target.add(line)
          written += 1
          if (written % ROWS_PER_TRANSACTION !== 0) continue
          target.finish(now)
          db.exec('COMMIT')
          await turn(checked + written)
          db.exec('BEGIN IMMEDIATE')
        }
        target.finish(now)
        db.exec('COMMIT')
        onProgress?.({ rows: total, total })
        return { rows: written, added }
      } finally {
        if (db.inTransaction) db.exec('ROLLBACK')
        db.pragma('wal_checkpoint(TRUNCATE)')
        db.close()
      }
    } finally {
      lock.release()
    }
  } catch (error) {
    throw error instanceof BackupError ? error : historyErrorOf(error)
  } finally {
    closeSync(file)
  }
}

function openBackup(path: string): number {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    throw new BackupError(`${path} cannot be read`)
  }
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new BackupError(`${path} is not a regular file`)
}

interface LastingMeta {
  cut: number
  firstPoll: number | null
  readonly identity: Map<string, string>
}

function noteMeta(lasting: LastingMeta, [name, value]: BackupRow<'meta'>): void {
  if (name === 'cut_ms') lasting.cut = Number(value)
  else if (name === 'first_poll_ms') lasting.firstPoll = Number(value)
  else lasting.identity.set(name, value)
}

/** What must hold before the first row: who the store is, and from when on single rows count. */
function settleMeta(meta: Meta, { cut, firstPoll, identity }: LastingMeta): void {
  // A new store goes on under the identity of the one it comes from, so that fingerprints of clients stay the same.
  for (const name of ['instance', 'fingerprint_key'] as const) {
    const value = identity.get(name)
    if (meta.text(name) === null && value !== undefined) meta.set(name, value)
  }
  giveIdentity(meta)
  if (cut > meta.count('cut_ms')) meta.set('cut_ms', cut)
  const known = meta.instant('first_poll_ms')
  if (firstPoll !== null && (known === null || firstPoll < known)) meta.set('first_poll_ms', firstPoll)
}

/** Takes rows in any order of tables. Call inside a transaction. */
function prepareTarget(db: Database, lasting: LastingMeta) {
  const meta = createMeta(db)
  db.exec('BEGIN IMMEDIATE')
  settleMeta(meta, lasting)
  const cut = meta.count('cut_ms')
  // What is only known by the day from now on is not kept by the row either.
  db.prepare('DELETE FROM usage WHERE at_ms < ?').run(cut)
  db.exec('COMMIT')

  const sums = createRollupSums(db)
  const accountIds = new Map<string, number>()
  const apiNameIds = new Map<string, number>()
  const modelIds = new Map<string, number>()
  const addAccount = db
    .prepare(
      `INSERT INTO accounts (instance, key, title) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET title = max(title, excluded.title) RETURNING id`,
    )
    .pluck()
  const addApiName = db.prepare('INSERT INTO api_names (name) VALUES (?) ON CONFLICT DO UPDATE SET name = name RETURNING id').pluck()
  const addModel = db.prepare('INSERT INTO models (name) VALUES (?) ON CONFLICT DO UPDATE SET name = name RETURNING id').pluck()
  const idIn = (ids: Map<string, number>, name: string, add: () => unknown) => {
    const known = ids.get(name)
    if (known !== undefined) return known
    const id = Number(add())
    ids.set(name, id)
    return id
  }
  const accountId = (instance: string, key: string, title = '') =>
    idIn(accountIds, `${instance}\n${key}`, () => addAccount.get(instance, key, title))
  const apiNameId = (name: string) => idIn(apiNameIds, name, () => addApiName.get(name))
  const modelId = (name: string) => idIn(modelIds, name, () => addModel.get(name))
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

  const addUsageRow = ([at, key, instance, account, apiName, model, tokens, failed]: BackupRow<'usage'>): number => {
    if (at < cut) return 0
    const members = { account: accountId(instance, account), api: apiNameId(apiName), model: modelId(model) }
    const { changes } = addUsage.run(at, key, members.account, members.api, members.model, tokens, failed)
    if (changes > 0) sums.add({ at: epochMs(at), tokens, failed: failed === 1 }, members)
    return changes
  }
  const addDayRow = ([grouping, day, instance, member, requests, tokens, failed]: BackupRow<'days'>) => {
    // Later days follow from the rows.
    if (day * 1000 >= cut) return
    const memberId = {
      total: () => TOTAL_MEMBER,
      account: () => accountId(instance, member),
      model: () => modelId(member),
      api: () => apiNameId(member),
    }
    addDay.run(groupings[grouping], day, memberId[grouping](), requests, tokens, failed)
  }

  return {
    /** Usage rows that were not there before: 0 or 1. */
    add({ table, row }: BackupLine): number {
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
    finish: (now: EpochMs) => sums.write(now),
  }
}
