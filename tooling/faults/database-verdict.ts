import type { FakeUpstream } from '@svc/fake-proxy'
import { identitiesOf } from './crash-verdict.ts'
import type { DatabasePair } from './database-pair.ts'
import type { MonitorRun } from './witnessed-monitor.ts'

/** What all rounds came to. */
export interface DatabaseVerdict {
  readonly handedOut: number
  /** Records that a monitor has said to have stored. */
  readonly acknowledged: number
  readonly stored: number
  /** Records that are counted more than once. */
  readonly duplicates: number
  readonly acknowledgedLost: number
  /** Answers that a monitor had taken and not stored when it was killed. */
  readonly batchesLost: number
  readonly rowsLost: number
  /** Stretches of time that the store says it misses something of. */
  readonly gaps: number
  /** What must not be; empty when all is well. */
  readonly violations: readonly string[]
}

/** Compares what the monitors took and told with what the database holds. */
export async function databaseVerdict(
  fake: FakeUpstream,
  runs: readonly MonitorRun[],
  database: DatabasePair,
): Promise<DatabaseVerdict> {
  const handedOut = fake.usage.ledger.filter(({ handedOutWith }) => handedOutWith !== null)
  const identities = identitiesOf({ kind: 'queue', fake }, handedOut)
  const rows = await linesOf(database, `SELECT at_ms || ' ' || key FROM svc_quota_monitor.usage`)
  const stored = new Set(rows)
  const isStored = (record: string) => stored.has(identities.get(record) ?? '')
  const [acknowledged, inHand] = [[], []] as [string[], (readonly string[])[]]
  const violations: string[] = []
  for (const { answers, toldCount } of runs) {
    acknowledged.push(...answers.slice(0, toldCount()).flat())
    inHand.push(...answers.slice(toldCount()))
    if (answers.length > toldCount() + 1) violations.push('more than one batch was in hand')
  }
  const acknowledgedLost = acknowledged.filter((record) => !isStored(record)).length
  const lost = inHand.filter((batch) => batch.some((record) => !isStored(record)))
  const [counted] = await linesOf(
    database,
    `SELECT value FROM svc_quota_monitor.meta WHERE name = 'stored'`,
  )
  const duplicates = Number(counted) - rows.length
  const gaps = await linesOf(
    database,
    `SELECT reason FROM svc_quota_monitor.gaps WHERE reason IN ('stopped_before_commit', 'batch_lost')`,
  )
  const known = new Set(identities.values())
  const rowsLost = handedOut.length - stored.size
  violations.push(
    ...[
      [acknowledgedLost === 0, `${acknowledgedLost} acknowledged records are lost`],
      [duplicates === 0, `${duplicates} records are counted more than once`],
      [rows.every((row) => known.has(row)), 'a row is stored that the proxy never handed out'],
      [lost.every((batch) => !batch.some(isStored)), 'a batch is stored in part'],
      [rowsLost === lost.flat().length, 'a record is missing that was in no hand'],
      [gaps.length >= lost.length, `${lost.length} batches are lost, and ${gaps.length} gaps told`],
    ].flatMap(([isWell, what]) => (isWell === true ? [] : [String(what)])),
    ...(await sumsThatDiffer(database)),
  )
  return {
    handedOut: handedOut.length,
    acknowledged: acknowledged.length,
    stored: stored.size,
    duplicates,
    acknowledgedLost,
    batchesLost: lost.length,
    rowsLost,
    gaps: gaps.length,
    violations: [...new Set(violations)],
  }
}

const MEMBERS = ['0', 'account_id', 'model_id', 'api_name_id', 'upstream_id'] as const
const TIERS = [60, 900, 7_200, 86_400] as const

async function sumsThatDiffer(database: DatabasePair): Promise<readonly string[]> {
  const differences = TIERS.flatMap((tier) =>
    MEMBERS.map((member, grouping) => {
      const kept = `SELECT bucket_s, member_id, requests, tokens, failed FROM svc_quota_monitor.rollup_${tier} WHERE grouping = ${grouping}`
      const made = `SELECT at_ms / ${tier * 1000} * ${tier}, ${member}, count(*), sum(tokens), count(*) FILTER (WHERE failed)
        FROM svc_quota_monitor.usage GROUP BY 1, 2`
      return `SELECT '${tier} s by ${member} differs from the rows' WHERE EXISTS ((${kept} EXCEPT ${made}) UNION ALL (${made} EXCEPT ${kept}))`
    }),
  )
  return await linesOf(database, differences.join(' UNION ALL '))
}

async function linesOf(database: DatabasePair, sql: string): Promise<readonly string[]> {
  return (await database.sql(sql)).split('\n').filter((line) => line !== '')
}
