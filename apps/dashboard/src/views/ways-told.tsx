import { Coded } from '../parts/coded.tsx'
import { Command } from '../parts/command.tsx'
import { goTo } from '../state/route.ts'
import { healthWords as words } from '../words/health-words.ts'

/** Ways to be told of trouble, each with the commands it takes. */
const WAYS = [
  { id: 'tab', commands: [] },
  { id: 'wall', commands: [] },
  { id: 'alerts', commands: ['init prometheus', 'init rules', 'init alertmanager'] },
  { id: 'scripts', commands: ['doctor'] },
] as const

/** The ways to be told of trouble, with what to do for each. */
export function WaysTold() {
  return (
    <section class="told" aria-labelledby="title-told">
      <h2 id="title-told">{words.told}</h2>
      <ul>
        {WAYS.map(({ id, commands }) => (
          <li key={id}>
            <h3>{words.ways[id].title}</h3>
            <p>
              <Coded text={words.ways[id].what} />
            </p>
            {id === 'wall' && <ShowWall />}
            {commands.map((command) => (
              <Command key={command} text={`svc-quota-monitor ${command}`} />
            ))}
          </li>
        ))}
      </ul>
    </section>
  )
}

function ShowWall() {
  return (
    <button type="button" class="button" onClick={() => goTo('#overview?kiosk=rotate')}>
      {words.showWall}
    </button>
  )
}
