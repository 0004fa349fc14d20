import { h } from 'preact'
import { describe, expect, it } from 'vitest'
import { change, click, draw, wordsOf } from '../testing/page.ts'
import { lazyView, loadViewsAhead } from './lazy-view.tsx'

const Shown = ({ title }: { readonly title: string }) => h('p', {}, `This is ${title}.`)
/** Lets pending work finish and draws the result. */
const settle = async () => {
  await Promise.resolve()
  await new Promise((resolve) => setTimeout(resolve))
  change(() => undefined)
}

describe('a view that comes later', () => {
  it('is empty until its code has come, and then is that view', async () => {
    const Later = lazyView(async () => Shown)
    const place = draw(h(Later, { title: 'it' }))
    expect(wordsOf(place)).toBe('')

    await settle()
    expect(wordsOf(place)).toBe('This is it.')
  })

  it('is there at once where it was fetched ahead, and is fetched once', async () => {
    let fetches = 0
    const Later = lazyView(async () => {
      fetches += 1
      return Shown
    })
    await loadViewsAhead()

    expect(wordsOf(draw(h(Later, { title: 'it' })))).toBe('This is it.')
    expect(fetches).toBe(1)
  })

  it('says that it could not be loaded, and is tried again when it is opened again', async () => {
    let isThere = false
    const Later = lazyView(async () => {
      if (!isThere) throw new Error('the monitor does not answer')
      return Shown
    })
    const place = draw(h(Later, { title: 'it' }))
    await settle()
    expect(wordsOf(place)).toMatch(/^This view could not be loaded\./)

    isThere = true
    draw(h(Later, { title: 'it' }))
    await settle()
    expect(wordsOf(draw(h(Later, { title: 'it' })))).toBe('This is it.')
  })

  it('says so in words of its own, and is tried again at once where that is asked for', async () => {
    let isThere = false
    const Later = lazyView(async () => {
      if (!isThere) throw new Error('the monitor does not answer')
      return Shown
    }, 'No chart.')
    const place = draw(h(Later, { title: 'it' }))
    await settle()
    expect(wordsOf(place)).toBe('No chart. Try now')

    isThere = true
    click(place.querySelector('button'))
    await settle()
    expect(wordsOf(place)).toBe('This is it.')
  })
})
