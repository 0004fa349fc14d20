export type IconName = keyof typeof SHAPES

/** Pictures of 16 × 16, in the colour of the surrounding text. */
const SHAPES = {
  good: <circle cx="8" cy="8" r="5" />,
  warn: <path d="M8 1.5 15 14H1z" />,
  bad: (
    <>
      <path d="M5 1h6l4 4v6l-4 4H5l-4-4V5z" />
      <path class="cut" d="m5.5 5.5 5 5m0-5-5 5" />
    </>
  ),
  unknown: <circle class="line" cx="8" cy="8" r="5" />,
  off: (
    <>
      <circle class="line" cx="8" cy="8" r="5.5" />
      <path class="line" d="m4.2 11.8 7.6-7.6" />
    </>
  ),
  info: (
    <>
      <circle class="line" cx="8" cy="8" r="6" />
      <path class="line" d="M8 7.5V11m0-6v.1" />
    </>
  ),
  close: <path class="line" d="m4 4 8 8m0-8-8 8" />,
  search: (
    <>
      <circle class="line" cx="7" cy="7" r="4.5" />
      <path class="line" d="m10.5 10.5 4 4" />
    </>
  ),
  up: <path d="M4 10h8L8 5z" />,
  down: <path d="M4 6h8l-4 5z" />,
  clock: (
    <>
      <circle class="line" cx="8" cy="8" r="6" />
      <path class="line" d="M8 4.5V8l2.5 2" />
    </>
  ),
  load: <path class="line" d="M3 13V9m5 4V3m5 10V6" />,
  eye: (
    <>
      <path class="line" d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8z" />
      <circle class="line" cx="8" cy="8" r="2" />
    </>
  ),
  eyeOff: (
    <>
      <path class="line" d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8z" />
      <path class="line" d="m3 13 10-10" />
    </>
  ),
  more: (
    <>
      <circle cx="3" cy="8" r="1.4" />
      <circle cx="8" cy="8" r="1.4" />
      <circle cx="13" cy="8" r="1.4" />
    </>
  ),
  refresh: <path class="line" d="M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3" />,
  overview: <path class="line" d="M2 2.5h12v11H2zM2 6h12M2 10h7" />,
  accounts: <path class="line" d="M2 4h12M2 8h12M2 12h12" />,
  stats: <path class="line" d="m2 12 4-5 3 3 5-6" />,
  prices: <path class="line" d="M8 1.5v13M11.5 4.5H6.3a2 2 0 0 0 0 3.5h3.4a2 2 0 0 1 0 3.5H4.5" />,
  health: <path class="line" d="M1.5 8h3l2-5 3 10 2-5h3" />,
} as const

/** An icon beside words with the same meaning. */
export function Icon({ name, tone }: { readonly name: IconName; readonly tone?: string }) {
  return (
    <svg
      class={tone === undefined ? 'icon' : `icon tone-${tone}`}
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      {SHAPES[name]}
    </svg>
  )
}

const TONE_ICONS: Readonly<Record<string, IconName>> = {
  good: 'good',
  warn: 'warn',
  bad: 'bad',
  unknown: 'unknown',
  off: 'off',
  wait: 'clock',
}

/** Icon of a tone; `off` for something switched off on purpose, `wait` for something that only waits. */
export function ToneIcon({ tone }: { readonly tone: string }) {
  return <Icon name={TONE_ICONS[tone] ?? 'unknown'} tone={tone} />
}
