import { Popup, PopupItem } from '../parts/popup.tsx'
import { theme, themes } from '../state/display-state.ts'
import { refresh } from '../state/refresh.ts'
import { strings } from '../words/strings.ts'
import { openSheet } from './lazy-sheets.tsx'
import { shortcutsOpen } from './shortcuts.tsx'

/** Version of the program that served the page. */
const version = document.querySelector<HTMLMetaElement>('meta[name="version"]')?.content ?? ''

/**
 * Menu of rarely used functions: the theme, the diagnostic probe, and help on the page.
 */
export function Menu() {
  return (
    <Popup name={strings.menu} icon="more">
      <ThemeChoice />
      <PopupItem
        run={() => {
          openSheet.value = 'palette'
        }}
      >
        {strings.palette} <kbd>Ctrl K</kbd>
      </PopupItem>
      <PopupItem
        run={() => {
          shortcutsOpen.value = true
        }}
      >
        {strings.shortcuts} <kbd>?</kbd>
      </PopupItem>
      <PopupItem
        run={() => {
          openSheet.value = 'glossary'
        }}
      >
        {strings.glossary}
      </PopupItem>
      <PopupItem
        run={() => {
          openSheet.value = 'routing'
        }}
      >
        {strings.routing}
      </PopupItem>
      <a href="/api/v1/openapi.json">{strings.contract}</a>
      <PopupItem run={() => void refresh('disabled-diagnostics')}>
        {strings.probe}
        <small>{strings.probeNote}</small>
      </PopupItem>
      <p>{strings.version(version)}</p>
    </Popup>
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
