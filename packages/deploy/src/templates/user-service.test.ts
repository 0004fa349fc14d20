import { describe, expect, it } from 'vitest'
import { anInstallation } from '../testing/an-installation.ts'
import { unitRefusal } from './systemd-unit.ts'
import { launchAgent, userServiceRefusal, userUnit } from './user-service.ts'
import { widgets } from './widgets.ts'

const made = (programPath: string) =>
  anInstallation({ file: '/home/ana/my config/config.toml', toml: '', programPath })

describe('a service of a user', () => {
  it('starts the program with the configuration of the user', () => {
    expect(userUnit(made('/home/ana/lib/main.js'))).toContain(
      "\nExecStart=/usr/bin/node --disable-proto=delete /home/ana/lib/main.js --config '/home/ana/my config/config.toml'\n",
    )
  })

  it('starts the executable alone, which is its own Node', () => {
    const executable = '/home/ana/.local/bin/svc-quota-monitor'
    const its = anInstallation({ nodePath: executable, programPath: executable })

    expect(userUnit(its)).toContain(`\nExecStart=${executable} --config `)
    expect(launchAgent(its)).not.toContain('--disable-proto')
    expect(widgets(its)).toContain(`${executable} line --format`)
    expect(widgets(its)).not.toContain(`${executable} ${executable}`)
    expect(unitRefusal(its)).toContain('sh install.sh --prefix /usr/local')
  })

  it('has words in XML for launchd, whatever their letters', () => {
    const text = launchAgent(made('/Users/<Ana> & Bob/main.js'))
    const words = [...text.matchAll(/^ {4}<string>(.*)<\/string>$/gm)].map(([, word = '']) =>
      word.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
    )

    expect(words).toEqual([
      '/usr/bin/node',
      '--disable-proto=delete',
      '/Users/<Ana> & Bob/main.js',
      '--config',
      '/home/ana/my config/config.toml',
    ])
  })

  it.each([
    ['/home/ana/.npm/_npx/1a/node_modules/svc-quota-monitor/dist/main.js', /npx/],
    ['/home/ana/a\nb/main.js', /control character/],
    ['/home/ana/lib/main.js', null],
  ])('of %j is refused or not', (programPath, says) => {
    const refusal = userServiceRefusal(made(programPath))
    if (says === null) expect(refusal).toBeNull()
    else expect(refusal).toMatch(says)
  })
})
