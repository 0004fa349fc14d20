import type { Account, AccountEvidence, EvaluationPolicy } from '@svc/core'
import { noTrends } from '@svc/core/pool'
import type { RefreshState } from '@svc/core/service'
import {
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  NOW,
  type ObservationChanges,
} from '@svc/core/testing'
import type { UsageReading } from '@svc/core/usage'
import { createWording, healthView, statusView } from '@svc/views'
import { type ComponentChild, render } from 'preact'
import { act } from 'preact/test-utils'
import { browserMs, health, type PoolAccount, status } from '../state/live-data.ts'
import { dispatch, setNow, smallDocument } from './browser.ts'
import { SmallElement } from './small-document.ts'

/** An account and what is known of its quota. */
export type Entry = readonly [Account, AccountEvidence | null]

interface EntryShape {
  /** Percent left of the 5h window; the week has 60 left. */
  readonly fiveHour?: number
  readonly ageSeconds?: number
  readonly resetsInSeconds?: number
}

/** A Plus account that was read just now, 80 % of its 5h window left until 2 h 30 min from now. */
export function anEntry(
  name: string,
  { fiveHour = 80, ageSeconds = 0, resetsInSeconds = 9_000 }: EntryShape = {},
  changes: Partial<Account> = {},
): Entry {
  const sample = aQuotaSample({
    fiveHour,
    week: 60,
    fiveHourResetsInSeconds: resetsInSeconds,
    weekResetsInSeconds: 90_000,
    ageSeconds,
  })
  return [anAccount(name, changes), evidenceOf([sample])]
}

interface PoolOptions {
  readonly observed?: ObservationChanges
  readonly policy?: Partial<EvaluationPolicy>
  readonly usage?: UsageReading
  readonly refresh?: RefreshState
}

const text = createWording('Asia/Shanghai')
let root: SmallElement | null = null

/** Puts the monitor's answer about these accounts at NOW into the page's state. */
export function showPool(entries: readonly Entry[], options: PoolOptions = {}): void {
  const { observed, policy, usage = { kind: 'off' }, refresh = { status: 'idle' } } = options
  const snapshot = aSnapshot(entries, observed, policy)
  act(() => {
    setNow(NOW)
    browserMs.value = NOW
    status.value = statusView(snapshot, { text, usage, refresh, trends: noTrends })
    health.value = healthView(snapshot, { text })
  })
}

/** The account of that name, as the page knows it. Throws where there is none. */
export function accountCalled(name: string): PoolAccount {
  const found = status.value?.tabs.pool.accounts.find(({ title }) => title.startsWith(`${name}@`))
  if (found === undefined) throw new Error(`there is no account ${name}`)
  return found
}

/** Draws this instead of what was drawn before. */
export function draw(content: ComponentChild): SmallElement {
  clearPage()
  const place = smallDocument.createElement('div')
  smallDocument.documentElement.append(place)
  root = place
  act(() => render(content, place as unknown as Element))
  return place
}

/** Takes away what was drawn. */
export function clearPage(): void {
  if (root === null) return
  const place = root
  act(() => render(null, place as unknown as Element))
  place.remove()
  root = null
}

/** Whatever this changes is drawn when it returns. */
export function change(task: () => void): void {
  act(task)
}

export function click(element: SmallElement | null | undefined): void {
  if (element == null) throw new Error('there is nothing to click')
  act(() => void dispatch(element, 'click'))
}

/** Presses a key where the focus is; says whether the page kept the browser from its own answer. */
export function press(key: string, details: Readonly<Record<string, unknown>> = {}): boolean {
  let isPrevented = false
  act(() => {
    const target = smallDocument.activeElement ?? smallDocument.documentElement
    isPrevented = dispatch(target, 'keydown', { key, ...details })
  })
  return isPrevented
}

/** Puts a value into a field, as somebody who types or chooses. */
export function enter(element: SmallElement | null, value: string, type = 'input'): void {
  if (element === null) throw new Error('there is no such field')
  act(() => {
    Object.assign(element, { value, valueAsNumber: Number(value), checked: value === 'on' })
    dispatch(element, type)
  })
}

/** Marks where a line may break without a space. */
const BREAK = '\u200b'

/** Words of an element as they are read, one space between any two parts. */
export function wordsOf(element: SmallElement | null): string {
  if (element === null) return ''
  const parts: string[] = []
  const walk = (node: SmallElement['childNodes'][number]) => {
    if (node.nodeType === 3) parts.push(node.textContent)
    if (node instanceof SmallElement && node.localName === 'wbr') parts.push(BREAK)
    for (const child of node.childNodes) walk(child)
  }
  walk(element)
  return parts.join(' ').replaceAll(` ${BREAK} `, '').replace(/\s+/g, ' ').trim()
}

/** The words of each element that fits. */
export function wordsOfEach(place: SmallElement, selector: string): readonly string[] {
  return place.querySelectorAll(selector).map(wordsOf)
}
