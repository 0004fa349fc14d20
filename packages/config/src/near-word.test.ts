import { describe, expect, it } from 'vitest'
import { nearestWord } from './near-word.ts'

const COMMANDS = ['print-config', 'doctor', 'init', 'redact', 'export-history', 'import-history']

describe('nearestWord', () => {
  it.each([
    ['doctr', 'doctor'],
    ['dcotor', 'doctor'],
    ['Doctor', 'doctor'],
    ['print_config', 'print-config'],
    ['export', null],
    ['export-histroy', 'export-history'],
    ['int', 'init'],
    ['frobnicate', null],
    ['colour', null],
    ['', null],
  ])('%j may have been meant as %j', (word, expected) => {
    expect(nearestWord(word, COMMANDS)).toBe(expected)
  })
})
