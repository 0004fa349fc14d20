import '../testing/browser.ts'
import { NOW } from '@svc/core/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { connection, health } from '../state/live-data.ts'
import { anEntry, change, showPool } from '../testing/page.ts'
import { faviconHref, showFavicon } from './browser-tab.ts'

const answers = { failingSinceMs: null, lastAnswerMs: NOW, nextTryMs: NOW + 5_000 }
const silent = { failingSinceMs: NOW - 60_000, lastAnswerMs: NOW - 70_000, nextTryMs: NOW }

afterEach(() => {
  change(() => {
    connection.value = answers
  })
})

/** The icon for this state of health. */
function iconOf(state: 'good' | 'warn' | 'bad' | 'unknown'): string {
  showPool([anEntry('ana')])
  if (health.value !== null) health.value = { ...health.value, state }
  return faviconHref()
}

describe('the icon of the tab', () => {
  it('is another one for each state, and for a monitor that does not answer', () => {
    const icons = (['good', 'warn', 'bad', 'unknown'] as const).map(iconOf)
    connection.value = silent
    icons.push(iconOf('good'))

    expect(new Set(icons).size).toBe(5)
  })

  it('is the same for nothing known as for a state that is unknown', () => {
    const unknown = iconOf('unknown')
    health.value = null

    expect(faviconHref()).toBe(unknown)
  })

  it('loads nothing, and differs in shape for each state', () => {
    const shapes = (['good', 'warn', 'bad', 'unknown'] as const).map((state) => {
      const [type, svg = ''] = iconOf(state).split(',')
      expect(type).toBe('data:image/svg+xml')
      expect(decodeURIComponent(svg)).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
      return decodeURIComponent(svg).replace(/#[0-9a-f]+/g, '')
    })

    expect(new Set(shapes).size).toBe(4)
  })

  it('is put where the browser looks for it', () => {
    const link = document.createElement('link')
    link.setAttribute('rel', 'icon')
    document.body.append(link)
    showFavicon(iconOf('bad'))

    expect(link.getAttribute('href')).toBe(iconOf('bad'))
    link.remove()
  })
})
