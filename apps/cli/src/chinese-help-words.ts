import { chineseFallbacks, chineseHeadings, chineseSettings } from '@svc/config/zh-cn'
import type { ArtifactId } from '@svc/deploy'
import { startWayIds } from '@svc/setup/start-ways'
import type { CommandGroup, CommandName, commandTable, ExitText } from './command-table.ts'
import { lineFormatNames } from './glance/pool-words.ts'
import type { HelpWords } from './help-words.ts'

type KeysOf<Plan> = Plan extends { readonly keys: infer Keys } ? keyof Keys : never

/** For each command, its summary and one text per own option and key; a missing text is a compile error. */
type CommandWords = {
  readonly [Name in CommandName]: Readonly<
    Record<
      | 'summary'
      | keyof (typeof commandTable)[Name]['options']
      | KeysOf<(typeof commandTable)[Name]>,
      string
    >
  >
}

const PASSWORD_FILE = '保存数据库密码的文件；也可使用 PGPASSFILE 和 PGPASSWORD。'
const SERVICE_WORDS = {
  '--url <address>': '运行中的服务的地址。省略时取配置中的 host 和 port。',
  '--config <path>': '从此配置文件读取 host 和 port。',
  '--header-file <path>':
    '请求头文件，每行一个 `Name: value`，供服务前的登录使用；仅限其所有者读取。也可用 SVC_QUOTA_MONITOR_URL_HEADERS_FILE 指定。',
  '--timeout <duration>': '等待应答的最长时间，例如 500ms、5s 或 1m。省略时为 5s。',
} as const
const JSON_DOCUMENT = '输出一个 JSON 文档，供脚本使用。'

const PROVIDER_WORDS = {
  '--provider <providers>':
    '这些提供商的账号，如 claude,kimi，或 all。省略时为 codex；没有 codex 账号时，取账号最多的提供商。',
} as const

const FILTER_WORDS = {
  '--plan <plans>': '只考虑这些套餐的账号，如 plus,pro。',
  ...PROVIDER_WORDS,
  '--upstream <names>': '只考虑配置中这些代理的账号。',
}

