import { execFileSync } from 'node:child_process'
import { aFakeAccount } from '@svc/fake-proxy'
import { row, type SetUp, type SetUpRow, SOUND, type World } from './world.ts'

const LISTED = aFakeAccount({ name: 'ana' }).fileName
const CODEX = '{"type":"codex","access_token":"doctor-canary-token"}'
const USED = ['--quota-transport', 'auth-files']
const auths =
  (
    files: Readonly<Record<string, string>>,
    more: readonly string[] = [],
    modes: Parameters<World['folder']>[2] = {},
  ) =>
  (world: World): SetUp => ({ argv: ['--auth-dir', world.folder('auths', files, modes), ...more] })
const labels =
  (text: string, mode?: number) =>
  (world: World): SetUp => ({
    argv: ['--client-labels-file', world.file('labels.json', text, mode)],
  })
const summary =
  (text: string) =>
  (world: World): SetUp => ({ argv: ['--benchmark-summary', world.file('summary.json', text)] })
const prices =
  (text: string, mode?: number) =>
  (world: World): SetUp => ({ argv: ['--price-file', world.file('prices.json', text, mode)] })
const ownPrices =
  (text: string, mode?: number) =>
  (world: World): SetUp => ({ argv: ['--price-overrides', world.file('prices.toml', text, mode)] })
const PRICES =
  '{"m":{"litellm_provider":"openai","input_cost_per_token":1e-6,"output_cost_per_token":2e-6}}'
const LABELS = '{"clients":[{"apiName":"client-key","label":"CI"}]}'
const authDir = (status: string, code: string) => `${status} auth_dir ${code}`

