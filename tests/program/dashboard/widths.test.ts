import { describe, expect, it } from 'vitest'
import { goTo, overflows, useDashboard } from '../../../tooling/dashboard/dashboard-fixture.ts'

/** Widths at which columns come and go, from the first one that shows a table. */
const WIDTHS = [701, 768, 900, 1100, 1280] as const

describe('between a phone and a desk the dashboard', () => {
  const dashboard = useDashboard()

  it.each(WIDTHS)(
    'names every account, also two files of one, at %d px and on paper',
    async (width) => {
      const page = await dashboard.open({ hash: '#accounts', width, height: 800 })
      for (const view of ['accounts', 'resets']) {
        await goTo(page, view)
        for (const media of ['screen', 'print'] as const) {
          await page.emulateMedia({ media })
          const names = await shownOf(page, `.${view} tbody .name`)
          expect(names.filter(({ text }) => text.startsWith('marta.k@')).length).toBeGreaterThan(1)
          for (const name of names)
            expect([view, media, name.text, name.width > 50]).toEqual([
              view,
              media,
              name.text,
              true,
            ])
        }
        await page.emulateMedia({ media: 'screen' })
        expect(await overflows(page)).toBe(0)
      }
    },
  )

  it.each([768, 1280])('says every state and every return in full at %d px', async (width) => {
    const page = await dashboard.open({ hash: '#accounts', width, height: 800 })

    for (const place of ['.state .words > :first-child', '.window-return', '.sample'])
      expect([place, await cutIn(page, `.accounts tbody ${place}`)]).toEqual([place, []])
  })

  it('has one row for its head on a tablet, and its buttons keep off the line below', async () => {
    const page = await dashboard.open({ width: 768, height: 1024 })
    const [head, button] = await Promise.all([
      page.locator('.top').boundingBox(),
      page.locator('#refresh').boundingBox(),
    ])
    expect(head?.height).toBeLessThan(60)
    expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThan((head?.height ?? 0) - 4)
  })

  it('reads an address from left to right, whatever its letters, and cuts it at its end', async () => {
    const page = await dashboard.open({ hash: '#accounts', width: 768, height: 800 })
    const name = page
      .locator('.accounts .name', { hasText: '@' })
      .filter({ hasText: /\p{sc=Arabic}/u })
    const order = await name.first().evaluate((element) => {
      const text = element.firstChild as Text
      const leftOf = (index: number) => {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + 1)
        return range.getBoundingClientRect().left
      }
      const at = text.data.indexOf('@')
      return [
        getComputedStyle(element).direction,
        leftOf(0) < leftOf(at),
        leftOf(at) < leftOf(at + 1),
      ]
    })

    expect(order).toEqual(['ltr', true, true])
  })
})

type Page = Awaited<ReturnType<ReturnType<typeof useDashboard>['open']>>

/** What of this is drawn. */
function shownOf(page: Page, selector: string) {
  return page.evaluate(
    (wanted) =>
      [...document.querySelectorAll(wanted)].map((element) => ({
        text: element.textContent ?? '',
        width: element.getBoundingClientRect().width,
      })),
    selector,
  )
}

/** Texts of which a part is cut off. */
function cutIn(page: Page, selector: string) {
  return page.evaluate(
    (wanted) =>
      [...document.querySelectorAll<HTMLElement>(wanted)].flatMap((element) =>
        element.scrollWidth > element.clientWidth && getComputedStyle(element).display !== 'inline'
          ? [element.innerText]
          : [],
      ),
    selector,
  )
}
