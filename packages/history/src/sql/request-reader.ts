import { epochMs } from '@svc/core'
import {
  providerOfUsage,
  type RequestsPage,
  type RequestsQuery,
  type UsageRequest,
} from '@svc/core/usage'
import { aliasedTable, type Column, sql } from 'drizzle-orm'
import { statedColumns, statedOf } from '../usage/measures.ts'
import type { MembersById } from '../usage/stored-usage.ts'
import type { Connection } from './connection.ts'

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

/** Reads one page of requests by the primary key; `clients` must have the name of every client. Reads no more than the page, wherever it begins. */
export async function readRequests(
  { tables: { accounts, models, providers, upstreams, usage }, rows }: Connection,
  { from, before, limit }: RequestsQuery,
  clients: MembersById,
): Promise<RequestsPage> {
  const page = aliasedTable(usage, 'page')
  const named = (column: Column, field: string) => sql`${column} AS ${sql.identifier(field)}`
  // In PostgreSQL only the first two conditions say which days are read.
  const found = await rows<RequestRow>(sql`
    SELECT ${named(page.atMs, 'atMs')}, CAST(${page.key} AS text) AS "key", ${named(accounts.key, 'account')}, ${accounts.title},
      ${named(page.apiNameId, 'apiNameId')}, ${named(models.name, 'model')}, ${named(upstreams.name, 'upstream')},
      ${named(providers.name, 'provider')}, CAST(${page.failed} AS integer) AS "failed", ${page.tokens}, ${STATED}
    FROM (SELECT * FROM ${usage}
      WHERE ${usage.atMs} >= ${from} AND ${usage.atMs} <= ${before.at} AND (${usage.atMs}, ${usage.key}) < (${before.at}, ${BigInt(before.key)})
      ORDER BY ${usage.atMs} DESC, ${usage.key} DESC LIMIT ${limit}) AS page
    JOIN ${accounts} ON ${accounts.id} = ${page.accountId}
    JOIN ${models} ON ${models.id} = ${page.modelId}
    JOIN ${upstreams} ON ${upstreams.id} = ${page.upstreamId}
    LEFT JOIN ${providers} ON ${providers.id} = ${page.providerId}
    ORDER BY ${page.atMs} DESC, ${page.key} DESC`)
  const last = found.length < limit ? undefined : found.at(-1)
  return {
    requests: found.map((row) => requestOf(row, clients)),
    next: last === undefined ? null : { at: epochMs(last.atMs), key: last.key },
  }
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
    ...statedOf(statedColumns.map((column) => row[column])),
  }
}
