import { DAY_MS } from '@svc/core'
import { causesWithin, otherCause, type ProviderCause, type UsageDetail } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { HistoryError } from '../contract/history-error.ts'
import { type Cell, cellsOf, type NamedMembers, otherCell, rateNumber } from '../usage/rates.ts'
import { type RateGrouping, rateGroupings, TOTAL_MEMBER } from '../usage/tiers.ts'
import { type Connection, insert, namesOf, select } from './connection.ts'

/** Attempts to number new rows. One of several concurrent writers succeeds in each, so this is enough for as many writers. */
const ROUNDS_MAX = 100

/** Rows whose number stands for their content in other tables. */
function createNumbers<Row extends object>(
  db: Connection,
  table: Connection['tables']['cells'] | Connection['tables']['causes'],
  fields: readonly (keyof Row & string)[],
) {
  const ids = new Map<string, number>()
  let newest = 0
  const refresh = async () => {
    const rest = sql`WHERE ${table.id} > ${newest} ORDER BY ${table.id}`
    const found = await select(db, table, ['id', ...fields] as never, rest)
    for (const { id, ...row } of found as unknown as readonly (Row & { readonly id: number })[]) {
      ids.set(contentOf(row), id)
      newest = id
    }
  }
  return {
    /** Numbers of the rows, by their content; empty before the first `add`. */
    ids: ids as ReadonlyMap<string, number>,
    /** Gives a number to each of the rows that `choose` takes of those without one. Call before a transaction, never inside one. */
    async add(
      rows: readonly Row[],
      choose = (missing: readonly Row[]): readonly Row[] => missing,
    ): Promise<void> {
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        await refresh()
        const missing = choose(rows.filter((row) => !ids.has(contentOf(row))))
        if (missing.length === 0) return
        const numbered = missing.map((row, index) => ({ id: newest + 1 + index, ...row }))
        await db.transaction('write', () => insert(db, table, numbered as never))
      }
      throw new HistoryError('busy')
    },
  }
}

function contentOf(row: object): string {
  return Object.values(row).join(' ')
}

/** Maximum number of cells; all further ones count as one of their kind. */
const CELLS_MAX = 500_000
const CELL_FIELDS = [
  'kind',
  'memberId',
  'modelId',
  'upstreamId',
  'providerId',
  'tier',
  'band',
] as const satisfies readonly (keyof Cell)[]
const OTHER_CELLS = Object.values(rateGroupings).map(otherCell)

/** A request, or what its rate depends on, with the dictionary numbers of its names. */
interface NamedRow<Detail = Pick<UsageDetail, 'classes' | 'tier'>> {
  readonly detail: Detail
  readonly members: NamedMembers
}

/** Numbers of the cells with one rate, by their member. */
type RateIds = Readonly<Record<RateGrouping, Map<number, number>>>

/** Numbers of cells and of causes of failures. Every method is to be called before a transaction. */
export type RateNumbers = ReturnType<typeof createRateNumbers>

