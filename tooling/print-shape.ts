import { isReached, shapeOf } from './shape.ts'
import { top } from './top.ts'

/** Prints the shape of the code with its goals, for this tree or the one named; `--places` lists the parts of each figure. */
const flags = process.argv.slice(2)
const folder = flags.find((flag) => !flag.startsWith('--')) ?? top
const figures = shapeOf(folder)
console.log('| figure | now | goal | |\n| --- | --- | --- | --- |')
for (const figure of figures) {
  const { what, measured, atMost, places } = figure
  const verdict = atMost === null ? '' : isReached(figure) ? 'reached' : 'NOT REACHED'
  console.log(`| ${what} | ${measured} | ${atMost === null ? '' : `≤ ${atMost}`} | ${verdict} |`)
  if (flags.includes('--places')) for (const place of places) console.log(`    ${place}`)
}
const open = figures.filter((figure) => !isReached(figure))
console.log(
  open.length === 0
    ? '\nEvery goal is reached.'
    : `\nNot reached: ${open.map(({ what }) => what).join('; ')}`,
)
