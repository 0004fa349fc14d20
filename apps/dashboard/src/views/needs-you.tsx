import { ToneIcon } from '../parts/icon.tsx'
import { shown } from '../parts/name.tsx'
import { hrefOfAccounts } from '../state/account-links.ts'
import { health } from '../state/live-data.ts'
import { viewHref } from '../state/route.ts'
import { strings } from '../words/strings.ts'

const ROWS = 3
/** Rows that only a tall screen has room for. */
const MORE_ROWS = 5

type Action = NonNullable<typeof health.value>['actions'][number]

/** What is wrong that an operator can mend. `isBrief` shows the worst alone, for a screen that has room for no more. */
export function NeedsYou({ isBrief = false }: { readonly isBrief?: boolean }) {
  const actions = health.value?.actions ?? []
  const [rows, moreRows] = isBrief ? [1, 0] : [ROWS, MORE_ROWS]
  return (
    <section class="need" aria-labelledby="title-need">
      <header>
        <h2 id="title-need">{strings.needsYou}</h2>
        <a href={viewHref('health')}>{strings.healthLink}</a>
      </header>
      {actions.length === 0 ? (
        <p class="empty">{strings.nothingToDo}</p>
      ) : (
        <ul class="needs">
          {actions.slice(0, rows + moreRows).map((action, index) => (
            <Row key={action.id} action={action} isMore={index >= rows} />
          ))}
          <Rest count={actions.length - rows} isHiddenIfTall={moreRows > 0} />
          {moreRows > 0 && <Rest count={actions.length - rows - moreRows} isMore />}
        </ul>
      )}
    </section>
  )
}

function Row({ action, isMore }: { readonly action: Action; readonly isMore: boolean }) {
  const { title, summary, note, tone, accountKeys } = action
  return (
    <li class={isMore ? 'more' : undefined}>
      <ToneIcon tone={tone} />
      <div>
        <a class="what" href={hrefOfAccounts(accountKeys) ?? viewHref('health')}>
          {shown(title)}
        </a>
        <p>{shown(summary)}</p>
        {note !== undefined && (
          <p class="do">
            <b>{strings.doLabel}</b>
            {strings.gap}
            {shown(note)}
          </p>
        )}
      </div>
    </li>
  )
}

interface RestProps {
  readonly count: number
  readonly isMore?: boolean
  readonly isHiddenIfTall?: boolean
}

/** How many are not listed, and where they are. */
function Rest({ count, isMore = false, isHiddenIfTall = false }: RestProps) {
  if (count <= 0) return null
  return (
    <li class={isMore ? 'more' : isHiddenIfTall ? 'less' : undefined}>
      <a class="rest" href={viewHref('health')}>
        {strings.rest(count)}
      </a>
    </li>
  )
}
