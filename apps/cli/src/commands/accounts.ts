import type { Recommendations } from '@svc/client'
import { instantToIso } from '@svc/core'
import { printable, printableJson } from '@svc/views/format'
import { accountsCsv, accountsTable } from '../glance/account-table.ts'
import { switchedOffIn } from '../plan/plan-words.ts'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import { choiceOf, isOn, listOf, type ParsedOptions } from '../program/flags.ts'
import { columnsFor } from '../program/text-columns.ts'
import { accountFilter, asFarAsRead, askService } from '../service/running-service.ts'

type Item = Recommendations['items'][number]

/** Prints the accounts of the pool, best first. Resolves with the exit code; throws ConfigError. */
export async function accounts(options: ParsedOptions, context: CliContext): Promise<number> {
  const given = isOn(options.json) ? ['json'] : options.format
  const format = choiceOf('--format', given, ['table', 'names', 'json', 'csv'])
  const slugs = listOf(options.blocked)

  return await askService(options, context, async (client, url) => {
    const all = await client.recommendations(accountFilter(options))
    const items = all.items.filter(
      ({ routingBlockedReasons: reasons }) =>
        slugs === undefined || reasons.some((reason) => slugs.includes(reason)),
    )
    const pool = { ...all, items }
    const planned = () => ({ ...all, items: items.map(withPlannedState(context, url)) })
    const texts = {
      table: () => accountsTable(planned(), columnsFor(context), context.clock.now()),
      names: () => items.map(({ selector }) => `${printable(selector.authName)}\n`).join(''),
      json: () => `${printableJson(pool, 2)}\n`,
      csv: () => accountsCsv(items),
    }
    const reasons = [...new Set(all.items.flatMap((item) => item.routingBlockedReasons))].sort()
    const problem =
      slugs !== undefined &&
      items.length === 0 &&
      `no account is blocked by ${slugs.join(' or ')}; now there are: ${reasons.join(', ') || 'none'}`
    return {
      text: texts[format],
      problem,
      ...(await asFarAsRead(EXIT.ok, all.source.kind, client)),
    }
  })
}

/** Returns a function that, for a file that is off because `plan` proposed it, sets the state `off since 14:02` and its end. */
function withPlannedState(context: CliContext, url: string): (item: Item) => Item {
  const offOf = switchedOffIn(context, url)
  return (item) => {
    const off = offOf(item)
    if (off === undefined) return item
    const blockedUntil = off.until === null ? null : instantToIso(off.until)
    return { ...item, summary: `off ${off.since}`, blockedUntil }
  }
}
