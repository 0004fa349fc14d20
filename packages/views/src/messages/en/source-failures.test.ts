import { describe, expect, it } from 'vitest'
import type { Peer } from '../names/names.ts'
import { keyFileConditions, sourceConditions } from './source-failures.ts'

const proxy: Peer = {
  name: 'the proxy',
  addressKey: 'upstream_url',
  isFile: false,
  reachable: 'Start the proxy.',
  calmer: 'Ask less often.',
}
const labels: Peer = { ...proxy, name: 'client labels', addressKey: 'client_labels', isFile: true }

describe('the catalogue of source failures', () => {
  it.each(Object.entries(sourceConditions))(
    '%s has a badge, and says in two sentences what is the case and what to do',
    (_, wordsOf) => {
      for (const peer of [proxy, labels]) {
        const { badge, summary, remedy } = wordsOf(peer)
        expect(badge).toMatch(/^[A-Z][\w ]*$/)
        expect(summary).toMatch(/^[A-Z].*\.$/)
        expect(remedy).toMatch(/^[A-Z].*\.$/)
      }
    },
  )

  it.each(['too_large', 'bad_payload'] as const)(
    '%s speaks of the file where the source is one, and of an answer elsewhere',
    (code) => {
      const [ofProxy, ofFile] = [proxy, labels].map((peer) => sourceConditions[code](peer))

      expect(ofProxy?.summary).toMatch(/^An answer from the proxy /)
      expect(ofProxy?.remedy).toContain('upstream_url')
      expect(ofFile?.summary).toMatch(/^The file of client labels /)
      expect(ofFile?.remedy).toContain('client_labels')
      expect(ofFile?.summary).not.toContain('answer')
    },
  )

  it.each([
    { code: 'unreachable', remedy: 'Start the proxy.' },
    { code: 'timeout', remedy: 'Start the proxy.' },
    { code: 'throttled', remedy: 'Ask less often.' },
  ] as const)('$code has the remedy of the other end', ({ code, remedy }) => {
    expect(sourceConditions[code](proxy).remedy).toBe(remedy)
  })
})

describe('the catalogue of key-file problems', () => {
  it.each(Object.entries(keyFileConditions))(
    '%s says in two sentences what is the case and what to do',
    (_, { summary, remedy }) => {
      expect(summary).toMatch(/^\S.*\.$/)
      expect(remedy).toMatch(/^[A-Z].*\.$/)
    },
  )

  it('has words of its own for each of them', () => {
    const all = Object.values(keyFileConditions).map(({ summary }) => summary)

    expect(new Set(all).size).toBe(all.length)
  })
})
