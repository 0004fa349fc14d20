import type { PostgresServer } from '@svc/history/testing'

/** The number of each grouping, and the column of a request that is its member. Every request must name its provider. */
const MEMBERS = ['0', 'account_id', 'model_id', 'api_name_id', 'upstream_id', 'provider_id']
const TIERS = [60, 900, 7_200, 86_400]
const DAY_MS = 86_400_000

/** Sums of the day of `now` that differ from what its rows add up to, as lines; empty where all agree. */
export async function wrongSums(
  server: PostgresServer,
  database: string,
  now: number,
): Promise<string> {
  const since = Math.floor(now / DAY_MS) * (DAY_MS / 1000)
  const differences = TIERS.flatMap((seconds) =>
    MEMBERS.map((member, grouping) => {
      const sums = `SELECT bucket_s, member_id::bigint, requests, tokens, failed FROM svc_quota_monitor.rollup_${seconds}
        WHERE grouping = ${grouping} AND bucket_s >= ${since}`
      const rows = `SELECT * FROM (SELECT at_ms / ${seconds * 1000} * ${seconds} AS b, ${member}::bigint, count(*), sum(tokens)::bigint,
        count(*) FILTER (WHERE failed) FROM svc_quota_monitor.usage
        WHERE at_ms >= ${since * 1000} GROUP BY 1, 2) AS r`
      const only = (these: string, those: string) =>
        `(SELECT ${seconds} AS tier, ${grouping} AS of_group, d.* FROM (${these} EXCEPT ${those}) AS d)`
      return `${only(sums, rows)} UNION ALL ${only(rows, sums)}`
    }),
  )
  // Sums by rate of a bucket add up to its requests before those that wait for upkeep.
  const rates = [7_200, 86_400].flatMap((seconds) =>
    [6, 7].map((grouping) => {
      const sumOf = (number: number) =>
        `SELECT bucket_s, 0, sum(requests)::bigint, sum(tokens)::bigint, sum(failed)::bigint FROM svc_quota_monitor.rollup_${seconds}
          WHERE grouping = ${number} AND bucket_s >= ${since} GROUP BY 1`
      const summed = `SELECT at_ms / ${seconds * 1000} * ${seconds}, 0, count(*), sum(tokens)::bigint, count(*) FILTER (WHERE failed)
        FROM svc_quota_monitor.usage WHERE at_ms >= ${since * 1000} AND at_ms < coalesce(
          (SELECT value::bigint FROM svc_quota_monitor.meta WHERE name = 'rates_until_ms'), ${Number.MAX_SAFE_INTEGER}) GROUP BY 1`
      const [own, all] = [sumOf(grouping), summed]
      return `SELECT ${seconds}, ${grouping}, d.* FROM ((${own} EXCEPT ${all}) UNION ALL (${all} EXCEPT ${own})) AS d`
    }),
  )
  return server.sql(`${[...differences, ...rates].join(' UNION ALL ')};`, database)
}
