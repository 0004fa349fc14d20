import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeQueue, decodeTree, noAccounts } from '@svc/collector'
import type { UsageDetail } from '@svc/core/usage'
import type { FakeUpstream } from '@svc/fake-proxy'
import { exportBackup, importBackup } from '@svc/history'
import { type Database, openSqlite } from '@svc/sqlite'
import { clock, type World } from './crash-world.ts'

/** What SQLite finds wrong with a file. */
export function damageOf(path: string): readonly string[] {
  if (!existsSync(path)) return []
  const db = openSqlite(path)
  try {
    const integrity = db.pragma('integrity_check', { simple: true })
    const foreignKeys = db.pragma('foreign_key_check') as readonly unknown[]
    return [
      ...(integrity === 'ok' ? [] : [`integrity_check says ${String(integrity)}`]),
      ...(foreignKeys.length === 0 ? [] : ['foreign_key_check finds rows']),
    ]
  } finally {
    db.close()
  }
}

/** What all rounds came to, with what the stores hold and must not. */
export async function verdictOn(
  worlds: Readonly<Record<World['kind'], World>>,
  folder: string,
  violations: string[],
) {
  const totals = { handedOut: 0, acknowledged: 0, stored: 0, lost: 0 }
  for (const world of Object.values(worlds)) {
    const { kind, fake, statePath, acknowledged, unfinishedAnswers } = world
    const db = openSqlite(statePath, { readonly: true })
    const stored = new Set(
      db.prepare("SELECT at_ms || ' ' || key FROM usage").pluck().all() as string[],
    )
    const handedOut = fake.usage.ledger.filter(
      (record) => kind === 'legacy' || record.handedOutWith !== null,
    )
    const identities = identitiesOf(world, handedOut)
    const known = new Set(identities.values())
    for (const row of stored)
      if (!known.has(row))
        violations.push(`${kind}: a row is stored that the proxy never handed out`)
    for (const record of handedOut) {
      const identity = identities.get(record.json) ?? ''
      if (stored.has(identity)) continue
      totals.lost += 1
      if (acknowledged.has(record.json)) violations.push(`${kind}: an acknowledged record is lost`)
      if (kind === 'legacy') violations.push('legacy: a record is missing after a full poll')
      else if (!unfinishedAnswers.has(record.handedOutWith ?? 0))
        violations.push('queue: a record is missing that was not on its way when a process died')
    }
    violations.push(...rollupDifferences(db, kind))
    db.close()
    violations.push(...(await roundTrip(statePath, folder, kind)))
    totals.handedOut += handedOut.length
    totals.acknowledged += acknowledged.size
    totals.stored += stored.size
  }
  return { ...totals, violations: [...new Set(violations)] }
}

/** Time and key of each record, as the service must find them. */
export function identitiesOf(
  { kind, fake }: Pick<World, 'kind' | 'fake'>,
  records: FakeUpstream['usage']['ledger'],
): ReadonlyMap<string, string> {
  const context = { directory: noAccounts, receivedAt: clock.now() }
  const identity = ({ at, key }: UsageDetail) => `${at} ${key}`
  if (kind === 'queue') {
    const decoded = decodeQueue(
      records.map(({ json }) => JSON.parse(json)),
      context,
    )
    return new Map(
      records.map(({ json }, index) => [
        json,
        identity(decoded?.batch.details[index] as UsageDetail),
      ]),
    )
  }
  // The tree holds the same requests in its own order; each of them is there, or none of this holds.
  const details = [...(decodeTree([Buffer.from(fake.usage.tree())], context)?.parts ?? [])].flatMap(
    ({ batch }) => batch.details,
  )
  return new Map(records.map(({ json }, index) => [json, identity(details[index] as UsageDetail)]))
}

const COLUMNS = ['0', 'account_id', 'model_id', 'api_name_id'] as const
/** Rollups that must still be whole: the others may be gone by now. */
const TIERS = [60, 900, 7_200, 86_400] as const

function rollupDifferences(db: Database, kind: string): readonly string[] {
  return COLUMNS.flatMap((column, grouping) =>
    TIERS.flatMap((tier) => {
      const kept = `SELECT bucket_s, member_id, requests, tokens, failed FROM rollups WHERE grouping = ${grouping} AND tier_seconds = ${tier}`
      const made = `SELECT at_ms / ${tier * 1000} * ${tier} b, ${column} m, count(*), sum(tokens), sum(failed) FROM usage GROUP BY b, m`
      const count = Number(
        db
          .prepare(
            `SELECT (SELECT count(*) FROM (${kept} EXCEPT ${made})) + (SELECT count(*) FROM (${made} EXCEPT ${kept}))`,
          )
          .pluck()
          .get(),
      )
      return count === 0
        ? []
        : [`${kind}: ${count} rollups of ${tier} s by ${column} differ from the rows`]
    }),
  )
}

async function roundTrip(
  statePath: string,
  folder: string,
  kind: string,
): Promise<readonly string[]> {
  const [one, copy, two] = ['one.json', 'copy.db', 'two.json'].map((name) =>
    join(folder, `round-${kind}-${name}`),
  ) as [string, string, string]
  await exportBackup({ statePath, output: one, exportedAt: 'then', appVersion: '0' })
  await importBackup({ statePath: copy, file: one, now: clock.now() })
  await exportBackup({ statePath: copy, output: two, exportedAt: 'then', appVersion: '0' })
  return readFileSync(one).equals(readFileSync(two))
    ? []
    : [`${kind}: export, import and export again differ`]
}
