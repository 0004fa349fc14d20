import { expect, it } from 'vitest'
import { LINES_MAX } from '../state/chart-lines.ts'
import { findLineStyle } from './line-style.tsx'

it('tells any two lines apart without their colours', () => {
  const styles = [...Array.from({ length: LINES_MAX }, (_, index) => index + 1), 'other' as const]
  const looks = styles.map((style) => {
    const { dash, width } = findLineStyle(style)
    return `${dash} ${width}`
  })

  expect(new Set(looks).size).toBe(LINES_MAX + 1)
})
