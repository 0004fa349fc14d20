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
import { dispatch, setNow } from './browser.ts'

/** An account and the evidence about its quota. */
export type Entry = readonly [Account, AccountEvidence | null]

interface EntryShape {
  /** Percent left of the 5h window; the week always has 60. */
  readonly fiveHour?: number
  readonly ageSeconds?: number
  readonly resetsInSeconds?: number
}

/** A Plus account that was just read, with 80 % of its 5h window left and a reset in 2 h 30 min. */
export function anEntry(
  name: string,
  { fiveHour = 80, ageSeconds = 0, resetsInSeconds = 9_000 }: EntryShape = {},
  changes: Partial<Account> = {},
  evidence: Partial<AccountEvidence> = {},
): Entry {
  const sample = aQuotaSample({
    fiveHour,
    week: 60,
    fiveHourResetsInSeconds: resetsInSeconds,
    weekResetsInSeconds: 90_000,
    ageSeconds,
  })
  return [anAccount(name, changes), evidenceOf([sample], evidence)]
}

interface PoolOptions {
  readonly observed?: ObservationChanges
  readonly policy?: Partial<EvaluationPolicy>
  readonly usage?: UsageReading
  readonly refresh?: RefreshState
}

type Status = NonNullable<typeof status.value>
type Health = NonNullable<typeof health.value>

const text = createWording('Asia/Shanghai')
let root: HTMLElement | null = null

/** Sets the page's state to the monitor's answer about these accounts at NOW. */
export function showPool(entries: readonly Entry[], options: PoolOptions = {}): void {
  const { observed, policy, usage = { kind: 'off' }, refresh = { status: 'idle' } } = options
  const snapshot = aSnapshot(entries, observed, policy)
  act(() => {
    setNow(NOW)
    browserMs.value = NOW
    status.value = statusView(snapshot, { text, usage, refresh, trends: noTrends })
    health.value = healthView(snapshot, { text, trends: noTrends })
  })
}

/** Changes the answer about the pool that is shown. Throws if there is none. */
export function changeStatus(changed: (now: Status) => Partial<Status>): void {
  act(() => {
    if (status.value === null) throw new Error('there is no status')
    status.value = { ...status.value, ...changed(status.value) }
  })
}

/** Changes the health that is shown. Throws if there is none. */
export function changeHealth(changed: (now: Health) => Partial<Health>): void {
  act(() => {
    if (health.value === null) throw new Error('there is no health')
    health.value = { ...health.value, ...changed(health.value) }
  })
}

/** Changes how far a manual refresh is. */
export function showRefresh(changes: Partial<Status['summary']['manualRefresh']>): void {
  changeStatus(({ summary }) => ({
    summary: { ...summary, manualRefresh: { ...summary.manualRefresh, ...changes } },
  }))
}

/** Changes the answer to whether a job may start. */
export function showAnswer(changes: Partial<NonNullable<Status['summary']['answer']>>): void {
  changeStatus(({ summary }) => ({
    summary: {
      ...summary,
      answer: { code: 'go', tone: 'good', text: '', at: null, ...summary.answer, ...changes },
    },
  }))
}

/** Something that an operator has to do. */
export const anAction = (
  changes: Partial<Health['actions'][number]> = {},
): Health['actions'][number] => ({
  kind: 'auth',
  code: 'auth_invalid',
  id: 'auth_invalid',
  accountKeys: [],
  tone: 'bad',
  title: 'Auth invalid',
  badge: 'Auth invalid',
  summary: 'It is broken.',
  note: 'Mend it.',
  ...changes,
})

/** Lets nobody answer the page from now on, and gives what it asks for. */
export function holdAnswers(): string[] {
  const asked: string[] = []
  globalThis.fetch = (path) => {
    asked.push(String(path))
    return new Promise(() => undefined)
  }
  return asked
}

/** The page's account with this name. Throws if there is none. */
export function accountCalled(name: string): PoolAccount {
  const found = status.value?.tabs.pool.accounts.find(({ title }) => title.startsWith(`${name}@`))
  if (found === undefined) throw new Error(`there is no account ${name}`)
  return found
}

/** Draws this instead of what was drawn before. */
export function draw(content: ComponentChild): HTMLElement {
  clearPage()
  const place = document.createElement('div')
  document.body.append(place)
  root = place
  act(() => render(content, place))
  return place
}

/** Removes the drawn content. */
export function clearPage(): void {
  if (root === null) return
  const place = root
  act(() => render(null, place))
  place.remove()
  root = null
}

/** Runs a task and draws its changes before returning. */
export function change(task: () => void): void {
  act(task)
}

export function click(element: Element | null | undefined): void {
  if (element == null) throw new Error('there is nothing to click')
  act(() => void dispatch(element, 'click'))
}

/** Presses a key on the focused element; true if the page prevented the browser's default action. */
export function press(key: string, details: Readonly<Record<string, unknown>> = {}): boolean {
  let isPrevented = false
  act(() => {
    const target = document.activeElement
    isPrevented = dispatch(target, 'keydown', { key, ...details })
  })
  return isPrevented
}

/** Puts a value into a field, as somebody who types or chooses. */
export function enter(element: Element | null, value: string, type = 'input'): void {
  if (element === null) throw new Error('there is no such field')
  act(() => {
    Object.assign(element, ['on', 'off'].includes(value) ? { checked: value === 'on' } : { value })
    dispatch(element, type)
  })
}

/** Zero-width space: a line may break here. */
const BREAK = '\u200b'

/** Words of an element as they are read, one space between any two parts. */
export function wordsOf(element: Element | null): string {
  if (element === null) return ''
  const parts: string[] = []
  const walk = (node: Node) => {
    if (node.nodeType === 3) parts.push(node.textContent ?? '')
    if (node instanceof Element && node.localName === 'wbr') parts.push(BREAK)
    for (const child of node.childNodes) walk(child)
  }
  walk(element)
  return parts.join(' ').replaceAll(` ${BREAK} `, '').replace(/\s+/g, ' ').trim()
}

/** The elements that fit. */
export function elementsOf<E extends Element = HTMLElement>(
  place: Element | null | undefined,
  selector: string,
): E[] {
  return [...(place?.querySelectorAll<E>(selector) ?? [])]
}

/** The words of each element that fits. */
export function wordsOfEach(place: Element, selector: string): readonly string[] {
  return elementsOf(place, selector).map(wordsOf)
}

/** Takes the focus from what has it. */
export function leaveFocus(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
}
