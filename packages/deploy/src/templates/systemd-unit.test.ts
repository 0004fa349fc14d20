import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { anInstallation } from '../testing/an-installation.ts'
import { machineTool } from '../testing/machine-tool.ts'
import { ALL_ODD_NAMES, folderNamed, ODD_NAMES, wordsOf } from '../testing/odd-names.ts'
import { backupService } from './backup.ts'
import { systemdUnit, unitRefusal } from './systemd-unit.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-unit-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the units', () => {
  it.for([...ODD_NAMES, ALL_ODD_NAMES])(
    'of paths with %j are taken by systemd in silence',
    (name, context) => {
      const { outside, own, node } = folderNamed(name, folder)
      const paths = [
        'state-db',
        'auth-dir',
        'benchmark-summary',
        'client-labels-file',
        'management-key-file',
      ]
      const installation = anInstallation({
        flags: Object.fromEntries(paths.map((flag) => [flag, join(own, flag)])),
        nodePath: node,
        programPath: join(own, 'main.js'),
      })
      expect(unitRefusal(installation)).toBeNull()
      for (const [file, text] of [
        ['unit.service', systemdUnit(installation)],
        ['backup.service', backupService(installation)],
      ] as const) {
        writeFileSync(join(outside, file), text)
        expect(machineTool(context, 'systemd-analyze', ['verify', `./${file}`], outside)).toEqual({
          status: 0,
          output: '',
        })
      }

      const unit = readFileSync(join(outside, 'unit.service'), 'utf8')
      const wordsAt = (start: string) =>
        wordsOf(
          unit
            .split('\n')
            .find((line) => line.includes(start))
            ?.replace(/^\w+=/, '') ?? '',
        )
      expect(wordsAt('STATE_DB=')).toEqual([`SVC_QUOTA_MONITOR_STATE_DB=${join(own, 'state-db')}`])
      expect(wordsAt('ReadWritePaths=')).toEqual([own])
      expect(unit).toContain(
        `\nLoadCredential=client-labels:${join(own, 'client-labels-file').replaceAll('%', '%%')}\n`,
      )
      // The hint is a command for a shell.
      const hint = /chown -R svc-quota-monitor (.*)$/m.exec(unit)?.[1] ?? ''
      expect(
        spawnSync('/bin/sh', ['-c', `printf '%s|' ${hint}`], { encoding: 'utf8' }).stdout,
      ).toBe(`${own}|`)
    },
  )

  it('are not made for a program that systemd would not start', () => {
    expect(unitRefusal(anInstallation({ nodePath: "/opt/o'brien/node" }))).toContain(
      'has a quote or a backslash in its name, and systemd starts no such program: rename it',
    )
  })

  it.each([
    {
      what: 'a line break',
      authDir: '/srv/a\nExecStartPre=/bin/false',
      why: 'has a line break or another control character in its name',
    },
    { what: 'a backslash at its end', authDir: '/srv/a\\', why: 'ends in a blank or a backslash' },
    { what: 'a blank at its end', authDir: '/srv/a ', why: 'ends in a blank or a backslash' },
  ])('are not made of a path with $what, and it says why', ({ authDir, why }) => {
    expect(unitRefusal(anInstallation({ flags: { 'auth-dir': authDir } }))).toBe(
      `${JSON.stringify(authDir)} ${why}, which systemd does not take: rename it`,
    )
  })
})