const commands: CommandWords = {
  '': {
    summary: '运行服务。',
    '--demo': '提供内置的示例账号池；无需密钥，不读取任何文件。',
  },
  pick: {
    summary: '显示下一个请求该使用的账号。',
    '--as <name>': '调用者的名称：服务记住它正在使用的账号，并把各调用者分散开。',
    '--keep <account>': '正在使用的账号；只要它接近最佳，就继续使用。',
    '--avoid <accounts>': '刚刚失败的账号，如 a.json,b.json。',
    '--failed <account>': '此调用者刚刚失败的账号；需要 --as。',
    '--release': '归还账号：服务不再记住此调用者；只能与 --as 一起使用。',
    ...FILTER_WORDS,
    '--wait <duration>': '等待可用账号的最长时间，如 30s、10m 或 1h。',
    '--format <text>':
      '输出的内容。省略时为 {authName}。还可用 {accountKey}、{authIndex}、{title}、{plan}、{score}、{provider}、{upstream}、{text}。',
    '--json': JSON_DOCUMENT,
    ...SERVICE_WORDS,
  },
  guard: {
    summary: '说明账号池是否满足任务所需。',
    '--window <5h|day|week|month>': '计入哪个窗口的配额；提供商须有此窗口。省略时为 week。',
    '--min-units <number>':
      '可用账号至少须剩余的单位数，按提供商的单位计（Codex 为 Plus 单位）。省略时为 2。',
    '--min-accounts <count>': '至少须有的可用账号数。省略时为 1。',
    '--max-age <duration>': '账号列表允许的最长时间。省略时为 5m。',
    '--stale-ok': '任何时候的读数都计入。',
    ...PROVIDER_WORDS,
    '--json': JSON_DOCUMENT,
    ...SERVICE_WORDS,
  },
  accounts: {
    summary: '列出账号池中的账号，最佳的在前。',
    '--blocked <reasons>': '只列出因其中之一而不可用的账号，如 auth_invalid,cooldown。',
    ...FILTER_WORDS,
    '--format <table|names|json|csv>': '输出格式。省略时为 table，宽度取自终端或 COLUMNS。',
    '--json': '与 --format json 相同。',
    ...SERVICE_WORDS,
  },
  events: {
    summary: '显示账号池中发生的事，直到按 Ctrl-C。',
    '--json': '每行一个 JSON 文档，供脚本使用。',
    ...SERVICE_WORDS,
  },
  why: {
    summary: '说明一个账号为何使用或不使用，或总数由哪些账号组成。',
    '--pool': '不看单个账号，逐个账号显示账号池的各个总数。',
    ...FILTER_WORDS,
    '--json': JSON_DOCUMENT,
    ...SERVICE_WORDS,
  },
  'print-config': {
    summary: '显示生效的配置，不含机密。',
    '--demo': '显示演示模式的配置。',
    '--diff': '略去与默认值相同的设置。',
    '--json': JSON_DOCUMENT,
  },
  doctor: {
    summary: '检查安装与配置，并说明该怎么做；先只向代理请求一次。',
    '--verbose': '列出跳过的检查及其原因。',
    '--json': JSON_DOCUMENT,
  },
  notify: {
    summary: '向配置中的接收端（或指定的一个）发送测试消息。',
    '--test': '发送消息，并显示结果；必须给出。',
    '--config <path>': '从此配置文件读取接收端。',
    '--json': JSON_DOCUMENT,
  },
  setup: {
    summary: '查找代理，写入配置，检查并启动服务。',
    '--yes': '不提问：采用各参数和找到的内容。',
    '--start <way>': `运行方式：${startWayIds.join('、')}。省略时提问，或为 foreground。`,
    '--force': '覆盖已有的配置和文件。',
    '--remove': '撤销：停止服务，删除 setup 写入的文件。',
  },
  init: {
    summary: '显示部署所需的文件（systemd 单元、容器、反向代理、告警等），或全部写入文件夹。',
    '--write <dir>': '把所有文件写入此文件夹。',
    '--force': '覆盖已有的文件。',
  },
  redact: {
    summary: '生成文件和文件夹的脱敏副本：JSON、JSONL、CSV、YAML、TOML、XML、文本、SQLite。',
    '--output <dir>': '副本所在的文件夹；不能是原文件所在的文件夹。',
    '--keep-map <file>': '保存每个化名对应的原值；与原文件同样机密。',
    '--json': JSON_DOCUMENT,
  },
  bundle: {
    summary: '收集问题报告所需的内容，并脱敏。',
    '--output <dir>': '尚不存在的文件夹。',
    '--log <file>': '附上此日志的最后若干行。',
    '--journal <unit>': '附上此 systemd 单元的最后若干行日志。',
    '--json': JSON_DOCUMENT,
  },
  'export-history': {
    summary: '备份存储。',
    '--state-db <path|address>': '存储；服务可以继续使用它。省略时取配置中的 state_db。',
    '--state-db-password-file <path>': PASSWORD_FILE,
    '--config <path>': '从此配置文件读取 state_db。',
    '--output <file>': '尚不存在的文件；- 表示标准输出。',
  },
  'export-usage': {
    summary: '输出每个客户端、账号或模型在一个月或任意时段内的用量。',
    '--month <month>': '如 2026-10；按 UTC 日计算。',
    '--from <time>': '代替月份：2026-10-14，或带时差的时刻。',
    '--to <time>': '该时段的终点（不含）。省略时为现在。',
    '--by <what>':
      'client、account 或 model；使用 --from 时还可为 provider、upstream，或其中两项，如 client,model。省略时为 client。',
    '--each <part>': '使用 --from 时：all、day 或 month。省略时为 all。',
    '--filter <name=ids>': '使用 --from 时：仅限这些，如 model=gpt-5.5 或 status=limit。可重复。',
    '--format <format>': 'csv，或 jsonl：每行一个 JSON 对象。省略时为 csv。',
    '--output <file>': '尚不存在的文件。省略时为标准输出。',
    '--state-db <path|address>': '存储；服务可以继续使用它。省略时取配置中的 state_db。',
    '--state-db-password-file <path>': PASSWORD_FILE,
    '--client-labels-file <path>': '客户端的名称。省略时取配置中的 client_labels_file。',
    '--price-overrides <path>': '自定价格。省略时取配置中的 price_overrides。',
    '--config <path>': '从此配置文件读取这些项。',
  },
  'import-history': {
    summary: '把备份或其他程序的记录加入存储。- 表示读取标准输入。',
    '--from <program>': '加入其他程序的记录：keeper、cpa-manager-plus 或 usage-export。',
    '--upstream <name>': '与 --from 一起使用：处理这些请求的代理；存储有多个代理时需要。',
    '--state-db <path|address>':
      '存储；如果是文件，期间不得有服务使用它。省略时取配置中的 state_db。',
    '--state-db-password-file <path>': PASSWORD_FILE,
    '--config <path>': '从此配置文件读取 state_db。',
  },
  'migrate-history': {
    summary: '把存储从文件迁移到数据库；服务可以继续写入该文件。',
    '--from <path>': '存储文件；保持不变。',
    '--to <address>': '数据库，例如 postgres://host/database。',
    '--state-db-password-file <path>': PASSWORD_FILE,
    '--upstream <name>': '把文件并入其他代理的历史：其代理在那里的名称。',
  },
  top: {
    summary: '显示账号池的实时表格。',
    '--once': '只显示一次表格，然后结束；输出不是终端时也如此。',
    '--sort <order>': 'score、name、5h、week 或 reset。省略时为 score。',
    ...PROVIDER_WORDS,
    ...SERVICE_WORDS,
    s: '换一种账号顺序。',
    '/': '只显示含有所输入文字的账号；Enter 保留，Esc 清除。',
    'Up, Down, PgUp, PgDn': '滚动。',
    'q, Ctrl-C': '退出。',
  },
  plan: {
    summary: '说明应在代理处停用哪些账号、重新启用哪些账号；自身不做任何更改。',
    '--priorities': '同时建议路由优先级，让最好的账号先用。',
    '--sh': '以 shell 命令输出这些更改；KEY_FILE 指定密钥文件。',
    ...PROVIDER_WORDS,
    '--json': JSON_DOCUMENT,
    ...SERVICE_WORDS,
  },
  completion: { summary: '显示 shell 中命令、选项和值的补全脚本。' },
  line: {
    summary: '用一行显示账号池，供状态栏使用。',
    '--format <name>': `这一行供什么读取：${lineFormatNames.join(', ')}。省略时为 plain。`,
    '--alive': '尚不知道任何信息时也以 0 结束，供健康检查使用。',
    ...PROVIDER_WORDS,
    ...SERVICE_WORDS,
  },
  help: { summary: '说明程序或其中一个命令的用法。' },
}

