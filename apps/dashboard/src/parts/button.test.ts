import { h } from 'preact'
import { beforeEach, describe, expect, it } from 'vitest'
import { askRegularly } from '../state/ask-regularly.ts'
import { click, draw, wordsOf } from '../testing/page.ts'
import { TryNow } from './button.tsx'

let asked: string[] = []

beforeEach(() => {
  asked = []
  globalThis.fetch = (path) => {
    asked.push(String(path).split('?')[0] ?? '')
    return new Promise(() => undefined)
  }
})

describe('the button that asks again', () => {
  it('asks for status, health and each chart that is shown, and not twice while an answer is awaited', () => {
    const endAsking = askRegularly(async () => void asked.push('a chart'), 3_600_000)
    asked = []
    const place = draw(h(TryNow, {}))
    expect(wordsOf(place)).toBe('Try now')

    click(place.querySelector('button'))
    expect(asked).toEqual(['/api/v1/status', '/api/v1/health', 'a chart'])
    click(place.querySelector('button'))
    expect(asked.filter((path) => path.startsWith('/'))).toHaveLength(2)
    endAsking()
  })
})
