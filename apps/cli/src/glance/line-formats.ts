import type { Tone } from '@svc/core'
import type { Glance } from './glance.ts'

/** Settings of a format besides the words; `url`: the page. */
interface Look {
  readonly isColoured: boolean
  readonly url: string
}

/** A colour that is readable on a light and a dark menu, and one of a terminal's first eight. */
const colours: Readonly<Record<Tone, readonly [hex: string, terminal: number]>> = {
  good: ['#2da44e', 2],
  warn: ['#bf8700', 3],
  bad: ['#e5534b', 1],
  unknown: ['#8b949e', 7],
}

/** The text of each format of `line`, without its last line break. */
export const lineFormats: ReadonlyMap<string, (glance: Glance, look: Look) => string> = new Map(
  Object.entries({
    plain: ({ line }) => line,
    waybar: ({ line, details, tone, code, percent }) =>
      JSON.stringify({
        text: pango(line),
        alt: code,
        tooltip: pango(details.join('\n')),
        class: tone,
        ...(percent === null ? {} : { percentage: Math.round(percent) }),
      }),
    xbar({ line, details, tone }, { isColoured, url }) {
      const colour = isColoured ? ` | color=${colours[tone][0]}` : ''
      const page = `Open the page | href=${url.replaceAll('|', '%7C')}`
      return [bare(line) + colour, '---', ...details.map(bare), page].join('\n')
    },
    tmux({ line, tone }, { isColoured }) {
      const text = line.replaceAll('#', '##')
      return isColoured ? `#[fg=colour${colours[tone][1]}]${text}#[default]` : text
    },
    claude: ({ line, tone }, { isColoured }) =>
      isColoured ? `\u001b[3${colours[tone][1]}mquota ${line}\u001b[0m` : `quota ${line}`,
  } satisfies Record<string, (glance: Glance, look: Look) => string>),
)

export const formatNames = [...lineFormats.keys()].join(', ')

/** For text that is read as markup: `<1min` would open an element. */
function pango(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** A menu line has no way to write the bar that begins its parameters. */
function bare(text: string): string {
  return text.replaceAll('|', '¦')
}
