import { parseArgs } from 'node:util'
import { makeExecutables } from '../packaging/make-executables.mjs'
import { makePackages, makePluginPackages } from './make-packages.mjs'
import { createScreen } from './screen.mjs'

/** Makes the packages of npm, with `--plugin` those of the proxy's plugin, with `--binary` the executables. */
const { values } = parseArgs({
  options: {
    plugin: { type: 'boolean', default: false },
    binary: { type: 'boolean', default: false },
  },
})
const screen = createScreen(process.stdout)
const make = values.plugin ? makePluginPackages : values.binary ? makeExecutables : makePackages
await make(screen)
