import { batch, type Signal } from '@preact/signals'
import { strings } from '../words/strings.ts'
import {
  BY_RANK,
  blockedBy,
  filter,
  filterIds,
  isByPlan,
  mark,
  paid,
  paidIds,
  parseSorting,
  planFilter,
  query,
  sorting,
  sortingText,
} from './account-filters.ts'
import {
  changeKind,
  changeKindIds,
  changesAbout,
  chosenProvider,
  chosenUpstream,
  HORIZONS,
  horizon,
  kiosk,
  parseKiosk,
  parseProvider,
  parseUpstream,
  parseZoom,
  preferredTheme,
  privacy,
  STATS_DEFAULTS,
  type StatsControls,
  statsControls,
  theme,
  themes,
  zoom,
  zoomText,
} from './display-state.ts'
import {
  type FilterName,
  filterNames,
  filterTexts,
  isDimension,
  parseFilter,
  parseTime,
  question,
  setFilter,
} from './usage-question.ts'

/** A choice on the page that is part of the address. */
interface Parameter {
  /** Name in the address. Never changes, because saved links contain it. */
  readonly name: string
  /** The view that has the parameter; absent for every view. */
  readonly view?: string | undefined
  /** Whether this browser stores the choice, so that an address without the parameter does not change it. */
  readonly isKept: boolean
  /** Current text in the address, several if it is repeated; null for the default, which is left out. */
  readonly text: () => string | readonly string[] | null
  /** Applies a text of the address, or the default for null; false if the text is invalid. `all` has each text of a repeated parameter. */
  readonly take: (text: string | null, all: readonly string[]) => boolean
}

interface HeldChoice<Value> {
  readonly name: string
  readonly view?: string
  readonly isKept?: boolean
  readonly initial: Value
  /** Parses a text; undefined if it is invalid. */
  readonly parse: (text: string) => Value | undefined
  readonly format?: (value: Value) => string
}

interface Choice<Value> extends HeldChoice<Value> {
  readonly get: () => Value
  readonly set: (value: Value) => void
}

function parameter<Value>(choice: Choice<Value>): Parameter {
  const { name, view, isKept = false, initial, get, set, parse, format = String } = choice
  return {
    name,
    view,
    isKept,
    text() {
      const text = format(get())
      return text === format(initial) ? null : text
    },
    take(text) {
      const value = text === null ? initial : parse(text)
      if (value === undefined) return false
      if (format(value) !== format(get())) set(value)
      return true
    },
  }
}

/** Creates the parameter of a choice that is the value of a signal. */
const held = <Value>(state: Signal<Value>, choice: HeldChoice<Value>): Parameter =>
  parameter({
    ...choice,
    get: () => state.value,
    set: (value) => {
      state.value = value
    },
  })

const oneOf =
  <Value extends string>(values: readonly Value[]) =>
  (text: string) =>
    values.find((value) => value === text)

const isOn = (text: string) => (text === '1' ? true : undefined)
const isOnOrOff = (text: string) => (text === '0' ? false : isOn(text))
const orEmpty = (text: string | null) => text ?? ''

/** Creates the parameter of a chart control. */
function control<Name extends keyof StatsControls>(
  name: Name,
  parse: (text: string) => StatsControls[Name] | undefined,
  format?: (value: StatsControls[Name]) => string,
): Parameter {
  return parameter<StatsControls[Name]>({
    name,
    view: 'stats',
    isKept: true,
    initial: STATS_DEFAULTS[name],
    get: () => statsControls.value[name],
    set: (value) => {
      statsControls.value = { ...statsControls.value, [name]: value }
    },
    parse,
    ...(format === undefined ? {} : { format }),
  })
}

/** Parses the number of lines of a chart, 1 to 20; undefined for anything else. */
export function parseTop(text: string): number | undefined {
  return /^(?:[1-9]|1\d|20)$/.test(text) ? Number(text) : undefined
}

/** Parses a group of usage, or two different dimensions; undefined for anything else. */
function parseGroup(text: string): string | undefined {
  const [first, second, ...others] = text.split(',')
  const isPair = second !== undefined && [first ?? '', second].every(isDimension)
  if (isPair && first !== second && others.length === 0) return text
  return oneOf(Object.keys(strings.groups))(text)
}

const filterParameter = (name: FilterName): Parameter => ({
  name,
  view: 'stats',
  isKept: false,
  text: () => {
    const { [name]: values } = question.value.filter
    return values === undefined ? null : filterTexts(values)
  },
  take(_, all) {
    const values = parseFilter(name, all)
    if (values === undefined) return false
    if (values.join('\n') !== (question.peek().filter[name] ?? []).join('\n'))
      setFilter(name, values)
    return true
  },
})

