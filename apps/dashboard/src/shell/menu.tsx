import { setter } from '../parts/button.tsx'
import { Popup, PopupItem } from '../parts/popup.tsx'
import { RadioChoice } from '../parts/radio-choice.tsx'
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
      <PopupItem run={setter(openSheet, 'palette')}>
        {strings.palette} <kbd>Ctrl K</kbd>
      </PopupItem>
      <PopupItem run={setter(shortcutsOpen, true)}>
        {strings.shortcuts} <kbd>?</kbd>
      </PopupItem>
      <PopupItem run={setter(openSheet, 'glossary')}>{strings.glossary}</PopupItem>
      <PopupItem run={setter(openSheet, 'routing')}>{strings.routing}</PopupItem>
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
    <RadioChoice
      label={strings.theme}
      name="theme"
      choices={themes.map((id) => [id, strings.themes[id]])}
      chosen={theme.value}
      onChoose={(id) => {
        theme.value = id
      }}
    />
  )
}
