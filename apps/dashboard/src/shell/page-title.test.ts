import '../testing/browser.ts'
import { NOW } from '@svc/core/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { privacy } from '../state/display-state.ts'
import { connection, health, status } from '../state/live-data.ts'
import { anEntry, change, showPool } from '../testing/page.ts'
import { pageTitle } from './page-title.ts'

const answers = { failingSinceMs: null, lastAnswerMs: NOW, nextTryMs: NOW + 5_000 }

beforeEach(() => showPool([anEntry('ana')]))
afterEach(() => {
  location.hash = '#overview'
  privacy.value = false
  connection.value = answers
})

describe('the title of the browser tab', () => {
  it.each([
    { hash: '', title: '0.8 of 1 Plus left · Overview · Quota' },
    { hash: '#accounts?f=blocked', title: '0.8 of 1 Plus left · Accounts · Quota' },
    { hash: '#health', title: '0.8 of 1 Plus left · Health · Quota' },
    {
      hash: '#accounts/index-ana',
      title: '0.8 of 1 Plus left · ana@example.com · Accounts · Quota',
    },
    { hash: '#accounts/gone', title: '0.8 of 1 Plus left · Accounts · Quota' },
  ])('at "$hash" is "$title"', ({ hash, title }) => {
    location.hash = hash

    expect(pageTitle()).toBe(title)
  })

  it('says first how much there is to do', () => {
    showPool([anEntry('ana', { fiveHour: 0 })])

    expect(pageTitle()).toBe(`⚠ ${health.value?.pill} · 0.0 of 1 Plus left · Overview · Quota`)
    expect(health.value?.pill).toMatch(/^\d actions?$/)
  })

  it('says first that nothing is updated, and no numbers that may be old', () => {
    connection.value = { failingSinceMs: NOW - 60_000, lastAnswerMs: NOW - 65_000, nextTryMs: NOW }

    expect(pageTitle()).toBe('⚠ not updating · Overview · Quota')
  })

  it('also says then what there was to do', () => {
    showPool([anEntry('ana', { fiveHour: 0 })])
    connection.value = { failingSinceMs: NOW - 60_000, lastAnswerMs: NOW - 65_000, nextTryMs: NOW }

    expect(pageTitle()).toBe(`⚠ not updating, ${health.value?.pill} · Overview · Quota`)
  })

  it('has no address of an account in private', () => {
    location.hash = '#accounts/index-ana'
    privacy.value = true

    expect(pageTitle()).toMatch(/^0\.8 of 1 Plus left · user-[0-9a-f]{4} · Accounts · Quota$/)
  })

  it.each([
    { what: 'nothing is known', forget: true },
    { what: 'nothing is tracked', forget: false },
  ])('has no numbers where $what', ({ forget }) => {
    showPool([])
    change(() => {
      health.value = null
      if (forget) status.value = null
    })

    expect(pageTitle()).toBe('Overview · Quota')
  })
})
