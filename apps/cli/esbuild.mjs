import { bundleProgram } from '../../tooling/packaging/bundle-program.mjs'

// `node esbuild.mjs executable <folder>` writes the parts of the single executable.
const [form = 'script', folder = 'dist'] = process.argv.slice(2)
await bundleProgram(form, folder)
