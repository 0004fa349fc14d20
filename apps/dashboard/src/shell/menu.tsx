import type { ComponentChildren } from 'preact'
import { Icon } from '../parts/icon.tsx'
import { theme, themes } from '../state/display-state.ts'
import { refresh } from '../state/refresh.ts'
import { strings } from '../words/strings.ts'
import { openSheet } from './lazy-sheets.tsx'
import { shortcutsOpen } from './shortcuts.tsx'

/** Version of the program that served the page. */
const version = document.querySelector<HTMLMetaElement>('meta[name="version"]')?.content ?? ''

/** Menu of rarely used functions: the theme, the diagnostic probe, and help on the page. */
export function Menu() {
  return (
    <details
      class="menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !event.currentTarget.open) return
        event.currentTarget.open = false
        event.currentTarget.querySelector('summary')?.focus()
      }}
    >
      <summary class="button square" aria-label={strings.menu} title={strings.menu}>
        <Icon name="more" />
      </summary>
      <div class="popup">
        <ThemeChoice />
        <MenuItem run={() => void refresh('disabled-diagnostics')}>
          {strings.probe}
          <small>{strings.probeNote}</small>
        </MenuItem>
        <MenuItem
          run={() => {
            openSheet.value = 'palette'
          }}
        >
          {strings.palette} <kbd>Ctrl K</kbd>
        </MenuItem>
        <MenuItem
          run={() => {
            shortcutsOpen.value = true
          }}
        >
          {strings.shortcuts} <kbd>?</kbd>
        </MenuItem>
        <MenuItem
          run={() => {
            openSheet.value = 'glossary'
          }}
        >
          {strings.glossary}
        </MenuItem>
        <a href="/api/v1/openapi.json">{strings.contract}</a>
        <p>{strings.version(version)}</p>
      </div>
    </details>
  )
}

function ThemeChoice() {
  return (
    <fieldset class="choice">
      <legend class="sr">{strings.theme}</legend>
      {themes.map((id) => (
        <label key={id}>
          <input
            type="radio"
            name="theme"
            checked={theme.value === id}
            onChange={() => {
              theme.value = id
            }}
          />
          <span>{strings.themes[id]}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** Closes the menu and runs the action. */
function MenuItem({
  run,
  children,
}: {
  readonly run: () => void
  readonly children: ComponentChildren
}) {
  return (
    <button
      type="button"
      onClick={(event) => {
        event.currentTarget.closest('details')?.removeAttribute('open')
        run()
      }}
    >
      {children}
    </button>
  )
}
