import { h } from 'preact'
import { expect, it } from 'vitest'
import { draw } from '../testing/page.ts'
import { Spark } from './spark.tsx'

it.each([
  { what: 'one line', values: [0, 2, 1], pieces: ['M0.0 21.0L50.0 2.0L100.0 11.5'] },
  {
    what: 'a piece for each stretch that is known',
    values: [null, 2, null, null, 1, 1],
    pieces: ['M20.0 2.0', 'M80.0 11.5L100.0 11.5'],
  },
  { what: 'nothing where nothing is known', values: [null, null], pieces: [] },
])('a small course is $what', ({ values, pieces }) => {
  const place = draw(h(Spark, { values }))

  expect(place.querySelector('.line')?.getAttribute('d')).toBe(pieces.join(''))
})
