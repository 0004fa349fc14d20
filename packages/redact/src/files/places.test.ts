import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { RedactError } from '../redact-error.ts'
import { checkPlaces, placesIn } from './places.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-places-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let here = ''
let count = 0
beforeEach(() => {
  count += 1
  here = join(folder, String(count))
  mkdirSync(here)
})
const write = (...names: readonly string[]) => {
  for (const name of names) {
    mkdirSync(join(here, name, '..'), { recursive: true })
    writeFileSync(join(here, name), 'quiet\n')
  }
}
const relatives = async (...inputs: readonly string[]) =>
  (await placesIn(inputs.map((input) => join(here, input)))).map(({ relative }) => relative)

describe('the files of a run', () => {
  it('are those of each folder in order, with their path from the folder that was named', async () => {
    write('logs/b.log', 'logs/a.log', 'logs/deep/er/c.log', 'z.log')
    mkdirSync(join(here, 'logs/empty'))

    expect(await relatives('logs', 'z.log')).toEqual([
      'logs/a.log',
      'logs/b.log',
      'logs/deep/er/c.log',
      'z.log',
    ])
  })

  it('have names of their own where several were named alike', async () => {
    write('one/a.log', 'two/a.log', 'three/a.log', 'one/b/x.log', 'two/b/x.log')

    expect(await relatives('one/a.log', 'two/a.log', 'three/a.log', 'one/b', 'two/b')).toEqual([
      'a.log',
      'a-2.log',
      'a-3.log',
      'b/x.log',
      'b-2/x.log',
    ])
  })

  it('keep that name apart from one that is taken already', async () => {
    write('one/a.log', 'two/a.log', 'one/a-2.log')

    expect(await relatives('one/a-2.log', 'one/a.log', 'two/a.log')).toEqual([
      'a-2.log',
      'a.log',
      'a-3.log',
    ])
  })

  it('are read where a link leads that was named, under the name of the link', async () => {
    write('real/a.log')
    symlinkSync(join(here, 'real'), join(here, 'link'))

    expect(await placesIn([join(here, 'link')])).toEqual([
      { path: join(here, 'real/a.log'), relative: 'link/a.log', problem: null },
    ])
  })

  it('have links inside of a folder among them, which are not followed', async () => {
    write('logs/a.log', 'elsewhere/b.log')
    symlinkSync(join(here, 'elsewhere'), join(here, 'logs/link'))
    symlinkSync(join(here, 'logs'), join(here, 'logs/round'))

    expect(await relatives('logs')).toEqual(['logs/a.log', 'logs/link', 'logs/round'])
  })

  it('have a problem where their name is not text', async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${here}/`), Buffer.from([0xff, 0x2e, 0x6c])]), 'x')

    expect((await placesIn([here])).map(({ problem }) => problem)).toEqual([
      'has a name that is not valid UTF-8',
    ])
  })

  it('must be there when they are named', async () => {
    await expect(relatives('missing')).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('a folder for copies', () => {
  beforeEach(() => write('logs/deep/a.log', 'logs/b.log'))

  it.each([
    { input: 'logs', output: 'logs', why: 'it is the folder itself' },
    { input: 'logs', output: 'logs/copies', why: 'it is inside of it' },
    { input: 'logs', output: 'logs/deep/new/copies', why: 'it would be inside of it' },
    { input: 'logs/b.log', output: 'logs', why: 'the original is in it' },
    { input: 'logs', output: 'other/../logs/x', why: 'it leads back inside' },
    { input: 'logs', output: 'link/x', why: 'a link leads inside' },
  ])('$output is refused for $input, because $why', async ({ input, output }) => {
    symlinkSync(join(here, 'logs'), join(here, 'link'))

    await expect(checkPlaces([join(here, input)], join(here, output))).rejects.toThrow(
      `${join(here, output)} is where the originals are`,
    )
  })

  it.each([
    { input: 'logs', output: 'copies' },
    { input: 'logs', output: 'logs-copies' },
    { input: 'logs/deep', output: 'logs' },
    { input: 'logs/b.log', output: 'logs/copies' },
    { input: 'logs/deep/a.log', output: 'logs' },
  ])('$output is taken for $input', async ({ input, output }) => {
    await expect(checkPlaces([join(here, input)], join(here, output))).resolves.toBeUndefined()
  })

  it('is refused when one of several originals is in the way', async () => {
    write('more/c.log')

    await expect(
      checkPlaces([join(here, 'more'), join(here, 'logs')], join(here, 'logs/x')),
    ).rejects.toThrow(RedactError)
  })

  it('is refused when an original is missing, with the name of it', async () => {
    await expect(checkPlaces([join(here, 'missing')], join(here, 'copies'))).rejects.toThrow(
      new RedactError(`${join(here, 'missing')} does not exist`),
    )
  })
})
