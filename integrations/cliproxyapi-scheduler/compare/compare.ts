import {
  byPlugin,
  fillFirst,
  fillFirstWithAffinity,
  roundRobin,
  type Strategy,
} from './strategies.ts'
import { type Outcome, runWorld } from './world.ts'
import { worlds } from './worlds.ts'

/** Least share of what round-robin serves that the ranking has to serve in worlds of hours. */
const SERVED_SHARE_MIN = 0.995

interface Comparison {
  readonly seedCount: number
  /** Part of the names of the worlds to run; empty for all. */
  readonly named: string
  readonly print: (line: string) => void
}

/** Runs worlds with every strategy and prints a table; the exit code is 1 if the ranking serves too little. */
export async function compare(
  driver: string,
  { seedCount, named, print }: Comparison,
): Promise<number> {
  const strategies: Readonly<Record<string, () => Strategy>> = {
    'round-robin': roundRobin,
    'fill-first': fillFirst,
    'fill-first with affinity': fillFirstWithAffinity,
    'this plugin': () => byPlugin(driver),
  }
  let exitCode = 0
  print(
    '| world | strategy | served | turned away | 429s | moves | lost of 5h | lost of the week |',
  )
  print('| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |')
  for (const world of worlds.filter(({ name }) => name.includes(named))) {
    const servedBy: Record<string, number> = {}
    for (const [name, create] of Object.entries(strategies)) {
      const outcomes: Outcome[] = []
      for (let seed = 1; seed <= seedCount; seed += 1) {
        const strategy = create()
        outcomes.push(await runWorld(world, seed, strategy))
        strategy.end()
      }
      const mean = (member: keyof Outcome) =>
        outcomes.reduce((sum, outcome) => sum + outcome[member], 0) / seedCount
      servedBy[name] = mean('served')
      const whole = (['served', 'unserved', 'refused', 'moved'] as const).map((member) =>
        mean(member).toFixed(0),
      )
      const units = (['lostFiveHour', 'lostWeek'] as const).map((member) => mean(member).toFixed(1))
      print(`| ${[world.name, name, ...whole, ...units].join(' | ')} |`)
    }
    const share = (servedBy['this plugin'] ?? 0) / (servedBy['round-robin'] ?? 1)
    if (world.ofHours && share < SERVED_SHARE_MIN) {
      print(
        `${world.name}: the plugin served ${(100 * share).toFixed(2)} % of what round-robin did`,
      )
      exitCode = 1
    }
  }
  return exitCode
}
