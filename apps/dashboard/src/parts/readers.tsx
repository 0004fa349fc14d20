import { calmMs, health } from '../state/live-data.ts'
import { healthWords as words } from '../words/health-words.ts'
import { countingDurationText } from '../words/times.ts'
import { ToneIcon } from './icon.tsx'
import './readers.css'

/** Programs that read the ranking continuously, with the age of their last request. Renders nothing if there are none. */
export function Readers() {
  const { readers = [] } = health.value ?? {}
  if (readers.length === 0) return null
  return (
    <table class="sources readers">
      <caption>{words.readers}</caption>
      <tbody>
        {readers.map(({ title, tone, text, askedAt }) => (
          <tr key={title}>
            <th scope="row">
              <ToneIcon tone={tone} />
              {title}
            </th>
            <td>
              <p>{text}</p>
              <p class="dim small">
                {words.askedAgo(countingDurationText((calmMs.value - Date.parse(askedAt)) / 1000))}
              </p>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
