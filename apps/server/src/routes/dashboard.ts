import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { ASSET_HEADERS, PAGE_HEADERS } from '@svc/monitor'
import { programFilesIn, readProgramFile } from '@svc/monitor/program-files'
import type { Language } from '@svc/views'
import type { RefreshAuth } from '../guards/refresh-auth.ts'
import { accepts } from './ready-bytes.ts'

type Encoding = 'br' | 'gzip' | null

/** One file in its available encodings, smallest first. */
interface Served {
  readonly headers: Readonly<Record<string, string>>
  readonly forms: readonly {
    readonly encoding: Encoding
    readonly bytes: Uint8Array<ArrayBuffer>
  }[]
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  woff2: 'font/woff2',
  webmanifest: 'application/manifest+json',
}
/** Placeholders in the built page that the running process fills in. */
const TOKEN_MARK = '__REFRESH_TOKEN__'
const AUTH_MARK = '__REFRESH_AUTH__'
const LANGUAGE_MARK = '<html lang="en"'

/** Reads the built dashboard. Throws if it is missing. The page contains its language and the credential required for a refresh. */
export function loadDashboard(
  folder: URL,
  { mode, pageToken }: Pick<RefreshAuth, 'mode' | 'pageToken'>,
  language: Language,
) {
  const page = servedPage(
    pageIn(folder, language)
      .replace(TOKEN_MARK, pageToken ?? '')
      .replace(AUTH_MARK, mode),
  )
  const assets = new URL('assets/', folder)
  const files = new Map(
    programFilesIn(assets).map((name) => [name, readProgramFile(new URL(name, assets))]),
  )
  const servedByName = new Map(
    [...files].flatMap(([name, bytes]) => {
      const type = TYPES[name.split('.').at(-1) ?? '']
      return type === undefined
        ? []
        : [
            [
              name,
              servedAsset(type, bytes, {
                br: files.get(`${name}.br`),
                gzip: files.get(`${name}.gz`),
              }),
            ] as const,
          ]
    }),
  )
  return {
    page: (headers: IncomingHttpHeaders): Response => answer(page, headers),
    /** Null if no such file exists. */
    asset(name: string, headers: IncomingHttpHeaders): Response | null {
      const served = servedByName.get(name)
      return served === undefined ? null : answer(served, headers)
    },
  }
}

export type Dashboard = ReturnType<typeof loadDashboard>

/** The page built for the language; without one, the common page, which gets its language from `lang`. */
function pageIn(folder: URL, language: Language): string {
  const read = (name: string) => readProgramFile(new URL(name, folder)).toString()
  const own = `index.${language}.html`
  if (programFilesIn(folder).includes(own)) return read(own)
  return read('index.html').replace(LANGUAGE_MARK, `<html lang="${language}"`)
}

function servedPage(html: string): Served {
  const bytes = Buffer.from(html)
  return {
    headers: PAGE_HEADERS,
    forms: [
      { encoding: 'br', bytes: copyOf(brotliCompressSync(bytes)) },
      { encoding: 'gzip', bytes: copyOf(gzipSync(bytes)) },
      { encoding: null, bytes: copyOf(bytes) },
    ],
  }
}

function servedAsset(
  type: string,
  bytes: Buffer,
  { br, gzip }: { readonly br: Buffer | undefined; readonly gzip: Buffer | undefined },
): Served {
  return {
    headers: {
      ...ASSET_HEADERS,
      'Content-Type': type,
      ETag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    },
    forms: [
      ...(br === undefined ? [] : [{ encoding: 'br' as const, bytes: copyOf(br) }]),
      ...(gzip === undefined ? [] : [{ encoding: 'gzip' as const, bytes: copyOf(gzip) }]),
      { encoding: null, bytes: copyOf(bytes) },
    ],
  }
}

function answer(
  { headers, forms }: Served,
  { 'accept-encoding': acceptEncoding }: IncomingHttpHeaders,
): Response {
  const form = forms.find(({ encoding }) => encoding === null || accepts(acceptEncoding, encoding))
  const bytes = form?.bytes ?? new Uint8Array()
  return new Response(bytes, {
    headers: {
      ...headers,
      'Content-Length': String(bytes.byteLength),
      ...(form?.encoding == null ? {} : { 'Content-Encoding': form.encoding }),
    },
  })
}

/** A copy in a separate buffer, which an answer needs. */
function copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
