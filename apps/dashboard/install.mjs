import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

const KNOWN = [0x0d, 0x52, 0x57]
const PAPER = [0xff, 0xff, 0xff]
const SOFT = [0x67, 0xc7, 0xc0]

/** The mark of the page in shares of its side: a full bar over half a one. In the middle, so that a system may cut the icon round. */
const BARS = [
  { left: 0.24, right: 0.76, top: 0.3, bottom: 0.46, color: PAPER },
  { left: 0.24, right: 0.54, top: 0.54, bottom: 0.7, color: SOFT },
]

/**
 * What a browser needs to install the page: the manifest and its icons, each with a name that changes with its content.
 * @param {{ language: string, product: string }} words what the page is called, and in which language
 * @returns {{ files: Map<string, Buffer>, head: string }} the files by name, and what the head of the page says of them
 */
export function installFiles({ language, product }) {
  const icons = [180, 192, 512].map((side) => {
    const bytes = png(side)
    return { side, bytes, name: named('icon', 'png', bytes) }
  })
  const manifest = Buffer.from(
    JSON.stringify({
      id: '/',
      lang: language,
      name: product,
      short_name: product,
      start_url: '/',
      scope: '/',
      display: 'standalone',
      background_color: '#ffffff',
      theme_color: '#0d5257',
      icons: icons.slice(1).map(({ side, name }) => ({
        src: name,
        sizes: `${side}x${side}`,
        type: 'image/png',
        purpose: 'any maskable',
      })),
    }),
  )
  const manifestName = named('manifest', 'webmanifest', manifest)
  return {
    files: new Map([
      [manifestName, manifest],
      ...icons.map(({ name, bytes }) => /** @type {const} */ ([name, bytes])),
    ]),
    head: [
      // With what a login in front of the service asks for, as the page itself.
      `<link rel="manifest" crossorigin="use-credentials" href="/assets/${manifestName}">`,
      `<link rel="apple-touch-icon" href="/assets/${icons[0]?.name}">`,
    ].join('\n    '),
  }
}

function named(stem, ending, bytes) {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 8)
  return `${stem}-${hash}.${ending}`
}

/** The mark as a picture of so many pixels a side. */
function png(side) {
  const rows = Array.from({ length: side }, (_, y) => {
    const pixels = Array.from({ length: side }, (_, x) =>
      colorAt((x + 0.5) / side, (y + 0.5) / side),
    )
    // Each row begins with how it is filtered: not at all.
    return Buffer.from([0, ...pixels.flat()])
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  // Eight bits each of red, green and blue.
  header.set([8, 2], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function colorAt(x, y) {
  const bar = BARS.find(
    ({ left, right, top, bottom }) => x >= left && x < right && y >= top && y < bottom,
  )
  return bar?.color ?? KNOWN
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}
