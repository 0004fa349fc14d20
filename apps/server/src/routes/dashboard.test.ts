import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Dashboard, loadDashboard } from './dashboard.ts'

const TOKEN = 'a'.repeat(43)
const PAGE =
  '<!doctype html><html lang="en"><meta name="refresh-token" content="__REFRESH_TOKEN__"><meta name="refresh-auth" content="__REFRESH_AUTH__">'
const SCRIPT = `export const numbers = [${Array.from({ length: 400 }, (_, index) => index).join(', ')}]`

let folder: string
let dashboard: Dashboard
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-dashboard-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), PAGE)
  writeFileSync(join(folder, 'assets/index-AbC123.js'), SCRIPT)
  writeFileSync(join(folder, 'assets/index-AbC123.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(folder, 'assets/index-AbC123.js.gz'), gzipSync(SCRIPT))
  writeFileSync(join(folder, 'assets/page-1.css'), 'a{}')
  writeFileSync(join(folder, 'assets/manifest-1.webmanifest'), '{}')
  writeFileSync(join(folder, 'assets/icon-1.png'), 'PNG')
  writeFileSync(join(folder, 'assets/notes.txt'), 'notes')
  dashboard = loadDashboard(
    pathToFileURL(`${folder}/`),
    { mode: 'page-token', pageToken: TOKEN },
    'en',
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const headersOf = (answer: Response | null) =>
  Object.fromEntries([...(answer?.headers ?? [])].sort())
const bytesOf = async (answer: Response | null) =>
  Buffer.from((await answer?.arrayBuffer()) ?? new ArrayBuffer(0))

describe('the page', () => {
  it('has exactly these headers', () => {
    const headers = headersOf(dashboard.page({}))
    expect(headers).toEqual({
      'cache-control': 'no-store',
      'content-length': String(
        PAGE.length -
          '__REFRESH_TOKEN__'.length +
          43 -
          '__REFRESH_AUTH__'.length +
          'page-token'.length,
      ),
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'permissions-policy':
        'accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), microphone=(), midi=(), payment=(), publickey-credentials-get=(), serial=(), usb=(), screen-wake-lock=(self)',
      'referrer-policy': 'no-referrer',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
  })

  it('carries the token and the mode of this process, once', async () => {
    const html = (await bytesOf(dashboard.page({}))).toString()
    expect(html.split(TOKEN)).toHaveLength(2)
    expect(html).toContain('content="page-token"')
  })

  it('carries no token where none is asked for', async () => {
    const other = loadDashboard(
      pathToFileURL(`${folder}/`),
      { mode: 'none', pageToken: null },
      'en',
    )
    const html = (await bytesOf(other.page({}))).toString()
    expect(html).toContain('name="refresh-token" content=""')
    expect(html).toContain('content="none"')
  })

  it('says its language, which the built page reads there', async () => {
    const chinese = loadDashboard(
      pathToFileURL(`${folder}/`),
      { mode: 'page-token', pageToken: TOKEN },
      'zh-CN',
    )
    expect((await bytesOf(chinese.page({}))).toString()).toBe(
      (await bytesOf(dashboard.page({}))).toString().replace('lang="en"', 'lang="zh-CN"'),
    )
  })

  it('is the one that was built for its language, where there is one', async () => {
    const own = join(folder, 'index.zh-CN.html')
    writeFileSync(own, '<html lang="zh-CN">额度 __REFRESH_TOKEN__')
    const chinese = loadDashboard(
      pathToFileURL(`${folder}/`),
      { mode: 'page-token', pageToken: TOKEN },
      'zh-CN',
    )
    rmSync(own)
    expect((await bytesOf(chinese.page({}))).toString()).toBe(`<html lang="zh-CN">额度 ${TOKEN}`)
    expect((await bytesOf(dashboard.page({}))).toString()).toContain('lang="en"')
  })

  it.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip;q=1, br;q=0', 'gzip', gunzipSync],
  ] as const)('goes out as %s allows', async (acceptEncoding, encoding, decode) => {
    const answer = dashboard.page({ 'accept-encoding': acceptEncoding })
    expect(answer.headers.get('Content-Encoding')).toBe(encoding)
    expect(decode(await bytesOf(answer)).toString()).toContain(TOKEN)
  })
})

describe('an asset', () => {
  it('is cached for a year, because its name changes with its content', () => {
    expect(headersOf(dashboard.asset('index-AbC123.js', { 'accept-encoding': 'br' }))).toEqual({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-encoding': 'br',
      'content-length': String(brotliCompressSync(SCRIPT).length),
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'content-type': 'text/javascript; charset=utf-8',
      'cross-origin-resource-policy': 'same-origin',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
      'referrer-policy': 'no-referrer',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
    })
  })

  it.each([
    { name: 'page-1.css', type: 'text/css; charset=utf-8' },
    { name: 'manifest-1.webmanifest', type: 'application/manifest+json' },
    { name: 'icon-1.png', type: 'image/png' },
  ])('$name is sent as $type', ({ name, type }) => {
    expect(headersOf(dashboard.asset(name, {}))).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': type,
    })
  })

  it('goes out compressed as it was built, or as it is', async () => {
    expect(
      brotliDecompressSync(
        await bytesOf(dashboard.asset('index-AbC123.js', { 'accept-encoding': 'br' })),
      ).toString(),
    ).toBe(SCRIPT)
    expect(
      gunzipSync(
        await bytesOf(dashboard.asset('index-AbC123.js', { 'accept-encoding': 'gzip' })),
      ).toString(),
    ).toBe(SCRIPT)
    expect((await bytesOf(dashboard.asset('index-AbC123.js', {}))).toString()).toBe(SCRIPT)
    expect(
      (await bytesOf(dashboard.asset('page-1.css', { 'accept-encoding': 'br' }))).toString(),
    ).toBe('a{}')
  })

  it.each(['', 'nothing.js', 'notes.txt', '../index.html', 'index-AbC123.js.br', '__proto__'])(
    '%j is not a file of the page',
    (name) => {
      expect(dashboard.asset(name, {})).toBeNull()
    },
  )
})
