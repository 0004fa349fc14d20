import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { freePort, program } from '../../tooling/service/built-program.ts'
import { runNode } from '../../tooling/service/node-process.ts'
import { type ServiceProcess, startService } from '../../tooling/service/start-service.ts'

/** In names that a shell, JSON and tmux could misread. */
const folder = mkdtempSync(join(tmpdir(), `svc $HOME "a" o'b #S 100%H \`id\` `))
/** Sockets have short names. */
const sockets = mkdtempSync(join(tmpdir(), 'svc-tmux-'))
const LINE = /^(?:quota )?Codex 5h [\d.]+ of 41 Plus · .*\b(?:ok|warn) · /
const LOST = 'monitor not reachable · bad'

let demo: ServiceProcess
/** The document for a service that runs, and for one that does not. */
let text: string
let lostText: string

beforeAll(async () => {
  cpSync(dirname(program), folder, { recursive: true })
  const documentFor = async (port: string) => {
    const flags = ['init', 'widgets', '--config', 'off', '--port', port]
    return (await runNode([join(folder, 'main.js'), ...flags])).stdout
  }
  demo = await startService({
    where: 'program',
    args: ['--demo', '--port', String(await freePort())],
  })
  text = await documentFor(new URL(demo.url).port)
  lostText = await documentFor(String(await freePort()))
})
afterAll(async () => {
  await demo.stop()
  for (const made of [folder, sockets]) rmSync(made, { recursive: true, force: true })
})

/** The code below the heading of a widget, in one of its languages. */
function code(document: string, heading: string, language: string): string {
  const [, section = ''] = document.split(`\n## ${heading}\n`)
  return new RegExp(`\`\`\`${language}\n(.*?\n)\`\`\``, 's').exec(section)?.[1] ?? ''
}

/** What a bar reads of a command, which must not fail. */
function printed(command: string, args: readonly string[] = [], input = ''): string {
  const { status, stdout } = spawnSync(command, args, {
    encoding: 'utf8',
    input,
    shell: args.length === 0,
  })
  expect(status).toBe(0)
  return stdout
}

describe('what init prints for bars, run as it is', () => {
  it('is what Waybar reads', () => {
    const read = (document: string) => {
      const { 'custom/quota': module } = JSON.parse(code(document, 'Waybar', 'json'))
      expect(module['return-type']).toBe('json')
      return JSON.parse(printed(module.exec))
    }

    expect(read(text)).toEqual({
      text: expect.stringMatching(LINE),
      alt: expect.stringMatching(/^(?:go|go_short|hurry)$/),
      tooltip: expect.stringContaining('14 routable · 10 blocked'),
      class: expect.stringMatching(/^(?:good|warn)$/),
      percentage: expect.any(Number),
    })
    expect(read(lostText)).toEqual({
      text: LOST,
      alt: 'unreachable',
      tooltip: expect.stringMatching(/^nothing answers at http:/),
      class: 'bad',
    })
    for (const tone of ['good', 'warn', 'bad', 'unknown'])
      expect(code(text, 'Waybar', 'css')).toContain(`#custom-quota.${tone} {`)
  })

  it('is a plugin of xbar', () => {
    const read = (document: string) => {
      const plugin = join(folder, 'quota.30s.sh')
      writeFileSync(plugin, code(document, 'xbar and SwiftBar', 'sh'))
      chmodSync(plugin, 0o755)
      const [title = '', menu = ''] = printed(plugin, ['now']).split('\n---\n')
      return { title, menu }
    }

    const { title, menu } = read(text)
    expect(title).toMatch(LINE)
    expect(title).toMatch(/ ago \| color=#[\da-f]{6}$/)
    expect(menu).toContain(`| href=${demo.url}\n`)
    expect(read(lostText).title).toMatch(new RegExp(`^${LOST} \\| color=#`))
  })

  it('is the status line of Claude Code, whatever that writes to it', () => {
    const read = (document: string) => {
      const { statusLine } = JSON.parse(code(document, 'Claude Code', 'json'))
      expect(statusLine.type).toBe('command')
      const session = JSON.stringify({ model: { display_name: 'x'.repeat(200_000) } })
      const shown = printed(statusLine.command, [], session)
      expect(shown).not.toBe(stripVTControlCharacters(shown))
      return stripVTControlCharacters(shown).trim()
    }

    expect(read(text)).toMatch(LINE)
    expect(read(lostText)).toBe(`quota ${LOST}`)
  })

  it('is the right of the status line of tmux', async (context) => {
    if (spawnSync('tmux', ['-V']).error !== undefined && process.env.CI === undefined)
      return context.skip('skipped, because tmux is not installed')
    // Only an attached client has its status line drawn, here one in a window of a second server.
    const tmux = (socket: string, ...args: readonly string[]) =>
      spawnSync('tmux', ['-S', join(sockets, socket), ...args], {
        encoding: 'utf8',
        env: { ...process.env, LC_ALL: 'C.UTF-8' },
      }).stdout
    const shownBy = async (name: string, document: string, expected: RegExp) => {
      // A server that is going refuses whoever comes meanwhile.
      const [inner, outer] = [`${name}-inner`, `${name}-outer`]
      const settings = join(sockets, 'tmux.conf')
      writeFileSync(settings, `set -g status-right ''\n${code(document, 'tmux', 'tmux')}`)
      const inside = `env -u TMUX tmux -S ${join(sockets, inner)} -f ${settings} new-session 'sleep 600'`
      tmux(outer, '-f', '/dev/null', 'new-session', '-d', '-x', '200', '-y', '5', inside)
      try {
        let screen = ''
        await eventually('tmux has run the command', () => {
          screen = tmux(outer, 'capture-pane', '-p', '-e')
          return expected.test(screen)
        })
        return screen
      } finally {
        for (const socket of [inner, outer]) tmux(socket, 'kill-server')
      }
    }

    // 31 is red.
    expect(await shownBy('shown', text, /5h [\d.]+ of 41 Plus · .* ago/)).toMatch(
      /\[3[23]mCodex 5h /,
    )
    expect(await shownBy('lost', lostText, new RegExp(LOST))).toContain(`[31m${LOST}`)
  })
})
