import { countText } from '@svc/views/format'
import { Button } from '../parts/button.tsx'
import { Command } from '../parts/copy.tsx'
import { ToneIcon } from '../parts/icon.tsx'
import { Coded } from '../parts/text.tsx'
import { health } from '../state/live-data.ts'
import { goTo } from '../state/route.ts'
import { healthWords as words } from '../words/health-words.ts'

/** Ways to be notified of trouble, with the commands for each. */
const WAYS = [
  { id: 'messages', commands: ['notify --test'] },
  { id: 'tab', commands: [] },
  { id: 'wall', commands: [] },
  { id: 'alerts', commands: ['init prometheus', 'init rules', 'init alertmanager'] },
  { id: 'scripts', commands: ['doctor'] },
] as const

/** The targets of messages, and the ways to be notified of trouble with instructions for each. */
export function NotifierList() {
  return (
    <section class="told" aria-labelledby="title-told">
      <h2 id="title-told">{words.told}</h2>
      <Targets />
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

/** Targets of messages and their delivery state. Renders nothing without targets. */
function Targets() {
  const { messages = [] } = health.value ?? {}
  if (messages.length === 0) return null
  return (
    <table class="sources targets">
      <caption>{words.messages}</caption>
      <tbody>
        {messages.map(({ name, kind, sentCount, tone, text }) => (
          <tr key={name}>
            <th scope="row">
              <ToneIcon tone={tone} />
              {name} <span class="dim">{kind}</span>
            </th>
            <td>{words.sent(countText(sentCount))}</td>
            <td>{text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function ShowWall() {
  return <Button onClick={() => goTo('#overview?kiosk=rotate')}>{words.showWall}</Button>
}
