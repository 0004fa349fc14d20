import { expect, it } from 'vitest'
import { LIVE_HELP, liveOptions } from './live-options.ts'

it.each([
  { args: [], options: { kind: 'run', accountCount: 25, port: '4515', language: 'en' } },
  {
    args: ['--accounts', '500', '--port', '4600', '--language', 'zh-CN'],
    options: { kind: 'run', accountCount: 500, port: '4600', language: 'zh-CN' },
  },
  { args: ['--help'], options: { kind: 'help' } },
  { args: ['--bogus'], options: { kind: 'refused', why: "Unknown option '--bogus'" } },
  {
    args: ['--accounts', 'many'],
    options: { kind: 'refused', why: '--accounts must be a count, not many' },
  },
])('$args of the live deployment', ({ args, options }) => {
  expect(liveOptions(args)).toEqual(options)
})

it('every option stands in the help', () => {
  for (const option of ['--accounts', '--port', '--language', '--help'])
    expect(LIVE_HELP).toContain(option)
})
