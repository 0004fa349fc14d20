import { parseArgs } from 'node:util'
import { makePackages, makePluginPackages } from './make-packages.mjs'
import { createScreen } from './screen.mjs'

/** Makes the packages of npm, or with `--plugin` those of the proxy's plugin. */
const { values } = parseArgs({ options: { plugin: { type: 'boolean', default: false } } })
const screen = createScreen(process.stdout)
await (values.plugin ? makePluginPackages(screen) : makePackages(screen))
