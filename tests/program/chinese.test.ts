import { join } from 'node:path'
import { fixedClock } from '@svc/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownConnection } from '../../tooling/service/built-program.ts'
import { type LocalService, startService } from '../../tooling/service/start-service.ts'
import { contractErrors, jsonPaths } from '../contract.ts'

const goldenFile = (name: string) => join(import.meta.dirname, 'golden', name)
const startIn = (language: string) =>
  startService({
    where: 'here',
    time: fixedClock(),
    demo: true,
    flags: { 'display-language': language },
  })

let chinese: LocalService
let french: LocalService
beforeAll(async () => {
  chinese = await startIn('zh-hans-CN')
  french = await startIn('fr')
})
afterAll(() => Promise.all([chinese.stop(), french.stop()]))

const textOf = async (service: LocalService, path: string): Promise<string> =>
  (await fetch(service.url + path, ownConnection)).text()

/** Every string in Chinese once, with the members that lead to it. */
function chineseTextsIn(body: unknown, path = ''): readonly string[] {
  if (typeof body === 'string') return /\p{Script=Han}/u.test(body) ? [`${path}: ${body}`] : []
  if (typeof body !== 'object' || body === null) return []
  const texts = Object.entries(body).flatMap(([key, member]) =>
    chineseTextsIn(member, Array.isArray(body) ? path : `${path}.${key}`.replace(/^\./, '')),
  )
  return [...new Set(texts)]
}

/** The same body with its texts blotted out. */
function withoutTexts(body: unknown, like: unknown): unknown {
  if (typeof body === 'string') return body === like ? body : '…'
  if (typeof body !== 'object' || body === null) return body
  const other = (like ?? {}) as Record<string, unknown>
  const members = Object.entries(body).map(([key, member]) => [
    key,
    withoutTexts(member, other[key]),
  ])
  return Array.isArray(body) ? members.map(([, member]) => member) : Object.fromEntries(members)
}

describe('a service in Chinese', () => {
  it.each(jsonPaths.filter((path) => path.startsWith('/api')))(
    'golden: the texts of %s, which fits docs/openapi.json',
    async (path) => {
      const body: unknown = JSON.parse(await textOf(chinese, path))

      expect(contractErrors(path, body)).toEqual([])
      await expect(`${chineseTextsIn(body).join('\n')}\n`).toMatchFileSnapshot(
        goldenFile(`demo-${path.slice('/api/v1/'.length).replace('/', '-')}.zh-CN.txt`),
      )
    },
  )

  it.each(jsonPaths)(
    '%s has the members, codes and numbers of any other language',
    async (path) => {
      const [ours, theirs] = await Promise.all(
        [chinese, french].map(async (service) => JSON.parse(await textOf(service, path))),
      )
      // It alone is there in one language only.
      const { displayLanguage: _, ...body } = ours
      expect(withoutTexts(body, theirs)).toEqual(withoutTexts(theirs, body))
    },
  )

  it('has the names of any other language in metrics, and the heads in its table of usage', async () => {
    const namesIn = (text: string) => text.match(/^svc_quota_monitor_(?!http_)\w+(?:\{[^}]*\})?/gm)
    const [ours, theirs] = await Promise.all(
      [chinese, french].map((service) => textOf(service, '/metrics')),
    )
    expect(namesIn(ours ?? '')).toEqual(namesIn(theirs ?? ''))
    const csv = await textOf(chinese, '/api/v1/stats/series?format=csv')
    expect(csv.split('\r\n')[0]).toBe(
      'timestamp,series_id,series_label,requests,tokens,failed,request_text,token_text,failure_rate',
    )
  })

  it.each([
    { language: 'zh-hans-CN', of: () => chinese, lang: 'zh-CN' },
    { language: 'fr', of: () => french, lang: 'en' },
  ])('serves its page as $lang where display_language is $language', async ({ of, lang }) => {
    expect(await textOf(of(), '/')).toContain(`<html lang="${lang}"`)
  })
})
