import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { timesAsLong } from '../testing/times-as-long.ts'
import { maskName, maskText } from './mask-text.ts'

const USER = /^user-[0-9a-f]{4}$/

describe('an address', () => {
  it.each([
    'ana.ruiz@example.com',
    'Ana+tag@Example.COM',
    'أحمد.نور@example.com',
    'ci-runner-eu-west-1-spot-pool-with-a-label-nobody-should-ever-have-written@example.org',
    'codex-11ac898f-ana.ruiz@example.com-pro.json',
    'root@localhost',
    `${'x'.repeat(300)}@${'y'.repeat(300)}.example`,
  ])('%s is hidden whole', (address) => {
    expect(maskText(address)).toMatch(USER)
  })

  it('is hidden wherever it stands, and the rest stays', () => {
    const [first, second] = [maskText('a@b.co'), maskText('c@d.co')]
    expect(maskText('Log in a@b.co, then "c@d.co".')).toBe(`Log in ${first}, then "${second}".`)
    expect(maskText('a@b.co. Next')).toBe(`${first}. Next`)
    expect(first).not.toBe(second)
    expect(maskText('A@B.co')).toBe(first)
  })

  it.each([
    '',
    'Active',
    '16.1 of 41 Plus left',
    '@',
    'a@',
    '@b',
    'rate @ 5/min',
    'client-9f2c41ab',
    '1,204 req · 12.4M tok',
  ])('is not seen in %j', (text) => {
    expect(maskText(text)).toBe(text)
  })

  it('never survives, whatever is around it', () => {
    const word = fc.stringMatching(/^[a-zé0-9][a-zé0-9._+-]{0,79}$/u)
    fc.assert(
      fc.property(word, word, fc.string(), fc.string(), (local, domain, before, after) => {
        const masked = maskText(`${before} ${local}@${domain} ${after}`)
        expect(masked).not.toContain(`${local}@`)
      }),
    )
  })
})

describe('a name', () => {
  it('is hidden whole, the same each time, and told from another', () => {
    expect(maskName('Zoé Lefèvre (Lyon)')).toMatch(USER)
    expect(maskName('ANA’S LAPTOP')).toBe(maskName('ana’s laptop'))
    expect(maskName('ana')).not.toBe(maskName('bob'))
  })

  it('that is an address has the mark that the address has in a text', () => {
    expect(maskName('ana@example.com')).toBe(maskText('ana@example.com'))
  })
})

describe('a token', () => {
  it.each([
    'sk-proj-abc123def456',
    'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
    'sk-ant-oat01-abcdefghijklmnop',
    'sk-ant-ort01-abcdefghijklmnop',
    'sk-kimi-abcdefghijklmnop',
    'xai-abcdefghijklmnopqrstuvwx',
    'ya29.a0AfH6SM-b_x.cd',
    '1//0gAbCdEfGhIjKlMnOp',
    'GOCSPX-abcdefghijklmnop',
    '0123456789abcdef0123456789abcdef',
    '6fa459ea-ee8a-3ca4-894e-db77e160355e',
  ])('%s is hidden', (token) => {
    expect(maskText(`key ${token}.`)).toMatch(/^key ••••[0-9a-f]{4}\.$/)
  })

  it.each([
    'gpt-5.5-codex-mini-high',
    'direct-quota-and-usage-history',
    '4d7444d22bc687d2',
    'xai-grok-fast-reasoning',
    'https://example.com/1//a',
    '2026-11-20T12:00:00.000Z',
  ])('%s is none', (text) => {
    expect(maskText(text)).toBe(text)
  })

  it('takes time in proportion to the text', () => {
    for (const unit of ['a-', '@']) {
      const of = (count: number) => () => maskText(unit.repeat(count))
      // 32 times the text should take about 32 times as long; quadratic growth would take 1,024 times.
      expect(
        timesAsLong({
          subject: of(320_000),
          neighbour: of(10_000),
          cpuUsage: process.cpuUsage,
        }),
      ).toBeLessThan(300)
    }
  })
})
