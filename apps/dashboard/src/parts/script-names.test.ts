import '../testing/browser.ts'
import { h } from 'preact'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { privacy } from '../state/display-state.ts'
import {
  accountCalled,
  anEntry,
  clearPage,
  click,
  draw,
  showPool,
  wordsOf,
} from '../testing/page.ts'
import { ScriptNames } from './script-names.tsx'

const writeText = vi.fn(async (_text: string) => undefined)
Object.defineProperty(globalThis, 'navigator', {
  configurable: true,
  value: { clipboard: { writeText } },
})

afterEach(() => {
  clearPage()
  vi.clearAllMocks()
  privacy.value = false
})

/** Presses the button of this name; what it has copied. */
function copied(name: string): string | undefined {
  showPool([anEntry('ana')])
  const place = draw(h(ScriptNames, accountCalled('ana')))
  click(place.querySelectorAll('button').find((button) => wordsOf(button) === `Copy ${name}`))
  return writeText.mock.lastCall?.[0]
}

describe('the names of an account for scripts', () => {
  it('stand there, addresses in them hidden in private', () => {
    showPool([anEntry('ana')])
    const words = () => wordsOf(draw(h(ScriptNames, accountCalled('ana'))).querySelector('dl'))
    expect(words()).toBe(
      'authName codex-ana@example.com-plus.json Copy authName ' +
        'authIndex index-ana Copy authIndex accountKey key-ana Copy accountKey',
    )
    privacy.value = true

    expect(words()).not.toContain('@')
  })

  it.each(['authName', 'authIndex', 'accountKey'] as const)('are copied: %s', (name) => {
    const text = copied(name)

    expect(text).toBe(accountCalled('ana').selector[name])
  })

  it('are copied as they are shown while names are hidden', () => {
    privacy.value = true

    expect(copied('authName')).not.toContain('ana')
  })
})