export const fileSetUps: readonly SetUpRow[] = [
  row(
    'auth files that are read',
    SOUND,
    auths({ [LISTED]: CODEX, 'claude-b.json': '{"type":"claude"}' }, USED),
  ),
  row('auth files that nothing reads', SOUND, auths({ [LISTED]: CODEX })),
  row(
    'auth files of another proxy',
    authDir('warn', 'unlisted_files'),
    auths({ 'codex-a.json': CODEX }, USED),
  ),
  row('an auth folder that is not there', authDir('fail', 'missing'), {
    argv: ['--auth-dir', 'gone', ...USED],
  }),
  row('an auth folder that is not there, and that nothing reads', authDir('warn', 'missing'), {
    argv: ['--auth-dir', 'gone'],
  }),
  row('a file as auth folder', authDir('fail', 'not_a_folder'), (world) => ({
    argv: ['--auth-dir', world.file('auths', ''), ...USED],
  })),
  row('an empty auth folder', authDir('warn', 'no_files'), auths({})),
  row(
    'an auth folder that others can write',
    authDir('fail', 'writable_by_others'),
    auths({ 'a.json': CODEX }, [], { folder: 0o777 }),
  ),
  row(
    'an auth file that others can write',
    authDir('fail', 'writable_by_others'),
    auths({ 'a.json': CODEX }, [], { files: 0o666 }),
  ),
  row(
    'auth files that others can read',
    authDir('warn', 'readable_by_others'),
    auths({ 'a.json': CODEX }, [], { folder: 0o755, files: 0o644 }),
  ),
  row(
    'auth files that only the folder protects',
    SOUND,
    auths({ [LISTED]: CODEX }, [], { files: 0o644 }),
  ),
  row('an auth file that leads nowhere', authDir('fail', 'unreadable_files'), (world) => {
    const folder = world.folder('auths')
    world.link('auths/a.json', 'gone')
    return { argv: ['--auth-dir', folder, ...USED] }
  }),
  row('an auth file that is a pipe', authDir('fail', 'unreadable_files'), (world) => {
    const folder = world.folder('auths', { 'b.json': CODEX })
    execFileSync('mkfifo', ['-m', '600', world.at('auths/a.json')])
    return { argv: ['--auth-dir', folder, ...USED] }
  }),
  row(
    'an auth file that is cut off',
    authDir('fail', 'broken_files'),
    auths({ 'a.json': CODEX, 'b.json': CODEX.slice(0, 30) }, USED),
  ),
  row(
    'an auth file that is cut off, and that nothing reads',
    authDir('warn', 'broken_files'),
    auths({ 'b.json': CODEX.slice(0, 30) }),
  ),
  row(
    'an auth file that is a list',
    authDir('fail', 'broken_files'),
    auths({ 'a.json': '[]' }, USED),
  ),
  row('an empty auth file', authDir('fail', 'broken_files'), auths({ 'a.json': '' }, USED)),
  row(
    'files of another program in the auth folder',
    authDir('warn', 'foreign_files'),
    auths({ 'a.json': CODEX, 'package.json': '{}' }, USED),
  ),
  row(
    'auth files of Claude alone, where the proxy lists others',
    authDir('warn', 'unlisted_files'),
    auths({ 'claude-b.json': '{"type":"claude"}' }, USED),
  ),
  row(
    'auth files of a provider alone whose quota nobody can read',
    authDir('fail', 'no_known_files'),
    auths({ 'kiro-b.json': '{"type":"kiro"}' }, USED),
  ),

  row('client labels', SOUND, labels(LABELS)),
  row('client labels that name nobody', SOUND, labels('{"clients":[]}')),
  row(
    'client labels with two labels for one client',
    'warn client_labels two_labels',
    labels('{"clients":[{"apiName":"a","label":"A"},{"apiName":"a","label":"B"}]}'),
  ),
  row(
    'client labels with one label for two clients',
    SOUND,
    labels('{"clients":[{"apiName":"a","label":"A"},{"apiName":"b","label":"A"}]}'),
  ),
  row('client labels that are not there', 'fail client_labels file_unreadable', {
    argv: ['--client-labels-file', 'gone.json'],
  }),
  row(
    'client labels that are cut off',
    'fail client_labels bad_payload',
    labels(LABELS.slice(0, 30)),
  ),
  row(
    'client labels with a comma too many',
    'fail client_labels bad_payload',
    labels('{"clients":[\n{"apiName":"a","label":"A"},\n]}'),
  ),
  row(
    'client labels with an entry without a name',
    'fail client_labels bad_payload',
    labels('{"clients":[\n{"label":"A"}]}'),
  ),
  row(
    'client labels that others can read',
    'warn client_labels readable_by_others',
    labels(LABELS, 0o644),
  ),
  row(
    'client labels that others can write',
    'fail client_labels writable_by_others',
    labels(LABELS, 0o666),
  ),
  row('a folder as client labels', 'fail client_labels file_unreadable', (world) => ({
    argv: ['--client-labels-file', world.folder('labels.json')],
  })),

  row('a benchmark summary', SOUND, summary('{"generatedAt":"2026-11-22T00:00:00Z"}')),
  row('a benchmark summary that is not there', 'fail benchmark file_unreadable', {
    argv: ['--benchmark-summary', 'gone.json'],
  }),
  row('a benchmark summary that is a list', 'fail benchmark bad_payload', summary('[]')),
  row('a price file', SOUND, prices(PRICES, 0o644)),
  row('a price file that is not there', 'fail price_file price_file_unreadable', {
    argv: ['--price-file', 'gone.json'],
  }),
  row('a price file of another shape', 'fail price_file price_file_shape', prices('{"m":1}')),
  row('a price file that is cut off', 'fail price_file price_file_shape', prices(PRICES.slice(9))),
  row('an empty price file', 'fail price_file price_file_shape', prices('')),
  row(
    'a price file of 17 MiB',
    'fail price_file price_file_too_large',
    prices(' '.repeat(17 * 2 ** 20)),
  ),
  row(
    'a price file that others can write',
    'fail price_file writable_by_others',
    prices(PRICES, 0o666),
  ),
  row('own prices', SOUND, ownPrices('[[multiplier]]\nprovider = "codex"\ntimes = "0.3"')),
  row('own prices without any yet', SOUND, ownPrices('')),
  row('own prices that are not there', 'fail price_overrides missing', {
    argv: ['--price-overrides', 'gone.toml'],
  }),
  row(
    'own prices with a mistake',
    'fail price_overrides price_overrides_invalid',
    ownPrices('[[multiplier]]\nprovider = "codex"\ntimes = 0.3'),
  ),
  row('a benchmark summary of 2 MiB', 'fail benchmark too_large', summary(' '.repeat(2 ** 21))),
]
