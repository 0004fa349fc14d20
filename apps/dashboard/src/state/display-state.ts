import { effect, type Signal, signal } from '@preact/signals'

/** How the page looks to this browser; kept in its local storage, and nowhere else. */

export const themes = ['system', 'light', 'dark', 'eink'] as const
export type Theme = (typeof themes)[number]

export const theme = kept<Theme>('theme', preferredTheme(), (value) =>
  themes.includes(value as Theme),
)
export const privacy = kept('privacy', false, (value) => typeof value === 'boolean')
export const singleKeys = kept('single-keys', true, (value) => typeof value === 'boolean')

/** The proxy that is shown alone; empty for all of them. */
export const chosenUpstream = kept('upstream', '', (value) => parseUpstream(value) !== undefined)

/** The name of a proxy, or nothing for all of them, as it is chosen; undefined for what is neither. */
export function parseUpstream(value: unknown): string | undefined {
  return typeof value === 'string' && /^[a-z0-9-]{0,32}$/.test(value) ? value : undefined
}

/** Chooses the theme after this one. */
export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'system'
}

/** How the page hangs on a wall: empty for not at all, `1` for one view, `rotate` or seconds for one after the other. Only an address says so. */
export const kiosk = signal('')
const ROTATE_SECONDS = 20
const ROTATE_SECONDS_MIN = 5
const ROTATE_SECONDS_MAX = 3_600

/** A text of an address as it stands in `kiosk`; undefined for one that means nothing. */
export function parseKiosk(text: string): string | undefined {
  if (text === '1' || text === 'rotate') return text
  const seconds = /^\d{1,4}$/.test(text) ? Number(text) : 0
  return seconds >= ROTATE_SECONDS_MIN && seconds <= ROTATE_SECONDS_MAX ? text : undefined
}

/** How long each view is shown, in seconds; null where one view stays. */
export function rotateSeconds(mode: string): number | null {
  if (mode === 'rotate') return ROTATE_SECONDS
  return mode === '1' || mode === '' ? null : Number(mode)
}

/** The controls of the chart. */
export interface StatsControls {
  readonly range: string
  readonly metric: string
  readonly group: string
  readonly top: number
  readonly smooth: boolean
  readonly mode: string
  /** Shows the same length of time before as well. */
  readonly compare: boolean
}

export const STATS_DEFAULTS: StatsControls = {
  range: '24h',
  metric: 'tokens',
  group: 'client',
  top: 8,
  smooth: false,
  mode: 'bucket',
  compare: false,
}

export const statsControls = kept<StatsControls>('stats', STATS_DEFAULTS, (value) =>
  isLike(value, STATS_DEFAULTS),
)

/** Somebody has said on this browser that API names may be shown. */
export const apiNamesAllowed = kept('api-names', false, (value) => typeof value === 'boolean')

/** The zones of the service and of this browser that somebody has taken note of. */
export const dismissedZones = kept('zones', '', (value) => typeof value === 'string')

/** Who asked for more contrast, or looks at a screen without colours, begins there. */
export function preferredTheme(): Theme {
  return matchMedia('(prefers-contrast: more), (monochrome)').matches ? 'eink' : 'system'
}

const darkScheme = matchMedia('(prefers-color-scheme: dark)')
const systemIsDark = signal(darkScheme.matches)
darkScheme.addEventListener('change', ({ matches }) => {
  systemIsDark.value = matches
})

/** Puts the theme on the document, now and whenever it changes. */
export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme =
      theme.value === 'system' ? (systemIsDark.value ? 'dark' : 'light') : theme.value
  })
}

function kept<Value>(
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
      // A browser without storage forgets it when the page closes.
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
