import { describe, expect, it } from 'vitest'
import { vectors } from '../testing/encoder-vectors.ts'
import { redactText } from '../testing/redact-text.ts'
import { dumpLinesIn } from './dumps.ts'

const DUMPS: readonly { readonly tool: string; readonly lines: readonly string[] }[] = [
  {
    tool: 'od',
    lines: [
      '0000000 027056 072056 062550 070040 071541 073563 071157 035144',
      '0000020 064040 067165 062564 031162 060543 060556 074562 060440',
    ],
  },
  {
    tool: 'od -tx1',
    lines: [
      '0000000 2e 2e 2e 74 68 65 20 70 61 73 73 77 6f 72 64 3a',
      '0000020 20 68 75 6e 74 65 72 32 63 61 6e 61 72 79 20 61',
    ],
  },
  {
    tool: 'od -tx4',
    lines: [
      '0000000 742e2e2e 70206568 77737361 3a64726f',
      '0000020 6e756820 32726574 616e6163 61207972',
    ],
  },
  {
    tool: 'od -tx8',
    lines: [
      '0000000 70206568742e2e2e 3a64726f77737361',
      '0000020 327265746e756820 61207972616e6163',
    ],
  },
  {
    tool: 'od -to1',
    lines: [
      '0000000 056 056 056 164 150 145 040 160 141 163 163 167 157 162 144 072',
      '0000020 040 150 165 156 164 145 162 062 143 141 156 141 162 171 040 141',
    ],
  },
  {
    tool: 'od -td1',
    lines: [
      '0000000   46   46   46  116  104  101   32  112   97  115  115  119  111  114  100   58',
      '0000020   32  104  117  110  116  101  114   50   99   97  110   97  114  121   32   97',
    ],
  },
  {
    tool: 'od -tu4',
    lines: [
      '0000000 1949183534 1881171304 2004054881  979661423',
      '0000020 1853188128  846357876 1634623843 1629518194',
    ],
  },
  {
    tool: 'od -tf4',
    lines: [
      '0000000    5.519997e+31   1.9856078e+29   4.9377668e+33   0.00087145617',
      '0000020   1.8987427e+28   1.4109322e-08   2.7483391e+20   1.8501438e+20',
    ],
  },
  {
    tool: 'od -c',
    lines: [
      '0000000   .   .   .   t   h   e       p   a   s   s   w   o   r   d   :',
      '0000020       h   u   n   t   e   r   2   c   a   n   a   r   y       a',
    ],
  },
  {
    tool: 'od -a',
    lines: [
      '0000000   .   .   .   t   h   e  sp   p   a   s   s   w   o   r   d   :',
      '0000020  sp   h   u   n   t   e   r   2   c   a   n   a   r   y  sp   a',
    ],
  },
  {
    tool: 'od -tx1z',
    lines: [
      '0000000 2e 2e 2e 74 68 65 20 70 61 73 73 77 6f 72 64 3a  >...the password:<',
      '0000020 20 68 75 6e 74 65 72 32 63 61 6e 61 72 79 20 61  > hunter2canary a<',
    ],
  },
  {
    tool: 'od -Ax -tx1',
    lines: [
      '000000 2e 2e 2e 74 68 65 20 70 61 73 73 77 6f 72 64 3a',
      '000010 20 68 75 6e 74 65 72 32 63 61 6e 61 72 79 20 61',
    ],
  },
  {
    tool: 'xxd',
    lines: [
      '00000000: 2e2e 2e74 6865 2070 6173 7377 6f72 643a  ...the password:',
      '00000010: 2068 756e 7465 7232 6361 6e61 7279 2061   hunter2canary a',
    ],
  },
  {
    tool: 'xxd -b',
    lines: [
      '00000000: 00101110 00101110 00101110 01110100 01101000 01100101  ...the',
      '00000006: 00100000 01110000 01100001 01110011 01110011 01110111   passw',
      '0000000c: 01101111 01110010 01100100 00111010 00100000 01101000  ord: h',
      '00000012: 01110101 01101110 01110100 01100101 01110010 00110010  unter2',
    ],
  },
  {
    tool: 'xxd -e',
    lines: [
      '00000000: 742e2e2e 70206568 77737361 3a64726f  ...the password:',
      '00000010: 6e756820 32726574 616e6163 61207972   hunter2canary a',
    ],
  },
  {
    tool: 'xxd -c 8',
    lines: [
      '00000000: 2e2e 2e74 6865 2070  ...the p',
      '00000008: 6173 7377 6f72 643a  assword:',
      '00000010: 2068 756e 7465 7232   hunter2',
      '00000018: 6361 6e61 7279 2061  canary a',
    ],
  },
  {
    tool: 'xxd -u',
    lines: [
      '00000000: 2E2E 2E74 6865 2070 6173 7377 6F72 643A  ...the password:',
      '00000010: 2068 756E 7465 7232 6361 6E61 7279 2061   hunter2canary a',
    ],
  },
  {
    tool: 'hexdump',
    lines: [
      '0000000 2e2e 742e 6568 7020 7361 7773 726f 3a64',
      '0000010 6820 6e75 6574 3272 6163 616e 7972 6120',
    ],
  },
  {
    tool: 'hexdump -C',
    lines: [
      '00000000  2e 2e 2e 74 68 65 20 70  61 73 73 77 6f 72 64 3a  |...the password:|',
      '00000010  20 68 75 6e 74 65 72 32  63 61 6e 61 72 79 20 61  | hunter2canary a|',
    ],
  },
  {
    tool: 'hexdump -b',
    lines: [
      '0000000 056 056 056 164 150 145 040 160 141 163 163 167 157 162 144 072',
      '0000010 040 150 165 156 164 145 162 062 143 141 156 141 162 171 040 141',
    ],
  },
  {
    tool: 'hexdump -c',
    lines: [
      '0000000   .   .   .   t   h   e       p   a   s   s   w   o   r   d   :',
      '0000010       h   u   n   t   e   r   2   c   a   n   a   r   y       a',
    ],
  },
  {
    tool: 'hexdump -d',
    lines: [
      '0000000   11822   29742   25960   28704   29537   30579   29295   14948',
      '0000010   26656   28277   25972   12914   24931   24942   31090   24864',
    ],
  },
  {
    tool: 'hexdump -x',
    lines: [
      '0000000    2e2e    742e    6568    7020    7361    7773    726f    3a64',
      '0000010    6820    6e75    6574    3272    6163    616e    7972    6120',
    ],
  },
  {
    tool: 'tcpdump -X',
    lines: [
      '\t0x0000:  2e2e 2e74 6865 2070 6173 7377 6f72 643a  ...the.password:',
      '\t0x0010:  2068 756e 7465 7232 6361 6e61 7279 2061  .hunter2canary.a',
    ],
  },
  {
    tool: 'the kernel',
    lines: ['ffff8880046f2a00: 20 68 75 6e 74 65 72 32 63 61 6e 61 72 79 20 61   hunter2canary a'],
  },
]
const removed = (text: string) => dumpLinesIn(text).map(({ value }) => value)

