import { shapeOf } from './shape.ts'
import { top } from './top.ts'

/** Prints the shape of the code, of this tree or of the one named; `--places` lists what each figure consists of. */
const flags = process.argv.slice(2)
const withPlaces = flags.includes('--places')
const folder = flags.find((flag) => !flag.startsWith('--')) ?? top
for (const { what, measured, places } of Object.values(shapeOf(folder))) {
  console.log(`| ${what} | ${Number.isInteger(measured) ? measured : measured.toFixed(1)} |`)
  if (withPlaces) for (const place of places) console.log(`    ${place}`)
}
