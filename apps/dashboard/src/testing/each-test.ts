import './browser.ts'
import { Signal } from '@preact/signals'
import { act } from 'preact/test-utils'
import { afterEach, beforeEach } from 'vitest'
import * as filters from '../state/account-filters.ts'
import { clearPicks } from '../state/account-picks.ts'
import * as chart from '../state/chart-view.ts'
import * as display from '../state/display-state.ts'
import * as refresh from '../state/refresh.ts'
import * as usage from '../state/usage-question.ts'
import { clearPage, leaveFocus } from './page.ts'

/** Every choice on the page, with its value as long as nobody has chosen. */
const choices = [filters, chart, display, refresh, usage]
  .flatMap((module): unknown[] => Object.values(module))
  .filter((member) => member instanceof Signal)
  // A computed one cannot be set.
  .filter((choice) => Object.getOwnPropertyDescriptor(Object.getPrototypeOf(choice), 'value')?.set)
  .map((choice) => ({ choice, value: choice.peek() as unknown }))

let askDirectly = globalThis.fetch
beforeEach(() => {
  askDirectly = globalThis.fetch
})

// Runs after whatever a file of tests puts back itself.
afterEach(() => {
  clearPage()
  leaveFocus()
  act(() => {
    location.hash = ''
    clearPicks()
    for (const { choice, value } of choices) choice.value = value
  })
  globalThis.fetch = askDirectly
})