describe('a dump', () => {
  it.each(DUMPS)('of $tool is removed line by line', ({ lines }) => {
    const offsets = lines.map((line) => line.trimStart())

    expect(removed(`before\n${lines.join('\n')}\n0000047\nafter`)).toEqual(offsets)
    expect(removed(lines.join('\r\n'))).toEqual(offsets)
  })

  it.each(DUMPS)('of $tool is removed behind other text, which stays', ({ lines }) => {
    for (const before of ['Nov 21 17:31:00 host app[7]: ', 'read: ', '> '])
      expect(redactText(lines.map((line) => `${before}${line}\n`).join(''))).toMatch(
        new RegExp(`^(?:${before.replace('[7]', '.7.')}[ \t]*<dump:\\w{12}>\n){${lines.length}}$`),
      )
  })

  it('of Go is removed line by line', () => {
    for (const text of vectors.encoders['go hex.Dump'] ?? [])
      expect(removed(text)).toEqual(text.trim().split('\n'))
  })

  it('in JSON ends with its string', () => {
    const text = JSON.stringify({ a: DUMPS[0]?.lines.join('\n'), b: 'kept' })

    expect(redactText(text, { kind: 'json' })).toMatch(/^\{"a":"<dump:\w+>","b":"kept"\}$/)
    expect(redactText(`body=${text}`)).toMatch(/"b":"kept"\}$/)
  })
})

describe('nothing is removed', () => {
  it.each([
    '0000047',
    '000123 the first ticket',
    '1234567 12 34 56',
    '20261121 10 20 30',
    '20261121: 12 accounts',
    'took 0.000123 s for 12 34',
    'at 0x7f3a21c0: 12',
    'deadbeef 1 file changed',
    '1a2b3c4d: merged',
    '   8       0 sda 12345 678 9012',
    '00:00:10 12 34 56',
    'id 00012345 41',
  ])('of %s', (text) => {
    expect(removed(text)).toEqual([])
  })
})
