import { ToneIcon } from '../parts/icon.tsx'
import { Name, shown } from '../parts/name.tsx'
import { health, status } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'

/** What to do, how each source is, what changed. */
export function HealthView() {
  const now = health.value
  if (now === null) return <p class="empty">{strings.waiting}</p>
  return (
    <>
      <div class="columns">
        <section aria-labelledby="title-actions">
          <h2 id="title-actions" class="headline">
            {now.actions.length === 0 ? strings.nothingToDo : now.pill}
          </h2>
          <p class="dim">{shown(now.summary)}</p>
          <ul>
            {now.actions.map((action) => (
              <li key={action.id} class="action">
                <ToneIcon tone={action.tone} />
                <div>
                  <h3>{shown(action.title)}</h3>
                  <p>
                    {shown(
                      [action.summary, action.detail]
                        .filter((part) => part !== undefined)
                        .join(' '),
                    )}
                  </p>
                  {action.note !== undefined && (
                    <p class="do">
                      <b>{strings.doLabel}</b> {shown(action.note)}
                    </p>
                  )}
                </div>
              </li>
            ))}
          </ul>
        </section>
        <section aria-labelledby="title-sources">
          <h2 id="title-sources">{now.sourcesTitle ?? strings.sources}</h2>
          <table class="sources">
            <caption class="sr">{strings.sources}</caption>
            <tbody>
              {now.sources.map((source) => (
                <tr key={source.id}>
                  <th scope="row">
                    <ToneIcon tone={source.code === 'off' ? 'off' : source.tone} />
                    {source.title}
                  </th>
                  <td>{source.badge}</td>
                  <td>
                    <p>{shown(source.summary)}</p>
                    {source.detail !== undefined && <p class="dim small">{shown(source.detail)}</p>}
                    {source.note !== undefined && (
                      <p class="small">
                        <b>{strings.doLabel}</b> {shown(source.note)}
                      </p>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
      <section class="recent" aria-labelledby="title-changes">
        <h2 id="title-changes">{now.recentChangesTitle ?? strings.recentChanges}</h2>
        <Changes />
      </section>
    </>
  )
}

function Changes() {
  const changes = status.value?.tabs.audit.changes ?? health.value?.recentChanges ?? []
  if (changes.length === 0) return <p class="empty">{strings.noChanges}</p>
  return (
    <ul class="changes">
      {changes.map((change) => (
        <li key={change.id}>
          <span class="dim" title={change.at}>
            {change.timeText}
          </span>
          <ToneIcon tone={change.tone} />
          <span>{shown(change.summary)}</span>
          <Name text={change.title} />
        </li>
      ))}
    </ul>
  )
}
