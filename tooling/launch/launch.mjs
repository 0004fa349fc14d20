import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stopChildren } from './child.mjs'
import { commands } from './commands.mjs'
import { Failure } from './failure.mjs'
import { installPackages } from './packages.mjs'
import { createScreen } from './screen.mjs'
import { provideSqlite } from './sqlite.mjs'
import { top } from './top.mjs'
import { build } from './turbo.mjs'

/** What a shell gives for a process that one of these signals ended. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }
const signals = /** @type {readonly (keyof typeof EXIT_CODES)[]} */ (Object.keys(EXIT_CODES))

const [name = '', ...args] = process.argv.slice(2)
const screen = createScreen(process.stdout)
const command = Object.hasOwn(commands, name) ? commands[name] : undefined

/** @param {NodeJS.Signals} signal */
function interrupted(signal) {
  stopChildren('SIGTERM')
  if (process.stdout.isTTY) console.log()
  process.exit(EXIT_CODES[/** @type {keyof typeof EXIT_CODES} */ (signal)])
}

try {
  if (command === undefined)
    throw new Failure(`${name} is not a command; these are: ${Object.keys(commands).join(', ')}.`)
  if (command.program === undefined && args.length > 0)
    throw new Failure(`npm run ${name} takes no arguments.`)
  for (const signal of signals) process.on(signal, interrupted)
  await installPackages(screen)
  await Promise.all([
    command.builds !== null && build(screen, command.builds),
    command.sqlite === true && provideSqlite(screen),
  ])
  if (command.work !== undefined && !(await command.work(screen))) process.exitCode = 1
  for (const signal of signals) process.off(signal, interrupted)
  if (command.program !== undefined) await become(command.program)
} catch (error) {
  if (!(error instanceof Failure)) throw error
  stopChildren('SIGTERM')
  process.stderr.write(
    `${error.output === '' ? '' : `${error.output.trimEnd()}\n\n`}${error.message}\n`,
  )
  process.exit(1)
}

/**
 * Goes on as another program in this process, which then gets signals and gives the exit code itself.
 * @param {readonly string[]} program
 */
async function become([path = '', ...own]) {
  const file = join(top, path)
  process.argv = [process.execPath, file, ...own, ...args]
  await import(pathToFileURL(file).href)
}
