import { type Client, ClientError } from '@svc/client'
import { type AccountDetail, accountReport } from '../glance/account-report.ts'
import { type CliContext, EXIT } from '../program/cli-context.ts'
import type { ParsedOptions } from '../program/flags.ts'
import type { Outcome } from '../program/outcome.ts'
import { asFarAsRead, askService } from '../service/running-service.ts'

type Item = AccountDetail['items'][number]

/** Prints the details of one account. Resolves with the exit code, which is a failure unless the name matches exactly one account. */
export function why(options: ParsedOptions, context: CliContext, name: string): Promise<number> {
  return askService(options, context, async (client, url) => {
    const { items: all, source } = await client.recommendations({ provider: ['all'] })
    const items = all.filter(isNamed(name))
    const titles = new Map(items.map(({ accountKey, title }) => [accountKey, title]))
    const [key = name] = titles.keys()
    const rows = [...titles].map(([each, title]) => `  ${each}  ${title}`)
    const detail = rows.length > 1 ? null : await detailOf(key, client)
    if (detail !== null)
      return { exit: EXIT.ok, document: detail, text: () => accountReport(detail, url, context) }
    const problem: Outcome['problem'] =
      rows.length > 1
        ? [`${name} means several accounts; name one by its key:`, ...rows]
        : `no account has the key, file or title ${name}`
    return { problem, ...asFarAsRead(EXIT.failed, source) }
  })
}

/** Minimum length of a key prefix that names an account; the calendar of resets shows as many characters. */
const KEY_LENGTH_MIN = 4

function isNamed(name: string): (item: Item) => boolean {
  const wanted = name.toLowerCase()
  return ({ accountKey, selector, title }) =>
    [selector.authName, title].some((each) => each.toLowerCase() === wanted) ||
    (wanted.length >= KEY_LENGTH_MIN && accountKey.startsWith(wanted))
}

/** Details of an account; null if it is neither listed nor recorded. */
function detailOf(accountKey: string, client: Client): Promise<AccountDetail | null> {
  return client.account(accountKey).catch((error: unknown) => {
    if (error instanceof ClientError && error.refusal?.status === 404) return null
    throw error
  })
}
