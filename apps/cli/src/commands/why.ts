import { type Client, ClientError } from '@svc/client'
import { printable } from '@svc/views/format'
import { type AccountDetail, accountReport } from '../glance/account-report.ts'
import { windowName } from '../glance/pool-words.ts'
import { type CliContext, EXIT, usageError } from '../program/cli-context.ts'
import { isOn, type ParsedOptions } from '../program/flags.ts'
import { columnsFor, columnsOf, padded, type Row, table } from '../program/text-columns.ts'
import { accountFilter, asFarAsRead, askService } from '../service/running-service.ts'

type Item = AccountDetail['items'][number]

/**
 * Prints the details of one account, or with `--pool` the accounts that each sum is made of. Resolves with the exit code, which is a failure unless the
 * name matches exactly one account.
 */
export async function why(
  options: ParsedOptions,
  context: CliContext,
  name: string | undefined,
): Promise<number> {
  if (isOn(options.pool) === (name !== undefined))
    return usageError(context, 'why takes one account, or --pool: why --help says more')
  if (name === undefined)
    return askService(options, context, async (client) => {
      const document = await client.capacity(accountFilter(options))
      const { source } = await client.recommendations({ limit: 1 })
      const exit = await asFarAsRead(EXIT.ok, source.kind, client)
      return { document, text: () => poolReport(document, columnsFor(context)), ...exit }
    })
  return askService(options, context, async (client, url) => {
    const { items, source } = await client.recommendations({ provider: ['all'] })
    const named = accountsNamed(name, items)
    const [key = name] = named.keys()
    if (named.size > 1)
      return {
        exit: EXIT.usage,
        problem: [`${name} means several accounts; name one by its key:`, ...rowsOf(named)],
      }
    const detail = await detailOf(key, client)
    if (detail !== null)
      return { exit: EXIT.ok, document: detail, text: () => accountReport(detail, url, context) }
    const problem = `no account has the e-mail, title, file, key or index ${name}, or one that begins so`
    return { problem, ...(await asFarAsRead(EXIT.failed, source.kind, client)) }
  })
}

type Parts = Awaited<ReturnType<Client['capacity']>>

/** Each window of the pool with its parts, or that it has none. */
function poolReport({ provider, windows }: Parts, columns: number): string {
  if (windows.length === 0)
    return `no window of ${printable(provider)} is read, so there is no sum\n`
  return windows
    .filter(({ id, sharedBy = [id] }) => sharedBy[0] === id)
    .map((window) => {
      const { provider, text, parts } = window
      const ofProvider = windows.filter((other) => other.provider === provider)
      const rows = parts.map(
        ({ text: units, state, stale, title, badge }): Row => [
          units,
          stale ? `${state}, stale` : state,
          title,
          badge,
        ],
      )
      const name = `${provider} ${windowName(window, { windows: ofProvider }, 'label')}`
      return `${printable(name.trimEnd())}: ${printable(text)}\n${table(rows, columns)}`
    })
    .join('\n')
}

/** Minimum length of the beginning of a key or of the proxy's index; texts show as many characters. */
const KEY_LENGTH_MIN = 4

/** Ways to name an account, the most exact first. */
const WAYS: readonly ((item: Item, wanted: string) => boolean)[] = [
  (item, wanted) => namesOf(item).includes(wanted),
  // A title that is not unique goes on with the plan; the proxy names a file after the e-mail address of its login.
  ({ title, selector }, wanted) =>
    title.toLowerCase().startsWith(`${wanted} · `) ||
    (wanted.includes('@') && emailPartOf(selector.authName.toLowerCase()).startsWith(wanted)),
  (item, wanted) =>
    namesOf(item).some(
      (each, at) => (at < 2 || wanted.length >= KEY_LENGTH_MIN) && each.startsWith(wanted),
    ),
]

function namesOf({ title, accountKey, selector }: Item): readonly string[] {
  const { authName, authIndex } = selector
  return [title, authName, accountKey, authIndex].map((each) => each.toLowerCase())
}

/** `ana@example.com-plus.json` of `codex-2d080501-ana@example.com-plus.json`. */
function emailPartOf(fileName: string): string {
  return fileName.replace(/^[a-z]+-(?:[0-9a-f]{8}-)?/, '')
}

/** The accounts that the name means in the most exact way that finds one, by key. */
function accountsNamed(name: string, items: readonly Item[]): ReadonlyMap<string, Item> {
  const wanted = name.toLowerCase()
  const found = WAYS.map((isNamed) =>
    items.filter((item) => wanted !== '' && isNamed(item, wanted)),
  )
  const named = found.find(({ length }) => length > 0) ?? []
  return new Map(named.map((item) => [item.accountKey, item]))
}

/** Largest number of accounts that are listed; the others are counted. */
const LISTED_MAX = 20

function rowsOf(named: ReadonlyMap<string, Item>): readonly string[] {
  const listed = [...named.values()].slice(0, LISTED_MAX)
  const width = Math.max(...listed.map(({ provider = '' }) => columnsOf(provider)))
  const rows = listed.map(
    ({ accountKey, provider = '', title }) =>
      `  ${accountKey}  ${padded(provider, width)}  ${title}`,
  )
  return named.size > LISTED_MAX ? [...rows, `  and ${named.size - LISTED_MAX} more`] : rows
}

/** Details of an account; null if it is neither listed nor recorded. */
function detailOf(accountKey: string, client: Client): Promise<AccountDetail | null> {
  return client.account(accountKey).catch((error: unknown) => {
    if (error instanceof ClientError && error.refusal?.status === 404) return null
    throw error
  })
}
