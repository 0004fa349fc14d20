import { epochMs } from '@svc/core'
import { ASSUMED_PROVIDER } from '@svc/core/service'
import {
  OTHER_ACCOUNT,
  providerOfUsage,
  REQUESTS_READ_MAX,
  type RequestPlace,
  type RequestsPage,
  type RowsLeft,
  type UsageRequest,
} from '@svc/core/usage'
import { aliasedTable, type SQL, sql } from 'drizzle-orm'
import { failureNumber, statedColumns, statedOf } from '../usage/measures.ts'
import type { MembersById, RowFilter } from '../usage/usage-queries.ts'
import { type Connection, named } from './connection.ts'

interface RequestRow extends Readonly<Record<string, number | string | null>> {
  readonly atMs: number
  readonly key: string
  readonly account: string
  readonly title: string
  readonly apiNameId: number
  readonly model: string
  readonly upstream: string
  readonly provider: string | null
  readonly failed: number
  readonly tokens: number
}

const STATED = sql.raw(statedColumns.join(', '))

/**
 * Reads one page of requests by the primary key; `clients` must have the name of every client. Reads no more than the page, wherever it begins, and with a
 * filter no more than `REQUESTS_READ_MAX` requests.
 */
export async function readRequests(
  { tables, rows }: Connection,
  { from, before, limit }: RowsLeft & { readonly limit: number },
  clients: MembersById,
  filter?: RowFilter,
): Promise<Pick<RequestsPage, 'requests' | 'next'>> {
  const { accounts, models, providers, upstreams, usage } = tables
  const page = aliasedTable(usage, 'page')
  const read = filter === undefined ? limit : Math.max(limit, REQUESTS_READ_MAX)
  // In PostgreSQL only the first two conditions say which days are read.
  const within = sql`FROM ${usage}
      WHERE ${usage.atMs} >= ${from} AND ${usage.atMs} <= ${before.at} AND (${usage.atMs}, ${usage.key}) < (${before.at}, ${BigInt(before.key)})
      ORDER BY ${usage.atMs} DESC, ${usage.key} DESC`
  const found = await rows<RequestRow>(sql`
    SELECT ${named(page.atMs, 'atMs')}, CAST(${page.key} AS text) AS "key", ${named(accounts.key, 'account')}, ${accounts.title},
      ${named(page.apiNameId, 'apiNameId')}, ${named(models.name, 'model')}, ${named(upstreams.name, 'upstream')},
      ${named(providers.name, 'provider')}, CAST(${page.failed} AS integer) AS "failed", ${page.tokens}, ${STATED}
    FROM (SELECT * ${within} LIMIT ${read}) AS page
    JOIN ${accounts} ON ${accounts.id} = ${page.accountId}
    JOIN ${models} ON ${models.id} = ${page.modelId}
    JOIN ${upstreams} ON ${upstreams.id} = ${page.upstreamId}
    LEFT JOIN ${providers} ON ${providers.id} = ${page.providerId}
    ${filter === undefined ? sql`` : conditionsOf(filter, page, tables)}
    ORDER BY ${page.atMs} DESC, ${page.key} DESC LIMIT ${limit}`)
  const last = found.length < limit ? undefined : found.at(-1)
  const requests = found.map((row) => requestOf(row, clients))
  if (last !== undefined) return { requests, next: placeOf(last) }
  if (filter === undefined) return { requests, next: null }
  const [end] = await rows<Pick<RequestRow, 'atMs' | 'key'>>(
    sql`SELECT ${named(usage.atMs, 'atMs')}, CAST(${usage.key} AS text) AS "key" ${within} LIMIT 1 OFFSET ${read - 1}`,
  )
  return { requests, next: end === undefined ? null : placeOf(end) }
}

function placeOf({ atMs, key }: Pick<RequestRow, 'atMs' | 'key'>): RequestPlace {
  return { at: epochMs(atMs), key }
}

type UsageColumns = Pick<
  Connection['tables']['usage'],
  'accountId' | 'apiNameId' | 'modelId' | 'upstreamId' | 'failed' | 'failure'
>

/** Conditions on the rows of a page. A row without a provider is of the one that its account stands for. */
function conditionsOf(
  { members, failed, failures }: RowFilter,
  page: UsageColumns,
  { accounts, providers }: Connection['tables'],
): SQL {
  const columns = {
    account: page.accountId,
    api: page.apiNameId,
    model: page.modelId,
    upstream: page.upstreamId,
  }
  const standsFor = sql`CASE WHEN ${accounts.key} LIKE ${`${OTHER_ACCOUNT}%`} THEN substr(${accounts.key}, ${OTHER_ACCOUNT.length + 1}) ELSE ${ASSUMED_PROVIDER} END`
  const provider = sql`coalesce(${providers.id}, (SELECT named.id FROM ${providers} AS named WHERE named.name = ${standsFor}))`
  const conditions = members.map(({ grouping, ids }) => {
    const column =
      grouping === 'provider' ? provider : grouping === 'total' ? sql`0` : columns[grouping]
    return ids.length === 0 ? sql`1 = 0` : sql`${column} IN ${ids}`
  })
  if (failed !== undefined)
    conditions.push(sql`CAST(${page.failed} AS integer) = ${failed ? 1 : 0}`)
  if (failures !== undefined)
    conditions.push(sql`${page.failure} IN ${failures.map(failureNumber)}`)
  return conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`
}

function requestOf(row: RequestRow, clients: MembersById): UsageRequest {
  const { account, title, provider } = row
  const client = clients.get(row.apiNameId)
  if (client === undefined) throw new Error('a request of a client that has no name')
  return {
    at: epochMs(row.atMs),
    account: { id: account, label: title === '' ? account : title },
    client,
    model: row.model,
    provider: providerOfUsage({ provider, accountKey: account }),
    upstream: row.upstream,
    failed: row.failed !== 0,
    tokens: row.tokens,
    cost: null,
    unpriced: null,
    ...statedOf(statedColumns.map((column) => row[column])),
  }
}
