import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { anInstallation } from '../testing/an-installation.ts'
import { widgets } from './widgets.ts'

// tests/system/widgets.test.ts runs the commands of the bars.

/** Answer of the demo at the address that the start pages ask. */
const health: unknown = JSON.parse(
  readFileSync(
    join(import.meta.dirname, '../../../../tests/program/golden/demo-health.json'),
    'utf8',
  ),
)
const URL = 'http://127.0.0.1:4999/api/v1/health'
const text = widgets(anInstallation({ flags: { port: '4999' } }))

/** The YAML below the heading of a widget. */
function settings(heading: string) {
  const [, section = ''] = text.split(`\n## ${heading}\n`)
  return parse(/```yaml\n(.*?\n)```/s.exec(section)?.[1] ?? '', { strict: true, uniqueKeys: true })
}

/** What a page reads at a path; undefined where the demo answers nothing. */
function valueAt(path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key],
      health,
    )
}

/** The path of a field of Homepage, as in `{ capacity: { week: usableUnits } }`. */
function pathOf(field: object | string): string {
  if (typeof field === 'string') return field
  const [[key, rest] = ['', '']] = Object.entries(field)
  return `${key}.${pathOf(rest)}`
}

const FACTS = ['go', 19.17, 15.73, 6]

describe('the demo', () => {
  it('is read by the sensors of Home Assistant', () => {
    const {
      rest: [{ resource, sensor }],
    } = settings('Home Assistant')
    const values = sensor.map(
      ({
        unique_id: id,
        value_template: template,
        ...others
      }: Readonly<Record<string, string>>) => {
        const path = /^\{\{ value_json\.([\w.]+) \}\}$/.exec(template ?? '')?.[1] ?? ''
        const value = valueAt(path)
        // A sensor with a unit must be a number.
        expect(typeof value).toBe('unit_of_measurement' in others ? 'number' : 'string')
        return value
      },
    )

    expect(resource).toBe(URL)
    expect(values).toEqual(FACTS)
  })

  it('is read by the widget of Homepage', () => {
    const [
      {
        Quota: [
          {
            'Quota monitor': { widget },
          },
        ],
      },
    ] = settings('Homepage')
    const values = widget.mappings.map(({ field }: { readonly field: object }) =>
      valueAt(pathOf(field)),
    )

    expect(widget).toMatchObject({ type: 'customapi', url: URL })
    expect(values).toEqual(FACTS)
  })

  it('is read by the widget of Glance', () => {
    const [{ type, url, template }] = settings('Glance')
    const read = [...template.matchAll(/\.JSON\.(\w+) "([\w.]+)"/g)].map(([, kind, path = '']) => {
      const value = valueAt(path)
      expect(typeof value).toBe(kind === 'String' ? 'string' : 'number')
      return value
    })

    expect({ type, url }).toEqual({ type: 'custom-api', url: URL })
    expect(read).toEqual(FACTS)
    expect(template.match(/\{\{/g)).toHaveLength(read.length)
  })
})
