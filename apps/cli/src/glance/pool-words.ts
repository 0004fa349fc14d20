import type { Health } from '@svc/client'
import type { Tone } from '@svc/core'
import { isUsableUnknown } from '@svc/core/pool'
import { unitsText, wholeUnitsText } from '@svc/views/format'
import { unitNoun } from '@svc/views/messages'

/** Summary of the pool in a few words. It names no account, because a status bar is visible in meetings. */
export interface Glance {
  readonly tone: Tone
  /** Code of the answer, or of the error. */
  readonly code: string
  /** The binding window, its reset, the severity and the age. */
  readonly line: string
  /** More lines, for a tooltip or a menu. */
  readonly details: readonly string[]
  /** Usable percent of the binding window; null if unknown. */
  readonly percent: number | null
}

/** A hex colour that is readable on light and dark menus, and one of a terminal's first eight colours. */
const colours: Readonly<Record<Tone, readonly [hex: string, terminal: number]>> = {
  good: ['#2da44e', 2],
  warn: ['#bf8700', 3],
  bad: ['#e5534b', 1],
  unknown: ['#8b949e', 7],
}

/** Formats a summary; `url` is the address of the dashboard. */
type Format = (glance: Glance, isColoured: boolean, url: string) => string

/** The formats of `line`; the last line break is not included. */
export const lineFormats = {
  plain: ({ line }) => line,
  waybar: ({ line, details, tone, code, percent }) =>
    JSON.stringify({
      text: pango(line),
      alt: code,
      tooltip: pango(details.join('\n')),
      class: tone,
      ...(percent === null ? {} : { percentage: Math.round(percent) }),
    }),
  xbar({ line, details, tone }, isColoured, url) {
    const colour = isColoured ? ` | color=${colours[tone][0]}` : ''
    const page = `Open the page | href=${url.replaceAll('|', '%7C')}`
    return [bare(line) + colour, '---', ...details.map(bare), page].join('\n')
  },
  tmux({ line, tone }, isColoured) {
    const text = line.replaceAll('#', '##')
    return isColoured ? `#[fg=colour${colours[tone][1]}]${text}#[default]` : text
  },
  claude: ({ line, tone }, isColoured) =>
    isColoured ? `\u001b[3${colours[tone][1]}mquota ${line}\u001b[0m` : `quota ${line}`,
} satisfies Record<string, Format>

export const lineFormatNames = Object.keys(lineFormats) as (keyof typeof lineFormats)[]

/** Escapes text for Pango markup, where `<1min` would open an element. */
function pango(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Replaces the vertical bar, which begins the parameters of a menu line and cannot be escaped. */
function bare(text: string): string {
  return text.replaceAll('|', '¦')
}

/** The accounts of one provider, as the service reports them. */
type Pool = NonNullable<Health['pools']>[number]
type PoolWindow = Pool['windows'][number]

/** The pools that the answer covers; empty if the service names none. */
export function askedPools({
  provider = '',
  pools = [],
}: Pick<Health, 'provider' | 'pools'>): readonly Pool[] {
  const names = provider.split(',')
  return pools.filter((pool) => provider === 'all' || names.includes(pool.provider))
}

/** Whether one of the pools has the window; true if the service names no pools. */
export function isWindowOf(pools: readonly Pool[], id: string): boolean {
  return pools.length === 0 || pools.some(({ windows }) => windows.some((one) => one.id === id))
}

/** Windows of the pool; of those that are one quantity only the first. */
export function ownWindows({ windows }: Pool): readonly PoolWindow[] {
  return windows.filter(({ id, sharedBy: [first = id] = [] }) => id === first)
}

/** `Claude 2 of 3 routable: 5h 4.0 of 6 Pro, week 2.2 of 6 Pro`. Unknown windows are omitted. */
export function poolText(pool: Pool): string {
  const windows = ownWindows(pool)
    .filter(isRead)
    .map((window) => usableText(window, pool))
  const counts = `${pool.label} ${pool.routable} of ${pool.accounts} routable`
  return windows.length === 0 ? counts : `${counts}: ${windows.join(', ')}`
}

/** `Claude week 2.2 of 6 Pro`, for the window that limits the pool. Counts accounts if the vendor reports no quota or no account is routable. */
export function limitText(pool: Pool): string {
  const window = limitingWindow(pool)
  return window === null || pool.routable === 0
    ? `${pool.label} ${pool.routable} of ${pool.accounts} routable`
    : `${pool.label} ${usableText(window, pool)}`
}

function isRead({ knownUnits, unknownUnits, atLeast = false }: PoolWindow): boolean {
  return knownUnits > 0 || (unknownUnits === 0 && !atLeast)
}

/** The window that the service names, else the first one that is read; null if all are unknown. */
export function limitingWindow(pool: Pool): PoolWindow | null {
  const { windows, window } = pool
  return windows.find(({ id }) => id === window) ?? ownWindows(pool).find(isRead) ?? null
}

type NamedWindow = Pick<PoolWindow, 'id' | 'label' | 'sharedBy'>

/** `week`, `week/month` for windows that are one quantity, or nothing if there is no other quantity. */
export function windowName(
  window: NamedWindow,
  { windows }: { readonly windows: readonly NamedWindow[] },
  by: 'id' | 'label',
): string {
  const { sharedBy = [window.id] } = window
  if (sharedBy.length > 1 && sharedBy.length === windows.length) return ''
  const shared = windows.filter(({ id }) => sharedBy.includes(id))
  return shared.map((each) => each[by]).join('/')
}

/** `month 2.6 of 4 accounts` that may be spent now, with a leading `≥` if too much is unknown. */
export function usableText(window: PoolWindow, pool: Pool): string {
  const { unit, routable } = pool
  const { knownUnits, usableUnits = knownUnits, usableStaleUnits = 0 } = window
  const { trackedUnits, usablePercent } = window
  const units = isUsableUnknown({ ...window, usableUnits }, routable)
    ? 'unknown'
    : `${usablePercent === null && usableUnits > 0 ? '≥' : ''}${unitsText(usableUnits)}`
  const stale = usableUnits > 0 && usableStaleUnits >= usableUnits ? ' stale' : ''
  const name = windowName(window, pool, 'id')
  const tracked = wholeUnitsText(trackedUnits)
  return `${name && `${name} `}${units} of ${tracked} ${unitNoun(tracked, unit)}${stale}`
}
