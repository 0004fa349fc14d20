import { NOW } from '@svc/core/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { privacy } from '../state/display-state.ts'
import { connection, health, status } from '../state/live-data.ts'
import { anEntry, change, showPool } from '../testing/page.ts'
import { faviconHref, pageTitle, showFavicon } from './browser-tab.ts'

const GO = 'Yes. 0.8 Plus usable now, ana@example.com first'
const answers = { failingSinceMs: null, lastAnswerMs: NOW, nextTryMs: NOW + 5_000 }

beforeEach(() => showPool([anEntry('ana')]))
afterEach(() => {
  connection.value = answers
})

describe('the title of the browser tab', () => {
  it.each([
    { hash: '', title: `${GO} · Overview · Quota` },
    { hash: '#accounts?f=blocked', title: `${GO} · Accounts · Quota` },
    { hash: '#health', title: `${GO} · Health · Quota` },
    {
      hash: '#accounts/index-ana',
      title: `${GO} · ana@example.com · Accounts · Quota`,
    },
    { hash: '#accounts/gone', title: `${GO} · Accounts · Quota` },
  ])('at "$hash" is "$title"', ({ hash, title }) => {
    location.hash = hash

    expect(pageTitle()).toBe(title)
  })

  it('says first whether a job may start, then how much there is to do', () => {
    showPool([anEntry('ana', { fiveHour: 0 })])

    expect(pageTitle()).toBe(
      `Wait until 22:30: 1.0 Plus come back · ⚠ ${health.value?.pill} · Overview · Quota`,
    )
    expect(health.value?.pill).toMatch(/^\d actions?$/)
  })

  it('says that nothing is known while the monitor is silent, no numbers that may be old, and what there was to do', () => {
    showPool([anEntry('ana', { fiveHour: 0 })])
    connection.value = { failingSinceMs: NOW - 60_000, lastAnswerMs: NOW - 65_000, nextTryMs: NOW }

    expect(pageTitle()).toBe(
      `Not known: the monitor has been silent since 19:58 · ⚠ ${health.value?.pill} · Overview · Quota`,
    )
  })

  it('has no address of an account in private', () => {
    location.hash = '#accounts/index-ana'
    privacy.value = true

    expect(pageTitle()).toMatch(
      /^Yes\. 0\.8 Plus usable now, (user-[0-9a-f]{4}) first · \1 · Accounts · Quota$/,
    )
  })

  it('has no answer before the monitor has given one', () => {
    change(() => {
      health.value = null
      status.value = null
    })

    expect(pageTitle()).toBe('Overview · Quota')
  })
})

const answering = { failingSinceMs: null, lastAnswerMs: NOW, nextTryMs: NOW + 5_000 }

afterEach(() => {
  change(() => {
    connection.value = answering
  })
})

/** The icon for this state of health. */
function iconOf(state: 'good' | 'warn' | 'bad' | 'unknown'): string {
  showPool([anEntry('ana')])
  if (health.value !== null) health.value = { ...health.value, state }
  return faviconHref()
}

describe('the icon of the tab', () => {
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
