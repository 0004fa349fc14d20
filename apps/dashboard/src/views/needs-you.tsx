import { ToneIcon } from '../parts/icon.tsx'
import { shown } from '../parts/name.tsx'
import { health } from '../state/live-data.ts'
import { viewHref } from '../state/route.ts'
import { strings } from '../words/strings.ts'

const ROWS = 3
/** Rows that only a tall screen has room for. */
const MORE_ROWS = 5

/** What is wrong that an operator can mend. */
export function NeedsYou() {
  const actions = health.value?.actions ?? []
  return (
    <section aria-labelledby="title-need">
      <header>
        <h2 id="title-need">{strings.needsYou}</h2>
        <a href={viewHref('health')}>{strings.healthLink}</a>
      </header>
      {actions.length === 0 ? (
        <p class="empty">{strings.nothingToDo}</p>
      ) : (
        <ul class="needs">
          {actions.slice(0, ROWS + MORE_ROWS).map((action, index) => (
            <li key={action.id} class={index >= ROWS ? 'more' : undefined}>
              <ToneIcon tone={action.tone} />
              <div>
                <b>{shown(action.title)}</b>
                <p>{shown(action.summary)}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
