import type { PressedKey } from '../program/terminal.ts'
import { type TopView, topSorts } from './top-frame.ts'

/** The view after a key, its offset maybe beyond the ends of the table; null if the reader leaves. */
export function viewAfter(
  { name, text }: PressedKey,
  view: TopView,
  pageRows: number,
): TopView | null {
  const { filter, offset, sort, typing } = view
  const isTyped = typing && /^\P{Cc}+$/u.test(text)
  if (isTyped) return { ...view, filter: filter + text, offset: 0 }
  switch (name) {
    case 'ctrl-c':
      return null
    case 'up':
      return { ...view, offset: offset - 1 }
    case 'down':
      return { ...view, offset: offset + 1 }
    case 'pageup':
      return { ...view, offset: offset - pageRows }
    case 'pagedown':
      return { ...view, offset: offset + pageRows }
    case 'escape':
      return { ...view, filter: '', typing: false, offset: 0 }
    case 'return':
      return { ...view, typing: false }
    case 'backspace':
      return typing ? { ...view, filter: [...filter].slice(0, -1).join(''), offset: 0 } : view
  }
  if (text === 'q') return null
  if (text === '/') return { ...view, typing: true }
  if (text !== 's') return view
  return { ...view, sort: topSorts[(topSorts.indexOf(sort) + 1) % topSorts.length] ?? sort }
}
