import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { anEntry, draw, elementsOf, showPool } from '../testing/page.ts'
import { Accounts } from './accounts.tsx'
import { HealthView } from './health.tsx'
import { Overview } from './overview.tsx'
import { Resets } from './resets.tsx'
import { findView, views } from './view-table.ts'

describe('the table of views', () => {
  it.each(['id', 'title', 'key'] as const)('has no %s twice', (member) => {
    const all = views.map((view) => view[member])

    expect(new Set(all).size).toBe(all.length)
  })

  it('has a single letter or digit for a key, none that the page has for something else', () => {
    for (const { key } of views) expect(key ?? '1').toMatch(/^[^rpt?/jk]$/)
  })

  it('has a name that can stand in an address', () => {
    for (const { id } of views) expect(encodeURIComponent(id)).toBe(id)
  })

  it.each(['', 'gone', 'Overview', '__proto__'])('shows its first view for "%s"', (name) => {
    expect(findView(name)).toBe(views[0])
  })

  it('has a row for every view that another one leads to', () => {
    showPool([anEntry('ana', { fiveHour: 90, resetsInSeconds: 1_800 }), anEntry('bob')])
    const known = new Set(views.map(({ id }) => id))
    const links = [Overview, Accounts, Resets, HealthView].flatMap((View) =>
      elementsOf<HTMLAnchorElement>(draw(h(View, { title: '' })), 'a').map(
        (link) => link.hash.slice(1).split('/')[0] ?? '',
      ),
    )

    expect(links.length).toBeGreaterThan(5)
    expect(links.filter((name) => !known.has(name))).toEqual([])
  })
})
