import type { PlanChange } from '@svc/core/pool'
import { managementPath, type ProxyGeneration } from '@svc/core/service'
import { printable } from '@svc/views/format'

export interface ScriptPlace {
  /** Base URL of each proxy whose address is known. */
  readonly urls: ReadonlyMap<string, string>
  /** Whether the pool has several proxies, each with variables of its own. */
  readonly isFleet: boolean
  /** Generation of each proxy's management API; `v0` for one that is missing, which v8 offers as well. */
  readonly generations: ReadonlyMap<string, ProxyGeneration>
}

/** A change with its reason and its full text in one line. */
export interface WordedChange {
  readonly change: PlanChange
  readonly reason: string
  readonly line: string
}

const HEAD = `# KEY_FILE names the file with the management key of the proxy; the key is on no command line.
# The first refusal ends the script, because the proxy bans an address after five.
set -eu
change() {
  [ -s "$1" ] || { echo "no key in $1" >&2; exit 2; }
  { printf 'Authorization: Bearer '; tr -d '\\r\\n' <"$1"; echo; } |
    curl -gfsS --max-time 30 -o /dev/null -X PATCH -H @- -H 'Content-Type: application/json' --data-raw "$3" "$2"
}
`

/** Shell commands that make the changes at the proxies; empty if there are no changes. Only comments may contain non-ASCII characters. */
export function scriptOf(changes: readonly WordedChange[], place: ScriptPlace): string {
  if (changes.length === 0) return ''
  const lines = changes.map(({ change, line }) => {
    const key = variable('KEY_FILE', change, place)
    const [route, fields] =
      change.kind === 'set_priority'
        ? (['accountFields', { priority: change.to }] as const)
        : (['accountStatus', { disabled: change.kind === 'switch_off' }] as const)
    const path = managementPath(route, place.generations.get(change.upstream) ?? 'v0')
    const body = quoted(asciiJson({ name: change.authName, ...fields }))
    return `${comment(line)}change ${key} ${baseOf(change, place)}${path} ${body}\n`
  })
  return `${HEAD}${lines.join('')}`
}

function baseOf(change: PlanChange, place: ScriptPlace): string {
  const url = place.urls.get(change.upstream)
  return url === undefined ? variable('PROXY_URL', change, place) : quoted(url)
}

/** Shell expansion of a required variable; the script ends if it is unset. Every character of the name is valid in a shell. */
function variable(name: string, { upstream }: PlanChange, { isFleet }: ScriptPlace): string {
  const own = isFleet ? `${name}_${upstream.toUpperCase().replace(/[^A-Z0-9]/g, '_')}` : name
  return `"\${${own}:?}"`
}

/** A shell comment that stays on one line whatever the text contains. */
function comment(text: string): string {
  return `# ${printable(text)}\n`
}

/** JSON in pure ASCII, which a shell reads alike in every locale. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** One word of a POSIX shell, whatever the text holds. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
