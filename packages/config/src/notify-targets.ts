import { type NotifyTarget, notifyKinds, notifyTopics } from '@svc/core/notify'
import * as v from 'valibot'
import type { ConfigProblem, ConfigSource } from './config-input.ts'
import { propertyOf, type Setting } from './setting.ts'
import { choice, path, type SettingKind, trueOrFalse } from './setting-kinds.ts'
import { type GivenTable, readTables } from './tables.ts'

type NotifyKey = 'kind' | 'url_file' | 'on' | 'min_tone' | 'names' | 'quiet' | 'quiet_bad'

/** One key of a `[[notify]]` table. */
export interface NotifySetting extends Pick<Setting, 'kind' | 'fallback' | 'help'> {
  readonly key: NotifyKey
  /** Text for the default; null if the key must be given. */
  readonly fallbackText: string | null
  /** Value in the example of `init config`. */
  readonly example: string | boolean | readonly string[]
}

/** Matches text that begins like a URL, like the host of a URL, or like a token with its number (`123:…`). A Windows path does not match. */
const LIKE_AN_ADDRESS = /^(?:\w{2,}:|\/\/|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\/)/i

const addressFile: SettingKind<string> = {
  ...path,
  allowed: 'a path',
  refusal: (raw) =>
    typeof raw === 'string' && LIKE_AN_ADDRESS.test(raw)
      ? {
          why: 'an address may not stand in a file of settings; put it into a file and name that file here',
          isSecret: true,
        }
      : (path.refusal?.(raw) ?? null),
}

const topics: SettingKind<NotifyTarget['on']> = {
  allowed: `a list of some of ${notifyTopics.join(', ')}`,
  schema: v.pipe(
    v.array(v.picklist(notifyTopics)),
    v.minLength(1),
    v.transform((given) => notifyTopics.filter((topic) => given.includes(topic))),
  ),
}

const TIME_OF_DAY = '([01]\\d|2[0-3]):([0-5]\\d)'
const TIMES_OF_DAY = new RegExp(`^${TIME_OF_DAY}-${TIME_OF_DAY}$`)

/** A quiet period between two different times of day. */
const quietHours: SettingKind<NotifyTarget['quiet']> = {
  allowed: 'two times of day as in 22:00-07:00',
  schema: v.pipe(
    v.string(),
    v.regex(TIMES_OF_DAY),
    v.transform((given) => {
      const [, fromHour, fromMinute, toHour, toMinute] = TIMES_OF_DAY.exec(given) ?? []
      return {
        from: Number(fromHour) * 60 + Number(fromMinute),
        to: Number(toHour) * 60 + Number(toMinute),
      }
    }),
    v.check(({ from, to }) => from !== to),
  ),
}

function row(
  key: NotifyKey,
  kind: Setting['kind'],
  example: NotifySetting['example'],
  help: string,
  fallback?: NotifySetting['example'],
): NotifySetting {
  const fallbackText = fallback === undefined ? null : [fallback].flat().join(', ')
  return { key, kind, fallback: fallback ?? null, fallbackText, example, help }
}

const DEFAULT_TOPICS = ['action', 'recovered', 'runway', 'banked_reset'] as const
const QUIET = 'Hours in display_timezone whose messages wait; they are sent as one at the end.'

/** Keys of a `[[notify]]` table besides its name, in display order. */
export const notifySettings: readonly NotifySetting[] = [
  row('kind', choice(...notifyKinds), 'webhook', 'What the receiver understands.'),
  row('url_file', addressFile, 'notify-phone', 'File that holds its address, a credential.'),
  row('on', topics, DEFAULT_TOPICS, 'What it is told of.', DEFAULT_TOPICS),
  row('min_tone', choice('warn', 'bad'), 'bad', 'Mildest actions that it is told of.', 'bad'),
  row('names', trueOrFalse, false, 'Name accounts by title, which may be an e-mail.', false),
  { ...row('quiet', quietHours, '22:00-07:00', QUIET), fallbackText: 'never' },
  row('quiet_bad', trueOrFalse, false, 'Tell of bad actions in quiet hours too.', false),
]

/** Reads the targets of the `[[notify]]` tables. `sourceByKey` has the source of each value, by `notify.<name>.<key>`. */
export function readTargets(tables: readonly GivenTable[]): {
  readonly targets: readonly NotifyTarget[]
  readonly sourceByKey: ReadonlyMap<string, ConfigSource>
  readonly problems: readonly ConfigProblem[]
} {
  const form = {
    table: 'notify',
    max: 20,
    keys: notifySettings.map(({ key }) => key),
    secret: { key: 'url', what: 'an address', file: 'url_file' },
  } as const
  const { read, problems } = readTables(form, tables, (name, valueAt) => {
    const values = notifySettings.map((one) => [
      propertyOf(one),
      valueAt(one, one.fallbackText === null),
    ])
    // Each property holds the value of the setting that read it.
    return { name, ...Object.fromEntries(values) } as NotifyTarget
  })
  const sources = read.flatMap(({ table, value: { name } }) =>
    notifySettings.map(
      ({ key }) =>
        [`notify.${name}.${key}`, Object.hasOwn(table.values, key) ? 'file' : 'default'] as const,
    ),
  )
  return { targets: read.map(({ value }) => value), sourceByKey: new Map(sources), problems }
}

/** Value of a target's setting for display: the path of its address file, never the content. */
export function valueInTarget(target: NotifyTarget, setting: NotifySetting): unknown {
  const { quiet } = target
  if (setting.key !== 'quiet') return new Map(Object.entries(target)).get(propertyOf(setting))
  return quiet === null ? null : [quiet.from, quiet.to].map(timeText).join('-')
}

function timeText(minutes: number): string {
  const two = (count: number) => String(count).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
