import type { Tone } from '@svc/core'

/** The pool in a few words. They name no account, because a bar is on screen in meetings. */
export interface Glance {
  readonly tone: Tone
  /** Code of the answer, or of why there is none. */
  readonly code: string
  /** The window that binds, its reset, the severity and the age. */
  readonly line: string
  /** More lines, for a tooltip or a menu. */
  readonly details: readonly string[]
  /** Usable percent of the window that binds; null if unknown. */
  readonly percent: number | null
}

/** A colour that is readable on a light and a dark menu, and one of a terminal's first eight. */
const colours: Readonly<Record<Tone, readonly [hex: string, terminal: number]>> = {
  good: ['#2da44e', 2],
  warn: ['#bf8700', 3],
  bad: ['#e5534b', 1],
  unknown: ['#8b949e', 7],
}

/** `url`: the page. */
type Format = (glance: Glance, isColoured: boolean, url: string) => string

/** The text of each format of `line`, without its last line break. */
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

/** For text that is read as markup: `<1min` would open an element. */
function pango(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** A menu line has no way to write the bar that begins its parameters. */
function bare(text: string): string {
  return text.replaceAll('|', '¦')
}