export function createRateNumbers(db: Connection) {
  const cells = createNumbers<Cell>(db, db.tables.cells, CELL_FIELDS)
  const causes = createNumbers<ProviderCause>(db, db.tables.causes, [
    'providerId',
    'status',
    'code',
  ])
  const cellId = ({ kind }: Cell, content: string) =>
    cells.ids.get(content) ?? cells.ids.get(contentOf(otherCell(kind))) ?? 0
  const learnCells = async (wanted: ReadonlyMap<string, Cell>) => {
    if (wanted.size > 0)
      await cells.add([...wanted.values()], (missing) => {
        const room = CELLS_MAX - cells.ids.size
        if (missing.length <= room) return missing
        const others = OTHER_CELLS.filter((cell) => !cells.ids.has(contentOf(cell)))
        return [...missing.slice(0, Math.max(0, room)), ...others]
      })
  }
  /** Numbers of cells by model and rate: found for each request, without its cells. */
  const idsOf = new Map<number, Map<number, RateIds>>()
  const rateIdsOf = ({ detail, members }: NamedRow): RateIds => {
    const rate = rateNumber(detail, members)
    const ofModel = idsOf.get(members.model) ?? new Map<number, RateIds>()
    const ids: RateIds = ofModel.get(rate) ?? {
      account_rate: new Map(),
      client_rate: new Map(),
      total_rate: new Map(),
    }
    if (ids.total_rate.size === 0) idsOf.set(members.model, ofModel.set(rate, ids))
    return ids
  }
  return {
    /** Numbers of these cells, in their order. */
    async cellIds(asked: readonly Cell[]): Promise<readonly number[]> {
      const contents = asked.map(contentOf)
      const wanted = new Map<string, Cell>()
      for (const [index, cell] of asked.entries()) {
        const content = contents[index] as string
        if (!cells.ids.has(content)) wanted.set(content, cell)
      }
      await learnCells(wanted)
      return asked.map((cell, index) => cellId(cell, contents[index] as string))
    },
    /** The requests with their cells. */
    async rowsOf<Detail extends NamedRow['detail']>(rows: readonly NamedRow<Detail>[]) {
      const missing: { readonly cell: Cell; readonly ids: Map<number, number> }[] = []
      const rateIds = rows.map(rateIdsOf)
      rows.forEach(({ detail, members }, index) => {
        const { account_rate, client_rate, total_rate } = rateIds[index] as RateIds
        if (account_rate.has(members.account) && client_rate.has(members.api)) return
        const cells = cellsOf(detail, members)
        missing.push(
          { cell: cells.account_rate, ids: account_rate },
          { cell: cells.client_rate, ids: client_rate },
          { cell: cells.total_rate, ids: total_rate },
        )
      })
      const numbers = await this.cellIds(missing.map(({ cell }) => cell))
      missing.forEach(({ cell, ids }, index) => void ids.set(cell.memberId, numbers[index] ?? 0))
      return rows.map(({ detail, members }, index) => {
        const { account, api, model, provider, upstream } = members
        const ids = rateIds[index] as RateIds
        const account_rate = ids.account_rate.get(account) ?? 0
        const client_rate = ids.client_rate.get(api) ?? 0
        const total_rate = ids.total_rate.get(TOTAL_MEMBER) ?? 0
        const cells = { account_rate, client_rate, total_rate }
        return { detail, members: { account, api, model, provider, upstream, ...cells } }
      })
    },
    /** Numbers of these causes, in their order. */
    async causeIds(asked: readonly ProviderCause[]): Promise<readonly number[]> {
      const wanted = new Map(asked.map((cause) => [contentOf(cause), cause]))
      if ([...wanted.keys()].some((content) => !causes.ids.has(content)))
        await causes.add([...wanted.values()], (missing) => {
          const chosen = causesWithin([...causes.ids.keys()].map(causeIn), missing)
          const distinct = new Map(chosen.map((cause) => [contentOf(cause), cause]))
          return [...distinct.values()].filter((cause) => !causes.ids.has(contentOf(cause)))
        })
      return asked.map(
        (cause) =>
          causes.ids.get(contentOf(cause)) ?? causes.ids.get(contentOf(otherCause(cause))) ?? 0,
      )
    },
  }
}

function causeIn(content: string): ProviderCause {
  const [providerId = 0, status = 0, code = ''] = content.split(' ')
  return { providerId: Number(providerId), status: Number(status), code: String(code) }
}

/** Counts failed requests by cause. Call inside the transaction that has stored them. */
export async function addCauses(
  db: Connection,
  rows: readonly (NamedRow<Pick<UsageDetail, 'at'>> & { readonly causeId?: number })[],
): Promise<void> {
  const counts = new Map<string, FailureCount>()
  for (const { detail, members, causeId } of rows) {
    if (causeId === undefined) continue
    const place = {
      day: Math.floor(detail.at / DAY_MS),
      providerId: members.provider,
      upstreamId: members.upstream,
      accountId: members.account,
      causeId,
    }
    const key = contentOf(place)
    counts.set(key, { ...place, requests: (counts.get(key)?.requests ?? 0) + 1 })
  }
  await putCauses(db, [...counts.values()], 'add')
}

/** Failed requests of a day, by the numbers of names. */
export type FailureCount = Connection['tables']['failureCauses']['$inferSelect']

const PLACE = ['day', 'providerId', 'upstreamId', 'accountId', 'causeId'] as const

/** Adds counts to the stored ones, or keeps the larger. Call inside a transaction. */
export async function putCauses(
  db: Connection,
  counts: readonly FailureCount[],
  onConflict: 'add' | 'larger',
): Promise<void> {
  const { failureCauses: table } = db.tables
  const columns = namesOf(...PLACE.map((field) => table[field]))
  const sum = {
    add: sql`t.requests + excluded.requests`,
    larger: sql`CASE WHEN t.requests < excluded.requests THEN excluded.requests ELSE t.requests END`,
  }[onConflict]
  // In one order, so that two writers wait for each other and never deadlock.
  const inOrder = counts.toSorted((one, other) => {
    const field = PLACE.find((name) => one[name] !== other[name])
    return field === undefined ? 0 : one[field] - other[field]
  })
  await insert(db, table, inOrder, sql`(${columns}) DO UPDATE SET requests = ${sum}`)
}
