import { spawnSync } from 'node:child_process'
import { ownPricesIn } from '@svc/config'
import { expect, it } from 'vitest'
import { anInstallation } from '../testing/an-installation.ts'
import { pricesToml } from './prices.ts'

it('is a file of own prices, without its signs of comments too', () => {
  const text = pricesToml(anInstallation())
  expect(ownPricesIn(text)).toMatchObject({ own: { rates: [], multipliers: [] } })
  expect(ownPricesIn(text.replaceAll(/^#(?=[[a-z])/gm, ''))).toMatchObject({
    own: { rates: [{ model: 'my-model' }], multipliers: [{ times: 3_000 }] },
    subscriptions: [{ usd: 20 }],
  })
})

it('fetches to the place of price_file, by a line that a shell and cron understand', () => {
  const file = "/srv/100% o'clock/prices.json"
  const lines = pricesToml(anInstallation({ flags: { 'price-file': file } }))
    .split('\n')
    .filter((line) => line.includes(' root curl '))
  expect(lines).toHaveLength(2)
  for (const line of lines) {
    expect(line).not.toMatch(/(?<!\\)%/)
    const command = line.replace(/^.* root /, '').replaceAll('\\%', '%')
    const script = `curl() { printf '%s|' "$5"; }; mv() { printf '%s|' "$@"; }; ${command}`
    const { stdout } = spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8' })
    expect(stdout).toBe(`${file}.new|${file}.new|${file}|`)
  }
})