const groups: Readonly<Record<CommandGroup, string>> = {
  Run: '运行',
  Look: '查看',
  Scripts: '脚本',
  'Set up': '安装与配置',
  History: '历史',
}

const exits: Readonly<Record<ExitText, string>> = {
  'it went well': '成功',
  'a mistake in the command line or the configuration': '命令行或配置有误',
  'what was asked for failed': '所要求的操作失败',
  'what was asked for failed, or the answer is no': '所要求的操作失败，或答案是否定的',
  'the answer is not known or too old': '答案未知或已过时',
  'nothing is known yet': '还没有任何读数',
  'the service is not reachable or does not answer': '无法连接到服务，或服务没有应答',
  'Ctrl-C, or nobody reads the output any more': '按了 Ctrl-C，或输出不再有人读取',
  'no such account': '没有这样的账号',
  'several such accounts, or a mistake in the command line or the configuration':
    '有多个这样的账号，或命令行或配置有误',
  'no account may be used': '没有可用账号',
  enough: '满足',
  'not enough': '不满足',
  'not known, or too old': '未知或已过时',
  'nothing to do': '无需更改',
  'changes to make': '需要更改',
  'no check failed': '没有检查未通过',
  'a check failed': '有检查未通过',
  'a check failed, a question was left, or a file is in the way':
    '有检查未通过，问题未回答，或有文件妨碍写入',
  'a message was not sent': '有消息未发出',
  'a part is missing, or a secret could not be read': '缺少某一部分，或有机密未能读取',
}

const artifacts: Readonly<Record<ArtifactId, string>> = {
  config: '每个设置项都有说明',
  systemd: '加固的单元',
  'systemd-user': '用户自己的单元，无需 root',
  launchd: 'Mac 上用户的代理程序',
  'backup-service': '备份一次历史',
  'backup-timer': '每晚备份一次',
  dockerfile: '含 Node 和本程序的 Debian 镜像',
  compose: '容器，非 root 且只读',
  postgres: '历史数据库（PostgreSQL）的角色和模式',
  'postgres-hba': '该角色可以从哪里登录',
  'postgres-compose': '容器旁的 PostgreSQL',
  nginx: '带 TLS 和登录的反向代理',
  caddy: '同上，用于 Caddy',
  prometheus: '抓取配置',
  rules: '配额的记录规则和告警',
  'rules-test': '这些规则的 promtool 测试',
  alertmanager: '告警发往何处',
  grafana: '可导入的仪表盘',
  'proxy-plugin': '让代理按排名选择账号',
  readme: '什么放在哪里，以及先后顺序',
  widgets: '状态栏和起始页',
  'client-labels': '客户端密钥的名称',
  prices: '自定价格，以及如何获取标价文件',
}

/** Help in simplified Chinese. */
export const chineseHelpWords: HelpWords = {
  about: '监视 CLIProxyAPI 后面账号池的配额，并指出下一个该使用的账号。',
  usage: '用法',
  sameProgram: '（sqm 是同一个程序）',
  noName: '（无）',
  options: '选项',
  keys: '按键',
  takesOfOne: '其中一个命令的用法和退出码。',
  configOption: '配置文件（TOML）；off 表示不读取。',
  helpOption: '显示本文。',
  helpAllOption: '显示本文；all：连同各设置项，它们也是选项。',
  versionOption: '显示版本。',
  artifacts: '部署文件',
  exitCodes: '退出码',
  settingsNote:
    '每个设置项也可以写成环境变量（--log-level 即 SVC_QUOTA_MONITOR_LOG_LEVEL）或配置文件中的键（log_level）。选项优先于环境变量，环境变量优先于文件。管理密钥本身只取自其文件或 SVC_QUOTA_MONITOR_MANAGEMENT_KEY，从不取自选项。',
  tables: {
    commands,
    groups,
    exits,
    headings: chineseHeadings,
    settings: chineseSettings,
    fallbacks: chineseFallbacks,
    artifacts,
  },
}
