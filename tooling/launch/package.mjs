import { parseArgs } from 'node:util'
import { makeExecutables } from '../packaging/make-executables.mjs'
import { makeImage } from '../packaging/make-image.mjs'
import { makePackages, makePluginPackages } from './make-packages.mjs'
import { createScreen } from './screen.mjs'
import { build, removeBuilt } from './turbo.mjs'

/** Makes the packages of npm, with `--plugin` those of the proxy's plugin, with `--binary` the executables, with `--image` these and an image for containers. */
const { values } = parseArgs({
  options: {
    plugin: { type: 'boolean', default: false },
    binary: { type: 'boolean', default: false },
    image: { type: 'boolean', default: false },
  },
})
const screen = createScreen(process.stdout)
// The plugin takes nothing along of what is built here.
if (values.plugin) await makePluginPackages(screen)
else {
  for (const folder of ['apps/cli', 'packages/client', 'packages/core']) removeBuilt(folder)
  await build(screen, 'everything')
  if (values.image) await makeImage(screen)
  else if (values.binary) await makeExecutables(screen)
  else await makePackages(screen)
}
