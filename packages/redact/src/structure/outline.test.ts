import { describe, expect, it } from 'vitest'
import { createOutline } from './outline.ts'
import { hiddenInLines } from './scanner.ts'

function hiddenIn(...pieces: readonly string[]): readonly string[] {
  const outline = createOutline()
  let base = 0
  const hidden = pieces.flatMap((piece) => {
    const spans = hiddenInLines(piece, base, [outline])
    base += piece.length
    return spans.map(({ start, end, value }) => {
      expect(pieces.join('').slice(start, end)).toBe(value)
      return value
    })
  })
  return [...new Set(hidden)]
}

describe('lines that belong together', () => {
  it.each([
    {
      name: 'items below their name',
      text: 'api-keys:\n  - a9x\n  - "b8y"\nport: 1\n',
      hidden: ['a9x', 'b8y'],
    },
    {
      name: 'an item in quotes that ends as a name would',
      text: "pwd:\n  - 'TOBPMV9IsTpvg='\n  - 'name'= 'b8y'\nport: 1\n",
      hidden: ['TOBPMV9IsTpvg=', 'b8y'],
    },
    { name: 'items as deep as their name', text: 'api-keys:\n- a9x\nport: 1\n', hidden: ['a9x'] },
    {
      name: 'a block',
      text: 'password: |\n  a9x\n\n  # b8y\nport: c7z\n',
      hidden: ['a9x', '# b8y'],
    },
    {
      name: 'a block inside of a secret',
      text: 'credentials:\n  note: >-\n    a9x\n  b: b8y\nport: c7z\n',
      hidden: ['a9x', 'b8y'],
    },
    {
      name: 'an item in a list of objects',
      text: '- token: |\n    a9x\n- token: |\n    b8y\n',
      hidden: ['a9x', 'b8y'],
    },
    { name: 'an anchor', text: 'secrets: &s\n  a: a9x\nport: 1\n', hidden: ['a9x'] },
    {
      name: 'a section',
      text: '[secrets]\na = "a9x"\n; b8y\n[other]\nc = "c7z"\n',
      hidden: ['a9x'],
    },
    {
      name: 'a table of TOML',
      text: '[[credentials]]\na = "a9x"\n[server]\nb = "c7z"\n',
      hidden: ['a9x'],
    },
    {
      name: 'a secret of Kubernetes',
      text: 'kind: Secret\ndata:\n  a: a9x\n---\ndata:\n  b: b8y\n',
      hidden: ['a9x'],
    },
    {
      name: 'a name and its value',
      text: '- name: DB_PASSWORD\n  value: a9x\n- name: COLOR\n  value: red\n',
      hidden: ['a9x'],
    },
    { name: 'a value and its name', text: '- value: a9x\n  name: DB_PASSWORD\n', hidden: ['a9x'] },
    {
      name: 'a flag and its value',
      text: 'args:\n  - --token\n  - a9x\n  - b8y\n',
      hidden: ['a9x'],
    },
    {
      name: 'a value that begins with a dash, but no other option',
      text: 'args:\n  - --token\n  - "-a9x!"\n  - --key-file\n  - --token\n  - "--fast"\n',
      hidden: ['-a9x!'],
    },
    { name: 'a value that is harmless', text: 'api-keys:\n  - null\n  - ""\n', hidden: [] },
    { name: 'a harmless name', text: 'colors:\n  - a9x\n', hidden: [] },
  ])('hide $name', ({ text, hidden }) => {
    expect(hiddenIn(text)).toEqual(hidden)
  })

  it('hide the same however the text is cut between its lines', () => {
    const lines = 'api-keys:\n  - a9x\n  - b8y\npassword: |\n  c7z\n\n  d6w\nport: 1\n'
    const pieces = lines.split(/(?<=\n)/)

    expect(hiddenIn(...pieces)).toEqual(hiddenIn(lines))
    expect(hiddenIn(...pieces)).toEqual(['a9x', 'b8y', 'c7z', 'd6w'])
  })
})
