import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { top } from './top.ts'

const readme = (name: string) => readFileSync(join(top, name), 'utf8')
const english = readme('README.md')
const chinese = readme('README.zh-CN.md')

/** Every match of a pattern, in the order of the text. */
const all = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map(([, found]) => found)
const FENCED = /^```\w*\n([\s\S]*?)^```$/gm
const prose = (text: string) => text.replaceAll(FENCED, '')
/** Each language has comments of its own; what is run is the same. */
const withoutComments = (commands: string | undefined) => commands?.replaceAll(/ +# .*$/gm, '')
const sorted = (found: readonly (string | undefined)[]) => [...found].sort()

describe('the README in Chinese', () => {
  it.each([
    { what: 'headings of each depth', of: (text: string) => all(/^(#+) /gm, prose(text)) },
    { what: 'commands', of: (text: string) => all(FENCED, text).map(withoutComments) },
    { what: 'pictures', of: (text: string) => all(/!\[[^\]]+\]\(([^)]+)\)/g, text) },
    {
      what: 'table rows and points of lists',
      of: (text: string) => all(/^([|-]) /gm, prose(text)),
    },
  ])('has the same $what as the English one, in the same order', ({ of }) => {
    expect(of(english).length).toBeGreaterThan(0)
    expect(of(chinese)).toEqual(of(english))
  })

  it.each([
    {
      what: 'links',
      of: (text: string) => all(/\]\((?!README)([^)]+)\)/g, text),
    },
    { what: 'names in code', of: (text: string) => all(/`([^`\n]+)`/g, prose(text)) },
  ])('has the same $what as the English one', ({ of }) => {
    expect(of(english).length).toBeGreaterThan(0)
    expect(sorted(of(chinese))).toEqual(sorted(of(english)))
  })

  it('leads to the English one, and that to it', () => {
    expect(chinese).toContain('](README.md)')
    expect(english).toContain('](README.zh-CN.md)')
  })

  it('links nothing that is not there', () => {
    const links = all(/\]\(([^)#]+)[^)]*\)/g, chinese).filter((link) => !link?.includes('://'))

    expect(links.filter((link) => !existsSync(join(top, link ?? '')))).toEqual([])
  })
})
