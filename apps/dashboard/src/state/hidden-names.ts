import { computed } from '@preact/signals'
import { maskName, maskText } from '@svc/core/service'
import { health, status } from './live-data.ts'
import { allFiles } from './pool.ts'
import { series } from './usage-series.ts'

/** Separator before the suffix that tells accounts with equal titles apart. */
const SUFFIX = ' · '
/** Kinds of changes whose title is that of an account, which may have left the pool since. */
const ACCOUNT_CHANGES: ReadonlySet<string> = new Set(['account', 'plan', 'status', 'quota'])
/** Groups whose members were named by people. */
const NAMED_GROUPS: ReadonlySet<string> = new Set(['account', 'client', 'api'])
/** A name that the monitor made for a client without one. */
const MADE_NAME = /^client-[0-9a-f]{8}$/

/** Names and labels in the payloads that people chose. Addresses are masked without this list. */
const chosenNames = computed<ReadonlySet<string>>(() => {
  const changes = [
    ...(status.value?.tabs.audit.changes ?? []),
    ...(health.value?.recentChanges ?? []),
  ].filter(({ kind }) => ACCOUNT_CHANGES.has(kind))
  const names = [
    ...allFiles.value.flatMap(({ title, selector }) => [titleAlone(title), selector.authName]),
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

/** Pattern of all chosen names as whole words, longest first; null without names. */
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

/** A CSV text with its fields masked by `hideNames`. */
export function hideNamesInCsv(csv: string): string {
  return csv.replace(/"((?:[^"]|"")*)"|[^",\r\n]+/g, (field, quoted: string | undefined) =>
    quoted === undefined
      ? hideNames(field)
      : `"${hideNames(quoted.replaceAll('""', '"')).replaceAll('"', '""')}"`,
  )
}

/** A JSON text with its strings masked by `hideNames`; member names stay. Throws SyntaxError for invalid JSON. */
export function hideNamesInJson(json: string): string {
  return JSON.stringify(
    JSON.parse(json, (_, value: unknown) => (typeof value === 'string' ? hideNames(value) : value)),
    null,
    2,
  )
}
