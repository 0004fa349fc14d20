import { capacityTexts, unitsText, wholeUnitsText } from '@svc/views/format'
import type { PoolWindow } from '../state/live-data.ts'
import { unitName } from '../state/providers.ts'
import { strings } from '../words/strings.ts'
import { Icon } from './icon.tsx'

/** Fill patterns shared by all bars of the page. */
export function Patterns() {
  return (
    <svg class="patterns" width="0" height="0" aria-hidden="true">
      <defs>
        <pattern
          id="stale"
          width="5"
          height="5"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect class="fill-soft" width="5" height="5" />
          <rect class="fill-known" width="2.2" height="5" />
        </pattern>
        <pattern id="unknown" width="4" height="4" patternUnits="userSpaceOnUse">
          <rect class="fill-page" width="4" height="4" />
          <rect class="fill-dim" x="1" y="1" width="1.4" height="1.4" />
        </pattern>
        <pattern id="gain" width="4" height="4" patternUnits="userSpaceOnUse">
          <rect class="fill-page" width="4" height="4" />
          <rect class="fill-known" width="4" height="1" />
        </pattern>
      </defs>
    </svg>
  )
}

/** The parts of a pool's capacity in one window, in its units. Usable, held and unknown ones add up to at most `tracked`. */
export interface Parts {
  readonly usable: number
  /** The part of `usable` that rests on stale readings. */
  readonly stale: number
  /** Units on blocked accounts. */
  readonly held: number
  readonly unknown: number
  readonly tracked: number
}

interface CapacityBarProps extends Parts {
  /** The usable units as text; by default their number. */
  readonly amount?: string
  /** True if so much is unknown that the known units are only a lower bound. */
  readonly atLeast?: boolean
  /** Name of the unit; by default of the shown quota. */
  readonly unit?: string
  /** For a row of a list, without a sign in the bar. */
  readonly isSmall?: boolean
}

/** Smallest share of a part that has room for a sign. */
const SIGN_SHARE = 0.05

/** A bar of the parts of all tracked units. */
export function CapacityBar({
  amount,
  atLeast = false,
  unit = unitName.value,
  isSmall = false,
  ...parts
}: CapacityBarProps) {
  const { usable, stale, held, unknown, tracked } = parts
  const measured = usable - stale
  const share = (units: number) => `${((units / tracked) * 100).toFixed(2)}%`
  const label = strings.barLabel(
    strings.usableOfTracked(amount ?? unitsText(usable), wholeUnitsText(tracked), unit),
    legendItems(parts).map(({ text }) => text),
  )
  return (
    <svg
      class={isSmall ? 'bar' : 'bar large'}
      role="img"
      aria-label={atLeast ? strings.barLabelAtLeast(label) : label}
    >
      <rect class="track" width="100%" height="100%" />
      <rect class="known" width={share(measured)} height="100%" />
      {stale > 0 && <rect class="stale" x={share(measured)} width={share(stale)} height="100%" />}
      {held > 0 && <rect class="held" x={share(usable)} width={share(held)} height="100%" />}
      {!isSmall && held >= SIGN_SHARE * tracked && (
        <svg class="sign" x={share(usable)} y="10%" width="24" height="80%">
          <Icon name="clock" />
        </svg>
      )}
      {unknown > 0 && (
        <rect class="unknown" x={share(usable + held)} width={share(unknown)} height="100%" />
      )}
    </svg>
  )
}

/** Key to the parts of the large bar; empty parts are omitted. */
export function BarKey(parts: Parts) {
  return (
    <ul class="key">
      {legendItems(parts).map(({ kind, text }) => (
        <KeyItem key={kind} kind={kind} text={text} />
      ))}
    </ul>
  )
}

function legendItems({ usable, stale, held, unknown }: Parts): readonly KeyItemProps[] {
  const texts = capacityTexts({ usable, stale, held })
  const all = [
    { kind: 'known', units: usable - stale, text: strings.measured(texts.measured) },
    { kind: 'stale', units: stale, text: strings.stale(texts.stale) },
    { kind: 'held', units: held, text: strings.held(texts.held) },
    { kind: 'unknown', units: unknown, text: strings.unknown(unitsText(unknown)) },
  ] as const
  const there = all.filter(({ units }) => units > 0)
  return there.length === 0 ? [all[0]] : there
}

export function Legend() {
  const { legend } = strings
  return (
    <ul class="key legend" aria-label={legend.label}>
      <KeyItem kind="known" text={legend.measured} />
      <KeyItem kind="stale" text={legend.stale} />
      <KeyItem kind="unknown" text={legend.unknown} />
      <li>
        <svg class="swatch used-up" aria-hidden="true">
          <line x1="0" y1="100%" x2="100%" y2="0" />
        </svg>
        {legend.usedUp}
      </li>
    </ul>
  )
}

interface KeyItemProps {
  readonly kind: 'known' | 'stale' | 'held' | 'unknown'
  readonly text: string
}

function KeyItem({ kind, text }: KeyItemProps) {
  return (
    <li>
      <svg class={`swatch swatch-${kind}`} aria-hidden="true">
        <rect class={kind} width="100%" height="100%" />
      </svg>
      {kind === 'held' && <Icon name="clock" />}
      {text}
    </li>
  )
}

/** The bar of one window; the text beside it shows the same. */
export function WindowBar({
  window,
}: {
  readonly window: Pick<PoolWindow, 'state' | 'percent' | 'stale'>
}) {
  switch (window.state) {
    case 'unknown':
      return (
        <svg class="bar dashed" aria-hidden="true">
          <rect class="unknown" width="100%" height="100%" />
        </svg>
      )
    case 'exhausted':
      return (
        <svg class="bar used-up" aria-hidden="true">
          <line x1="0" y1="100%" x2="100%" y2="0" />
        </svg>
      )
    case 'absent':
      return <span class="bar" />
    case 'known':
      return <PercentBar percent={window.percent ?? 0} kind={window.stale ? 'stale' : 'known'} />
    default:
      return window.state satisfies never
  }
}

export function PercentBar({
  percent,
  kind = 'known',
}: {
  readonly percent: number
  readonly kind?: 'known' | 'stale'
}) {
  return (
    <svg class="bar" aria-hidden="true">
      <rect class="track" width="100%" height="100%" />
      <rect class={kind} width={`${percent}%`} height="100%" />
    </svg>
  )
}
