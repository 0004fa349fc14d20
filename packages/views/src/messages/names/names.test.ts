import { expect, it } from 'vitest'
import { createWindowLabel } from './names.ts'

const windowLabel = createWindowLabel({
  own: {
    '5h': 'fünf Stunden',
    week: 'Woche',
    day: 'Daily',
    month: 'Monat',
    spend: 'Ausgaben',
    limit: 'Grenze',
  },
  durationText: (seconds) => `${seconds / 3600} Stunden`,
  ofScope: (scope, label) => `${label} (${scope})`,
})

it.each([
  { id: 'week', label: 'Woche', why: 'by the name of the language' },
  { id: '7200s', label: '2 Stunden', why: 'known by its length alone' },
  { id: 'quarter', label: 'quarter', why: 'a kind without a name' },
  { id: 'constructor', label: 'constructor', why: 'a kind that every object has' },
  { id: 'code_review:week', label: 'Woche (Code review)', why: 'of another scope' },
  { id: 'extra:fast_lane:5h', label: 'fünf Stunden (Fast lane)', why: 'of a feature' },
  { id: 'extra:a:b:3600s', label: '1 Stunden (A:b)', why: 'a feature with a colon' },
])('the window $id is called $label ($why)', ({ id, label }) => {
  expect(windowLabel(id)).toBe(label)
})
