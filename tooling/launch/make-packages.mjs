import { join } from 'node:path'
import { run } from './child.mjs'
import { Failure } from './failure.mjs'
import { PNPM } from './packages.mjs'
import { top } from './top.mjs'

/**
 * The program, and the rules and the client for scripts of others, in a file each.
 * @param {Pick<import('./screen.mjs').Screen, 'begin' | 'line'>} screen
 */
export async function makePackages(screen, folder = top) {
  const phase = screen.begin('Packing')
  const files = []
  for (const part of ['apps/cli', 'packages/core', 'packages/client']) {
    const pack = ['--yes', PNPM, 'pack', '--pack-destination', folder]
    const { code, output } = await run('npx', pack, { cwd: join(top, part) })
    const file = /[\w.-]+\.tgz/.exec(output)?.[0]
    if (code !== 0 || file === undefined) {
      phase.failed()
      throw new Failure('The package could not be made; the reason stands above.', output)
    }
    files.push(file)
  }
  phase.done()
  screen.line(`${files[0]} is made: npm install --global ./${files[0]}`)
  screen.line(
    `${files[1]} is made, the rules alone, and ${files[2]}, the client: npm install <path of it>, in a project of yours`,
  )
}
