import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/** Tells the style sheet how high the page's header and the filters are, so that what sticks below them is not covered. */
export function useStickyHeads(filters: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const root = document.documentElement
    const top = document.querySelector<HTMLElement>('.top')
    const find = filters.current
    if (top === null || find === null) return
    const measure = () => {
      root.style.setProperty('--top-height', `${top.offsetHeight}px`)
      root.style.setProperty('--find-height', `${find.offsetHeight}px`)
    }
    const observer = new ResizeObserver(measure)
    observer.observe(top)
    observer.observe(find)
    measure()
    return () => {
      observer.disconnect()
      root.style.removeProperty('--top-height')
      root.style.removeProperty('--find-height')
    }
  }, [])
}
