import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../testing/random.ts'
import { redactText } from '../testing/redact-text.ts'
import { surroundings } from '../testing/surroundings.ts'
import { textsOf } from '../testing/texts-of.ts'
import { shapesIn } from './shapes.ts'

const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const CAPITALS = SMALL.toUpperCase()
const DIGITS = '0123456789'
const HEX = '0123456789abcdef'
const MIXED = CAPITALS + SMALL + DIGITS
const URL_SAFE = `${MIXED}_-`

/** Keys as their vendors write them: what the published rule sets of secret scanners look for. */
const FORMS: Readonly<
  Record<string, readonly (string | readonly [alphabet: string, length: number])[]>
> = {
  'AWS access key': ['AKIA', [`${CAPITALS}234567`, 16]],
  'AWS session key': ['ASIA', [CAPITALS + DIGITS, 16]],
  'AWS secret': [[`${MIXED}/+`, 40]],
  'Google API key': ['AIza', [URL_SAFE, 35]],
  'GitHub classic token': ['ghp_', [MIXED, 36]],
  'GitHub fine-grained token': ['github_pat_', [MIXED, 22], '_', [MIXED, 59]],
  'GitHub app token': ['ghs_', [MIXED, 36]],
  'GitLab token': ['glpat-', [URL_SAFE, 20]],
  'npm token': ['npm_', [MIXED, 36]],
  'PyPI token': ['pypi-AgEIcHlwaS5vcmc', [URL_SAFE, 120]],
  'RubyGems key': ['rubygems_', [HEX, 48]],
  'Docker token': ['dckr_pat_', [URL_SAFE, 27]],
  'Slack bot token': ['xoxb-', [DIGITS, 11], '-', [DIGITS, 12], '-', [MIXED, 24]],
  'Slack app token': ['xapp-1-A', [CAPITALS + DIGITS, 10], '-', [DIGITS, 13], '-', [HEX, 64]],
  'SendGrid key': ['SG.', [URL_SAFE, 22], '.', [URL_SAFE, 43]],
  'Shopify token': ['shpat_', [HEX, 32]],
  'Stripe key': ['sk_live_', [MIXED, 24]],
  'Stripe restricted key': ['rk_live_', [MIXED, 24]],
  'Square token': ['sq0atp-', [URL_SAFE, 22]],
  'Linear key': ['lin_api_', [MIXED, 40]],
  'Notion token': ['ntn_', [MIXED, 46]],
  'Figma token': ['figd_', [URL_SAFE, 40]],
  'Anthropic key': ['sk-ant-api03-', [URL_SAFE, 93], 'AA'],
  'Anthropic login token': ['sk-ant-oat01-', [URL_SAFE, 95], 'AA'],
  'Anthropic refresh token': ['sk-ant-ort01-', [URL_SAFE, 95], 'AA'],
  'Anthropic admin key': ['sk-ant-admin01-', [URL_SAFE, 93], 'AA'],
  'Kimi key': ['sk-kimi-', [MIXED, 64]],
  'Moonshot key': ['sk-', [MIXED, 48]],
  'Google login token': ['ya29.a0', [URL_SAFE, 160]],
  'Google refresh token': ['1//0', [URL_SAFE, 90]],
  'Google client secret': ['GOCSPX-', [URL_SAFE, 28]],
  'OpenAI key': ['sk-proj-', [URL_SAFE, 74], 'T3BlbkFJ', [MIXED, 74]],
  'xAI key': ['xai-', [MIXED, 80]],
  'Groq key': ['gsk_', [MIXED, 52]],
  'Perplexity key': ['pplx-', [MIXED, 48]],
  'Hugging Face token': ['hf_', [MIXED, 34]],
  'Databricks token': ['dapi', [HEX, 32]],
  '1Password token': ['ops_ey', [MIXED, 250]],
  'Vault token': ['hvs.', [URL_SAFE, 90]],
  'age key': ['AGE-SECRET-KEY-1', ['QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58]],
  'Azure client secret': [[MIXED, 3], '8Q~', [`${URL_SAFE}~.`, 34]],
  'Cloudflare token': [[URL_SAFE, 40]],
  'DigitalOcean token': ['dop_v1_', [HEX, 64]],
  'Heroku key': ['HRKU-', [MIXED, 60]],
  'Supabase token': ['sbp_', [HEX, 40]],
  'Atlassian token': ['ATATT3x', [`${URL_SAFE}=`, 180]],
  'Grafana token': ['glsa_', [MIXED, 32], '_', [HEX, 8]],
  'New Relic key': ['NRAK-', [CAPITALS + DIGITS, 27]],
  'Postman key': ['PMAK-', [HEX, 24], '-', [HEX, 34]],
  'Doppler token': ['dp.pt.', [MIXED, 43]],
  'Okta token': ['00', [URL_SAFE, 40]],
  'Telegram token': [[DIGITS, 10], ':AA', [URL_SAFE, 33]],
  'Discord token': [[MIXED, 24], '.', [MIXED, 6], '.', [URL_SAFE, 27]],
  'Twilio key': ['SK', [HEX, 32]],
  'Mailgun key': ['key-', [HEX, 32]],
  'Mailchimp key': [[HEX, 32], '-us12'],
}
/** A stretch of the drawn part that is longer would tell the key. */
const LEFT_MAX = 12

const random: Random = createRandom(53)

it.each(Object.entries(FORMS))('a key of the form %s does not stay, 200 times', (_, form) => {
  const left: string[] = []
  for (let index = 0; index < 200; index += 1) {
    const drawn = form.map((part) => (typeof part === 'string' ? part : random.text(...part)))
    const out = redactText(`found ${drawn.join('')} here`)
    for (const [place, part] of drawn.entries()) {
      if (typeof form[place] === 'string') continue
      const stretches = Array.from({ length: Math.max(0, part.length - LEFT_MAX) }, (_each, at) =>
        part.slice(at, at + LEFT_MAX + 1),
      )
      if (stretches.some((stretch) => out.includes(stretch))) left.push(out)
    }
  }

  expect(left.slice(0, 3)).toEqual([])
})

/** The shortest key of each vendor: what it begins with, and how many of which characters follow. */
const KEYS = [
  { begins: 'sk-', of: URL_SAFE, length: 12 },
  { begins: 'sk_live_', of: MIXED, length: 8 },
  { begins: 'sk_test_', of: MIXED, length: 8 },
  { begins: 'rk_live_', of: MIXED, length: 8 },
  { begins: 'pk_live_', of: MIXED, length: 8 },
  { begins: 'whsec_', of: `${MIXED}+/`, length: 8 },
  { begins: 'rt_', of: URL_SAFE, length: 12 },
  { begins: 'rt.', of: URL_SAFE, length: 12 },
  { begins: 'AIza', of: URL_SAFE, length: 30 },
  { begins: 'ya29.', of: URL_SAFE, length: 8 },
  { begins: '1//', of: URL_SAFE, length: 16 },
  { begins: 'GOCSPX-', of: URL_SAFE, length: 16 },
  { begins: 'ghp_', of: MIXED, length: 16 },
  { begins: 'gho_', of: MIXED, length: 16 },
  { begins: 'ghu_', of: MIXED, length: 16 },
  { begins: 'ghs_', of: MIXED, length: 16 },
  { begins: 'ghr_', of: MIXED, length: 16 },
  { begins: 'github_pat_', of: MIXED, length: 16 },
  { begins: 'glpat-', of: URL_SAFE, length: 16 },
  { begins: 'glrt-', of: URL_SAFE, length: 16 },
  { begins: 'xai-', of: MIXED, length: 16 },
  { begins: 'gsk_', of: MIXED, length: 16 },
  { begins: 'hf_', of: MIXED, length: 16 },
  { begins: 'r8_', of: MIXED, length: 16 },
  { begins: 'pplx-', of: MIXED, length: 16 },
  { begins: 'xoxb-', of: MIXED, length: 8 },
  { begins: 'xapp-', of: MIXED, length: 8 },
  { begins: 'npm_', of: MIXED, length: 16 },
  { begins: 'pypi-', of: URL_SAFE, length: 16 },
  { begins: 'dop_v1_', of: HEX, length: 16 },
  { begins: 'hvs.', of: URL_SAFE, length: 16 },
  { begins: 'hvb.', of: URL_SAFE, length: 16 },
  { begins: 'shpat_', of: HEX, length: 16 },
  { begins: 'key-', of: HEX, length: 32 },
  { begins: 'AKIA', of: CAPITALS + DIGITS, length: 12 },
  { begins: 'ASIA', of: CAPITALS + DIGITS, length: 12 },
  { begins: 'AROA', of: CAPITALS + DIGITS, length: 12 },
  { begins: 'AIDA', of: CAPITALS + DIGITS, length: 12 },
  { begins: 'AGE-SECRET-KEY-1', of: CAPITALS + DIGITS, length: 16 },
  { begins: 'ops_ey', of: URL_SAFE, length: 16 },
  { begins: 'lin_api_', of: MIXED, length: 16 },
  { begins: 'tskey-', of: MIXED, length: 16 },
]
const found = (text: string) => textsOf(text, shapesIn(text))
const keyOf = ({ begins, of, length }: (typeof KEYS)[number]) =>
  `${begins}${random.text(of, length - 1)}${random.text('23456789', 1)}`

describe('the shape of a key', () => {
  it.each(KEYS)('that begins with $begins is found whole wherever it stands', (form) => {
    const key = keyOf(form)

    // Behind a dash it may be the rest of a word.
    for (const around of surroundings.filter((write) => !write('x').startsWith('prefix')))
      expect(found(around(key))).toContainEqual(expect.stringContaining(key))
    expect(found(key)).toEqual([key])
    expect(found(`"${key}"`)).toEqual([key])
  })

  it.each(KEYS)('that begins with $begins is found behind every escape of a blank', (form) => {
    const key = keyOf(form)

    for (const before of ['\\n', '\\t', '\\"', '\\/', '%20', '%0A', '\\u0020'])
      expect(found(`a${before}${key}`), before).toEqual([key])
  })

  it.each(KEYS)(
    'that begins with $begins needs $length characters, and one digit among them',
    (form) => {
      const short = keyOf(form).slice(0, -2)
      const isLong = form.begins.length + form.length > 32

      expect(found(`${short}7`.slice(0, -1))).toEqual([])
      if (!isLong && form.of !== HEX)
        expect(found(`${form.begins}${'x'.repeat(form.length)}`.replace(/\d/g, ''))).toEqual([])
    },
  )

  it.each(KEYS)('that begins with $begins is another word behind a letter', (form) => {
    for (const before of ['a', 'Z', '7', '_']) expect(found(before + keyOf(form))).toEqual([])
  })

  it('with two dots of SendGrid is found with both its parts', () => {
    const key = `SG.${random.text(URL_SAFE, 22)}.${random.text(URL_SAFE, 42)}7`

    expect(found(`(${key})`)).toEqual([key])
  })

  it.each([
    'sk-spinner-circle',
    'task-force-one',
    'risk-management-plan',
    'sk-learn-2',
    'key-value-pairs',
    'hf_hub_download',
    'npm_config_registry',
    'npm_lifecycle_event',
    'glpat-is-a-prefix',
    'AKIAN',
    'xai-grok',
    'rt_sigprocmask',
    'shpat_',
    'ops_eyes',
  ])('is not %s', (text) => {
    expect(found(`${text} and "${text}"`)).toEqual([])
  })
})
