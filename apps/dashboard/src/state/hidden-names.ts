import { computed } from '@preact/signals'
import { maskName, maskText } from '@svc/core/service'
import { health, status } from './live-data.ts'
import { allAccounts } from './pool.ts'
import { series } from './usage-series.ts'

/** What is in front of a part that tells two accounts of one title apart. */
const SUFFIX = ' · '
/** Kinds of changes whose title is that of an account, which may have left the pool since. */
const ACCOUNT_CHANGES: ReadonlySet<string> = new Set(['account', 'plan', 'status', 'quota'])
/** Groups whose members were named by people. */
const NAMED_GROUPS: ReadonlySet<string> = new Set(['account', 'client', 'api'])
/** A name that the monitor made for a client without one. */
const MADE_NAME = /^client-[0-9a-f]{8}$/

/** Names and labels that people chose, as far as the payloads have them. Addresses are found without. */
const chosenNames = computed<ReadonlySet<string>>(() => {
  const changes = [
    ...(status.value?.tabs.audit.changes ?? []),
    ...(health.value?.recentChanges ?? []),
  ].filter(({ kind }) => ACCOUNT_CHANGES.has(kind))
  const names = [
    ...allAccounts.value.flatMap(({ title, selector }) => [titleAlone(title), selector.authName]),
    ...changes.map(({ title }) => titleAlone(title)),
    ...namesOfChart(),
  ]
  return new Set(names.filter((name) => name !== '' && !name.includes('@')))
})

function titleAlone(title: string): string {
  return title.split(SUFFIX)[0] ?? title
}

function namesOfChart(): readonly string[] {
  const now = series.value
  if (now === null || !NAMED_GROUPS.has(now.query.group)) return []
  return [...now.series, ...now.breakdown.items]
    .flatMap(({ id, label }) => [id, label])
    .filter((name) => !MADE_NAME.test(name))
}

/** Finds a chosen name where it stands as a word of its own, the longest first; null where there is none. */
const chosenPattern = computed(() => {
  const names = [...chosenNames.value].sort((a, b) => b.length - a.length)
  if (names.length === 0) return null
  const one = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|')
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${one})(?![\\p{L}\\p{N}])`, 'gu')
})

/** The text without addresses, tokens, and the names and labels that people chose. */
export function hideNames(text: string): string {
  if (chosenNames.value.has(text)) return maskName(text)
  const pattern = chosenPattern.value
  return maskText(pattern === null ? text : text.replace(pattern, maskName))
}

/** A table of comma-separated values without these. */
export function hideNamesInCsv(csv: string): string {
  return csv.replace(/"((?:[^"]|"")*)"|[^",\r\n]+/g, (field, quoted: string | undefined) =>
    quoted === undefined
      ? hideNames(field)
      : `"${hideNames(quoted.replaceAll('""', '"')).replaceAll('"', '""')}"`,
  )
}

/** A JSON document without these; names of members stay. Throws SyntaxError where it is none. */
export function hideNamesInJson(json: string): string {
  return JSON.stringify(
    JSON.parse(json, (_, value: unknown) => (typeof value === 'string' ? hideNames(value) : value)),
    null,
    2,
  )
}
