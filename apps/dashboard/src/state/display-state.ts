import { effect, type Signal, signal } from '@preact/signals'
import type { PerWindow } from '@svc/core/service'

/** Display settings of this browser, kept only in its local storage. */

export const themes = ['system', 'light', 'dark', 'eink'] as const
export type Theme = (typeof themes)[number]

export const theme = keep<Theme>('theme', preferredTheme(), (value) =>
  themes.includes(value as Theme),
)
export const privacy = keep('privacy', false, (value) => typeof value === 'boolean')
export const singleKeys = keep('single-keys', true, (value) => typeof value === 'boolean')

/** The proxy shown alone; empty for all proxies. */
export const chosenUpstream = keep('upstream', '', (value) => parseUpstream(value) !== undefined)

/** Parses the name of a proxy, empty for all proxies; undefined if it is invalid. */
export function parseUpstream(value: unknown): string | undefined {
  return typeof value === 'string' && /^[a-z0-9-]{0,32}$/.test(value) ? value : undefined
}

/** The provider whose accounts are shown, or `all`; empty for the home provider. */
export const chosenProvider = keep('provider', '', (value) => parseProvider(value) !== undefined)

/** Parses the proxy's name of a provider, empty for the home provider; undefined if it is invalid. */
export function parseProvider(value: unknown): string | undefined {
  // A comma would make it a list.
  return typeof value === 'string' && /^[^,]{0,64}$/.test(value) ? value : undefined
}

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system'
}

/** Mode of a wall display: empty for off, `1` for one view, `rotate` or seconds for rotating views. Set only by an address. */
export const kiosk = signal('')
/** Maximum number of lines of actions in their list on a wall display. */
export const WALL_LINES = 4
/** Number of those lines that the screen has room for. */
export const wallLines = signal(WALL_LINES)
const ROTATE_SECONDS = 20
const ROTATE_SECONDS_MIN = 5
const ROTATE_SECONDS_MAX = 3_600

/** Parses an address text for `kiosk`. Seconds are clamped to their limits; undefined for an invalid text. */
export function parseKiosk(text: string): string | undefined {
  if (text === '1' || text === 'rotate') return text
  if (!/^[1-9]\d*$/.test(text)) return undefined
  return String(Math.min(ROTATE_SECONDS_MAX, Math.max(ROTATE_SECONDS_MIN, Number(text))))
}

/** Seconds for which each view is shown; null if one view stays. */
export function rotateSeconds(mode: string): number | null {
  if (mode === 'rotate') return ROTATE_SECONDS
  return mode === '1' || mode === '' ? null : Number(mode)
}

export interface StatsControls {
  readonly range: string
  readonly metric: string
  readonly group: string
  readonly top: number
  readonly smooth: boolean
  readonly mode: string
  /** `area` for stacked areas, or for failures bars of their rate; `line` for lines. */
  readonly form: string
  /** Whether the previous period is shown as well. */
  readonly compare: boolean
}

export const STATS_DEFAULTS: StatsControls = {
  range: '24h',
  metric: 'tokens',
  group: 'client',
  top: 8,
  smooth: false,
  mode: 'bucket',
  form: 'area',
  compare: false,
}

export const statsControls = keep<StatsControls>('stats', STATS_DEFAULTS, (value) =>
  isLike(value, STATS_DEFAULTS),
)

/** Whether the user has agreed, in this browser, to show API names. */
export const apiNamesAllowed = keep('api-names', false, (value) => typeof value === 'boolean')

/** Zones of the service and of this browser for which the user has dismissed the zone note. */
export const dismissedZones = keep('zones', '', (value) => typeof value === 'string')

/** The initial theme: e-ink if the system asks for more contrast or the screen is monochrome. */
export function preferredTheme(): Theme {
  return matchMedia('(prefers-contrast: more), (monochrome)').matches ? 'eink' : 'system'
}

const darkScheme = matchMedia('(prefers-color-scheme: dark)')
const systemIsDark = signal(darkScheme.matches)
darkScheme.addEventListener('change', ({ matches }) => {
  systemIsDark.value = matches
})

/** Applies the theme to the document, now and on every change. */
export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme =
      theme.value === 'system' ? (systemIsDark.value ? 'dark' : 'light') : theme.value
  })
}

function keep<Value>(
  name: string,
  initial: Value,
  isValid: (value: unknown) => boolean,
): Signal<Value> {
  const key = `quota.${name}`
  const value = signal(read(key, initial, isValid))
  effect(() => {
    try {
      localStorage.setItem(key, JSON.stringify(value.value))
    } catch {
      // Without storage, a browser forgets the setting when the page closes.
    }
  })
  return value
}

function read<Value>(key: string, initial: Value, isValid: (value: unknown) => boolean): Value {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? 'null')
    return isValid(value) ? (value as Value) : initial
  } catch {
    return initial
  }
}

function isLike(value: unknown, example: object): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(example).every(
    ([name, member]) => typeof (value as Record<string, unknown>)[name] === typeof member,
  )
}

const narrowWindow = matchMedia('(max-width: 900px)')

/** Whether the page is one column. */
export const isNarrow = signal(narrowWindow.matches)

narrowWindow.addEventListener('change', ({ matches }) => {
  isNarrow.value = matches
})

/** Hours that each chart of resets can look ahead; the first is the default. */
export const HORIZONS: Readonly<Record<string, readonly [number, ...number[]]>> = {
  '5h': [6, 24],
  week: [168, 24],
} satisfies PerWindow<readonly [number, ...number[]]>

const first = Object.entries(HORIZONS).map(([id, [hours]]) => [id, hours] as const)

/** Chosen hours, by window. */
export const horizon = signal<Readonly<Record<string, number>>>(Object.fromEntries(first))

/** Whether a key is meant for the page and not for a field, a dialog or the browser. */
export function isForPage(event: KeyboardEvent): boolean {
  if (!singleKeys.value || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
    return false
  const target = event.target
  return !(
    target instanceof Element &&
    target.closest('input:not([type=radio],[type=checkbox]), select, textarea, dialog[open]') !==
      null
  )
}

/** Kinds of changes that can be shown separately: of accounts, of the pool's members, of sources. */
export const changeKindIds = ['account', 'pool', 'source'] as const
export type ChangeKindId = (typeof changeKindIds)[number]

/** The kind of changes to show; initially all. */
export const changeKind = signal<ChangeKindId | 'all'>('all')
/** Key of the account whose changes are shown; empty for all. */
export const changesAbout = signal('')

/** The visible part of a chart's range, in seconds since 1970; excludes `to`. */
export interface Zoom {
  readonly from: number
  readonly to: number
}

/** The visible part of the usage chart; null for the whole range. */
export const zoom = signal<Zoom | null>(null)

/** Parses a zoom from the address; null for empty text, undefined for an invalid one. */
export function parseZoom(text: string): Zoom | null | undefined {
  if (text === '') return null
  const [, from, to] = (/^(\d{1,10})-(\d{1,10})$/.exec(text) ?? []).map(Number)
  return from !== undefined && to !== undefined && from < to ? { from, to } : undefined
}

/** Address text of a zoom. */
export function zoomText(shown: Zoom | null): string {
  return shown === null ? '' : `${shown.from}-${shown.to}`
}

/** Id of the window whose quota is shown account by account; null if none is. */
export const openParts = signal<string | null>(null)
