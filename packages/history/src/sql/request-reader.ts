import { epochMs } from '@svc/core'
import {
  providerOfUsage,
  type RequestsPage,
  type RequestsQuery,
  type UsageRequest,
} from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { statedColumns, statedOf } from '../usage/measures.ts'
import type { MembersById } from '../usage/stored-usage.ts'
import { rows, type Steps } from './steps.ts'

interface RequestRow extends Readonly<Record<string, number | string | null>> {
  readonly at_ms: number
  readonly place_key: string
  readonly account: string
  readonly title: string
  readonly api_name_id: number
  readonly model: string
  readonly upstream: string
  readonly provider: string | null
  readonly has_failed: number
  readonly tokens: number
}

const STATED = sql.raw(statedColumns.join(', '))

/** One page of requests by the primary key, whose clients are among `clients`. Reads no more than the page, wherever it begins. */
export function* readRequests(
  { from, before, limit }: RequestsQuery,
  clients: MembersById,
): Steps<RequestsPage> {
  // In PostgreSQL only the first two conditions say which days are read.
  const found = yield* rows<RequestRow>(sql`
    SELECT at_ms, CAST(page.key AS text) AS place_key, a.key AS account, a.title, api_name_id, m.name AS model, u.name AS upstream,
      p.name AS provider, CAST(failed AS integer) AS has_failed, tokens, ${STATED}
    FROM (SELECT * FROM svc_quota_monitor.usage
      WHERE at_ms >= ${from} AND at_ms <= ${before.at} AND (at_ms, key) < (${before.at}, ${BigInt(before.key)})
      ORDER BY at_ms DESC, key DESC LIMIT ${limit}) AS page
    JOIN svc_quota_monitor.accounts AS a ON a.id = account_id
    JOIN svc_quota_monitor.models AS m ON m.id = model_id
    JOIN svc_quota_monitor.upstreams AS u ON u.id = upstream_id
    LEFT JOIN svc_quota_monitor.providers AS p ON p.id = provider_id
    ORDER BY at_ms DESC, page.key DESC`)
  const last = found.length < limit ? undefined : found.at(-1)
  return {
    requests: found.map((row) => requestOf(row, clients)),
    next: last === undefined ? null : { at: epochMs(last.at_ms), key: last.place_key },
  }
}

function requestOf(row: RequestRow, clients: MembersById): UsageRequest {
  const { account, title, provider } = row
  const client = clients.get(row.api_name_id)
  if (client === undefined) throw new Error('a request of a client that has no name')
  return {
    at: epochMs(row.at_ms),
    account: { id: account, label: title === '' ? account : title },
    client,
    model: row.model,
    provider: providerOfUsage({ provider, accountKey: account }),
    upstream: row.upstream,
    failed: row.has_failed !== 0,
    tokens: row.tokens,
    ...statedOf(statedColumns.map((column) => row[column])),
  }
}
