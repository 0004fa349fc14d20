import { decodeQueue, decodeTree, noAccounts } from '@svc/collector'
import type { UsageDetail } from '@svc/core/usage'
import type { FakeUpstream } from '@svc/fake-proxy'
import { clock, type MonitorRun, type RecordKind } from './witnessed-monitor.ts'

/** Tables of a store with any engine. */
export interface StoreTables {
  /** First columns of the rows that a query returns. */
  column(sql: string): Promise<readonly string[]>
  /** Prefix of a table name. */
  readonly schema: string
  /** Sums of buckets of `tier` seconds, as SQL for a FROM clause. */
  rollup(tier: number): string
}

/** Result of all rounds. */
export interface CrashVerdict {
  readonly handedOut: number
  /** Records that a monitor has reported as stored. */
  readonly acknowledged: number
  readonly stored: number
  /** Records that are counted more than once. */
  readonly duplicates: number
  readonly acknowledgedLost: number
  /** Answers that a monitor had taken but not stored when it was killed. */
  readonly batchesLost: number
  readonly rowsLost: number
  /** Periods for which the store reports missing usage. */
  readonly gaps: number
  /** Violations found; empty if all is well. */
  readonly violations: readonly string[]
}

/** Maximum number of answers that a monitor takes before it stores them. See docs/limits.md. */
const BURST_MAX = 2

/** Compares the records that the monitors took and reported as stored with the contents of the store. */
export async function verdictOn(
  kind: RecordKind,
  fake: FakeUpstream,
  runs: readonly MonitorRun[],
  tables: StoreTables,
): Promise<CrashVerdict> {
  const { schema } = tables
  const handedOut = fake.usage.ledger.filter(
    ({ handedOutWith }) => kind === 'legacy' || handedOutWith !== null,
  )
  const identities = identitiesOf(kind, fake, handedOut)
  const rows = await tables.column(`SELECT at_ms || ' ' || key FROM ${schema}usage`)
  const stored = new Set(rows)
  const isStored = (record: string) => stored.has(identities.get(record) ?? '')
  const acknowledged = new Set(
    runs.flatMap(({ answers, toldCount }) => answers.slice(0, toldCount()).flat()),
  )
  // A tree is read again; of a queue nothing is.
  const inHand =
    kind === 'legacy' ? [] : runs.map(({ answers, toldCount }) => answers.slice(toldCount()))
  const acknowledgedLost = [...acknowledged].filter((record) => !isStored(record)).length
  const lostByRun = inHand.map((batches) =>
    batches.filter((batch) => batch.some((record) => !isStored(record))),
  )
  const lost = lostByRun.flat()
  // The batches of a burst share a transaction, and a gap.
  const handsLost = lostByRun.filter(({ length }) => length > 0).length
  const [counted] = await tables.column(`SELECT value FROM ${schema}meta WHERE name = 'stored'`)
  const duplicates = Number(counted) - rows.length
  const gaps = await tables.column(
    `SELECT reason FROM ${schema}gaps WHERE reason IN ('stopped_before_commit', 'batch_lost')`,
  )
  const known = new Set(identities.values())
  const rowsLost = handedOut.length - stored.size
  const violations = [
    [acknowledgedLost === 0, `${acknowledgedLost} acknowledged records are lost`],
    [duplicates === 0, `${duplicates} records are counted more than once`],
    [rows.every((row) => known.has(row)), 'a row is stored that the proxy never handed out'],
    [lost.every((batch) => !batch.some(isStored)), 'a batch is stored in part'],
    [rowsLost === lost.flat().length, 'a record is missing that was in no hand'],
    [lostByRun.every(({ length }) => length <= BURST_MAX), 'more than a burst was in one hand'],
    [gaps.length >= handsLost, `${handsLost} hands are lost, and ${gaps.length} gaps told`],
  ].flatMap(([isWell, what]) => (isWell === true ? [] : [String(what)]))
  return {
    handedOut: handedOut.length,
    acknowledged: acknowledged.size,
    stored: stored.size,
    duplicates,
    acknowledgedLost,
    batchesLost: lost.length,
    rowsLost,
    gaps: gaps.length,
    violations: [...violations, ...(await sumsThatDiffer(tables))],
  }
}

/** Time and key of each record, as the service must find them. */
export function identitiesOf(
  kind: RecordKind,
  fake: FakeUpstream,
  records: FakeUpstream['usage']['ledger'],
): ReadonlyMap<string, string> {
  const context = { directory: noAccounts, receivedAt: clock.now() }
  const listed = () =>
    decodeQueue(Buffer.from(`[${records.map(({ json }) => json).join()}]`), context)?.batch
      .details ?? []
  // The tree holds the same requests in its own order; each of them is there, or none of this holds.
  const inTree = () =>
    [...(decodeTree([Buffer.from(fake.usage.tree())], context)?.batches ?? [])].flatMap(
      ({ details }) => details,
    )
  const details = kind === 'queue' ? listed() : inTree()
  return new Map(
    records.map(({ json }, index) => {
      const { at, key } = details[index] as UsageDetail
      return [json, `${at} ${key}`]
    }),
  )
}

const MEMBERS = ['0', 'account_id', 'model_id', 'api_name_id', 'upstream_id'] as const
/** Bucket lengths in seconds whose sums must still be complete; others may have been deleted by now. */
const TIERS = [60, 900, 7_200, 86_400] as const

async function sumsThatDiffer({ column, schema, rollup }: StoreTables): Promise<readonly string[]> {
  const differences = TIERS.flatMap((tier) =>
    MEMBERS.map((member, grouping) => {
      const kept = `SELECT bucket_s, member_id, requests, tokens, failed FROM ${rollup(tier)} AS sums WHERE grouping = ${grouping}`
      const made = `SELECT at_ms / ${tier * 1000} * ${tier} AS b, ${member} AS m, count(*), sum(tokens), count(*) FILTER (WHERE failed)
        FROM ${schema}usage GROUP BY b, m`
      return `SELECT '${tier} s by ${member} differs from the rows'
        WHERE EXISTS (SELECT 1 FROM (${kept} EXCEPT ${made}) AS more) OR EXISTS (SELECT 1 FROM (${made} EXCEPT ${kept}) AS fewer)`
    }),
  )
  return await column(differences.join(' UNION ALL '))
}
