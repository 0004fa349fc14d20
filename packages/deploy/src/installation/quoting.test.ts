import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { machineTool } from '../testing/machine-tool.ts'
import { ALL_ODD_NAMES, folderNamed, ODD_NAMES } from '../testing/odd-names.ts'
import { shellWord, unitCommand, unitLine } from './quoting.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-quoting-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a word of a shell command', () => {
  it.each([...ODD_NAMES, ALL_ODD_NAMES, 'a\nb', ''])('is %j for the shell too', (name) => {
    expect(
      spawnSync('/bin/sh', ['-c', `printf %s ${shellWord(name)}`], { encoding: 'utf8' }).stdout,
    ).toBe(name)
  })
})

describe('a line of a unit', () => {
  it.for([...ODD_NAMES, ALL_ODD_NAMES])(
    'with %j in a path is read by systemd as it was meant',
    (name, context) => {
      const { outside, own, node } = folderNamed(name, folder)
      const missing = `${node}-missing`
      writeFileSync(
        join(outside, 'q.service'),
        `[Unit]\nConditionPathExists=${unitLine(own)}\n[Service]\nType=oneshot\nExecStart=${unitCommand([missing, name])}\n`,
      )
      const analyzed = (...args: readonly string[]) =>
        machineTool(context, 'systemd-analyze', args, outside).output

      expect(analyzed('condition', '--unit=q.service')).toContain(
        `ConditionPathExists=${own} succeeded`,
      )
      expect(analyzed('verify', './q.service')).toContain(`Command ${missing} is not executable`)
    },
  )
})