const timeParameter = (name: 'from' | 'to'): Parameter =>
  parameter<string>({
    name,
    view: 'stats',
    initial: '',
    // An end without a start is none.
    get: () => (question.value.from === '' ? '' : question.value[name]),
    set: (value) => {
      question.value = { ...question.value, [name]: value }
    },
    parse: parseTime,
  })

/** Every parameter, in the order of the address. */
export const parameters: readonly Parameter[] = [
  held(query, { name: 'q', view: 'accounts', initial: '', parse: String }),
  held(filter, { name: 'f', view: 'accounts', initial: 'all', parse: oneOf(filterIds) }),
  held(planFilter, {
    name: 'plan',
    view: 'accounts',
    initial: null,
    parse: String,
    format: orEmpty,
  }),
  held(mark, { name: 'status', view: 'accounts', initial: null, parse: String, format: orEmpty }),
  held(blockedBy, { name: 'by', view: 'accounts', initial: null, parse: String, format: orEmpty }),
  held(paid, {
    name: 'paid',
    view: 'accounts',
    initial: null,
    parse: oneOf(paidIds),
    format: orEmpty,
  }),
  held(sorting, {
    name: 's',
    view: 'accounts',
    initial: BY_RANK,
    parse: parseSorting,
    format: sortingText,
  }),
  held(isByPlan, {
    name: 'group',
    view: 'accounts',
    initial: false,
    parse: (text) => text === 'plan',
    format: (value) => (value ? 'plan' : ''),
  }),
  ...Object.entries(HORIZONS).map(([id, hours]) =>
    parameter<number>({
      name: id,
      view: 'resets',
      initial: hours[0],
      get: () => horizon.value[id] ?? hours[0],
      set: (chosen) => {
        horizon.value = { ...horizon.value, [id]: chosen }
      },
      parse: (text) => hours.find((each) => String(each) === text),
    }),
  ),
  control('range', oneOf(Object.keys(strings.ranges).filter((id) => id !== 'custom'))),
  control('metric', oneOf(Object.keys(strings.metrics))),
  control('group', parseGroup),
  ...filterNames.map(filterParameter),
  timeParameter('from'),
  timeParameter('to'),
  control('top', parseTop),
  control('form', oneOf(['area', 'line'])),
  control('mode', oneOf(['bucket', 'rate'])),
  control('smooth', isOnOrOff, (value) => (value ? '1' : '0')),
  control('compare', isOnOrOff, (value) => (value ? '1' : '0')),
  held(zoom, { name: 'zoom', view: 'stats', initial: null, parse: parseZoom, format: zoomText }),
  held(changeKind, { name: 'kind', view: 'health', initial: 'all', parse: oneOf(changeKindIds) }),
  held(changesAbout, { name: 'about', view: 'health', initial: '', parse: String }),
  held(chosenUpstream, { name: 'upstream', isKept: true, initial: '', parse: parseUpstream }),
  held(chosenProvider, { name: 'provider', isKept: true, initial: '', parse: parseProvider }),
  held(theme, { name: 'theme', isKept: true, initial: preferredTheme(), parse: oneOf(themes) }),
  held(privacy, {
    name: 'privacy',
    isKept: true,
    initial: false,
    // An address can hide names, but never reveal them.
    parse: isOn,
    format: (value) => (value ? '1' : ''),
  }),
  held(kiosk, { name: 'kiosk', initial: '', parse: parseKiosk }),
]

const isOfView = ({ view }: Parameter, shown: string) => view === undefined || view === shown

/** Query of this view's address, with its question mark; empty if all parameters have their defaults. */
export function addressQuery(view: string): string {
  const query = new URLSearchParams()
  for (const each of parameters) {
    const text = isOfView(each, view) ? each.text() : null
    for (const one of [text ?? []].flat()) query.append(each.name, one)
  }
  const text = query.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')
  return text === '' ? '' : `?${text}`
}

/**
 * Applies an address of this view. Missing parameters are reset to their defaults. Stored ones are unchanged, except that those of the view are also
 * reset if the address contains any parameter of the view: it then describes the whole view.
 */
export function takeQuery(view: string, text: string): void {
  const query = new URLSearchParams(text)
  const ofView = parameters.filter((each) => isOfView(each, view))
  const isWholeView = ofView.some((each) => each.view !== undefined && query.has(each.name))
  batch(() => {
    for (const each of ofView) {
      if (query.has(each.name) && each.take(query.get(each.name), query.getAll(each.name))) continue
      if (!each.isKept || (each.view !== undefined && isWholeView)) each.take(null, [])
    }
  })
}
