import { spawn } from 'node:child_process'
import { top } from './top.mjs'

/** What a phase starts has a process group of its own, so that nothing of it outlives the launcher. */
const hasGroups = process.platform !== 'win32'
/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set()

/**
 * Runs a command to its end. Its output is kept, not shown. The code is 127 when the command does not exist, null when a signal ended it.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ readonly cwd?: string, readonly env?: Readonly<Record<string, string>>, readonly onMessage?: (message: any) => void }} options
 * @returns {Promise<{ readonly code: number | null, readonly output: string }>}
 */
export function run(command, args, { cwd = top, env = {}, onMessage } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, [...args], {
      cwd,
      env: { ...process.env, ...env },
      detached: hasGroups,
      shell: !hasGroups && !command.endsWith('.exe'),
      stdio:
        onMessage === undefined ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    children.add(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    }
    // The last message may come after the end of the process.
    const heard =
      onMessage === undefined
        ? Promise.resolve()
        : new Promise((done) => void child.on('message', onMessage).once('disconnect', done))
    const end = (/** @type {number | null} */ code) => {
      children.delete(child)
      resolve({ code, output })
    }
    child.once('error', (error) => {
      output += `${error.message}\n`
      end(127)
    })
    child.once('close', (code) => void heard.then(() => end(code)))
  })
}

/**
 * Ends every command that still runs, with all it has started.
 * @param {NodeJS.Signals} signal
 */
export function stopChildren(signal) {
  for (const { pid } of children) {
    if (pid === undefined) continue
    try {
      process.kill(hasGroups ? -pid : pid, signal)
    } catch {
      // It has just ended.
    }
  }
}
