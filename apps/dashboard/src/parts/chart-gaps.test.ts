import { expect, it } from 'vitest'
import { gapBandsOf } from './chart-gaps.ts'

const gap = (from: number, to: number) => ({
  start: new Date(from * 1000).toISOString(),
  end: new Date(to * 1000).toISOString(),
  reason: 'missed' as const,
})

it.each([
  { what: 'a gap inside', gaps: [gap(20, 50)], bands: [[120, 150]] },
  { what: 'a gap that begins before the chart', gaps: [gap(-50, 10)], bands: [[100, 110]] },
  { what: 'a gap that goes on after it', gaps: [gap(90, 500)], bands: [[190, 200]] },
  { what: 'a gap too short to see', gaps: [gap(40, 40.5)], bands: [[140, 142]] },
  { what: 'a gap that a zoom leaves out', gaps: [gap(-50, -10), gap(150, 160)], bands: [] },
])('$what is hatched where the chart shows it', ({ gaps, bands }) => {
  const area = { left: 100, right: 200 }

  expect(
    gapBandsOf(gaps, area, (seconds) => 100 + seconds).map(({ left, right }) => [left, right]),
  ).toEqual(bands)
})
