import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createScreen } from './screen.mjs'
import { reportTests, runTests } from './tests.mjs'

/**
 * Runs the tests at other instants, by the clocks of the tests and, where faketime is installed, by that of the machine as well.
 * `--random` takes one instant, zone and third of the files by chance; `--system` adds the tests of `npm run test:system`.
 */
const { values } = parseArgs({
  options: {
    random: { type: 'boolean', default: false },
    system: { type: 'boolean', default: false },
  },
})

/** Edges of the day, the month and the year, a leap day, and both changes of clocks in Berlin. */
const INSTANTS = [
  ['2026-11-22T00:00:30Z', 'UTC'],
  ['2026-11-22T00:45:00Z', 'America/St_Johns'],
  ['2026-11-22T12:00:00Z', 'Asia/Kathmandu'],
  ['2026-11-22T23:59:30Z', 'UTC'],
  ['2027-03-28T00:59:30Z', 'Europe/Berlin'],
  ['2026-10-25T00:59:30Z', 'Europe/Berlin'],
  ['2026-12-31T23:59:30Z', 'Asia/Kathmandu'],
  ['2028-02-29T12:00:00Z', 'America/St_Johns'],
]
const ZONES = ['UTC', 'Asia/Kathmandu', 'America/St_Johns', 'Europe/Berlin', 'Pacific/Auckland']
const [EARLIEST_S, LATEST_S] = [Date.UTC(2026, 0, 1) / 1000, Date.UTC(2032, 0, 1) / 1000]

function aRandomInstant() {
  const instant = new Date(randomInt(EARLIEST_S, LATEST_S) * 1000).toISOString()
  return [instant, ZONES[randomInt(ZONES.length)] ?? 'UTC']
}

const screen = createScreen(process.stdout)
const hasFaketime = spawnSync('faketime', ['--version']).error === undefined
// Of the rest the time comes from the tests or the demo, or does not matter; at one random instant they would only be run twice.
// Chance picks a third of the files too, so that all have their turn within days.
const projects = values.random
  ? ['native', 'program']
  : [
      'pure',
      'page',
      'page-polls',
      'native',
      'program',
      'browser',
      ...(values.system ? ['system'] : []),
    ]
const files = values.random
  ? ['packages/history', 'tests/program', `--shard=${randomInt(3) + 1}/3`]
  : []
const runs = []
for (const [instant = '', zone = ''] of values.random ? [aRandomInstant()] : INSTANTS) {
  runs.push(
    await runTests(
      screen,
      `Testing at ${instant} in ${zone}`,
      [...projects.flatMap((name) => ['--project', name]), ...files],
      {
        under: hasFaketime
          ? ['faketime', instant.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')]
          : [],
        // What waits must go on waiting in real time.
        env: {
          TEST_INSTANT: instant,
          TZ: zone,
          FAKETIME_DONT_FAKE_MONOTONIC: '1',
          TEST_WORKERS: '3',
        },
      },
    ),
  )
}
if (!hasFaketime)
  screen.line('The clock of the machine was left alone, because faketime is not installed.')
process.exitCode = reportTests(screen, runs) ? 0 : 1
