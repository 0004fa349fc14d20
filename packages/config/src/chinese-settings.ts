import type { SettingKey } from './config-schema.ts'
import type { SettingHeading } from './setting.ts'

/** Headings of the settings in simplified Chinese. */
export const chineseHeadings: Readonly<Record<SettingHeading, string>> = {
  Listener: '监听',
  Proxy: '代理',
  Quota: '配额',
  History: '历史',
  'Display and alerts': '显示与告警',
  Log: '日志',
}

/** Descriptions of the settings in simplified Chinese. */
export const chineseSettings: Readonly<Record<SettingKey, string>> = {
  host: '监听的地址。',
  port: '监听的端口。',
  allowed_hosts: '浏览器访问本服务时使用的主机名；可重复此选项，或用逗号分隔。',
  manual_quota_refresh_auth: '谁可以发起刷新：page-token、management-key 或 none。',
  upstream_url: '代理的基础 URL。',
  gateway_health_url: '查询网关是否存活的地址。',
  upstream_ui_url: '代理自己的页面在浏览器中的地址，需要重新登录时给出链接。',
  management_key_file: '保存代理管理密钥的文件。',
  upstreams_file: '含 [[upstream]] 表的 TOML 文件，每个代理一个表，用于多个代理。',
  refresh_seconds: '两次读取账号列表的间隔。',
  upstream_timeout_seconds: '一次代理调用的时限，包括响应头和正文。',
  auth_dir: '认证文件所在的目录，仅用于 quota_transport auth-files。',
  quota_transport: '如何查询配额：auto、api-call（令牌留在代理中）、auth-files 或 off。',
  quota_probe_concurrency: '同时进行的配额查询数。',
  quota_probes_per_minute: '任意一分钟内的配额查询数，包括套餐查询。',
  quota_probe_providers:
    '向哪些提供商的厂商查询配额。Google 曾因此类查询关闭账号，因此 antigravity 须明确写出。',
  weekly_to_five_hour_multiplier:
    '5 小时配额的上限为每周配额的百分比乘以此数；off：只有每周配额用尽时才受限。',
  usage_source: '用量记录的来源；queue 和 subscribe 需要 state_db。',
  state_db: '用量历史：SQLite 文件，或数据库地址，如 postgres://host/database。',
  state_db_password_file: '保存 state_db 密码的文件，仅用于数据库。',
  state_db_replica: 'state_db 的备库，图表从中读取。',
  history_write_seconds: '两次保存快照的间隔。',
  history_retention_days: '配额历史的保留时间。',
  usage_retention_days: '单条用量记录的保留时间；合计一直保留。',
  metrics_series_max: '用量指标中列出的模型数，客户端亦同；0 为不提供这些指标。',
  price_file: 'LiteLLM 或 models.dev 的标价 JSON 文件；如何获取见 init prices。',
  price_overrides: '自定价格、倍率和订阅的 TOML 文件。',
  client_labels_file: '按 API 名称给客户端命名的 JSON 文件。',
  benchmark_summary: '外部基准测试的摘要文件；只显示，从不采用。',
  display_timezone: '文本中时刻所用的时区。',
  ics_names: '在重置日历中以标题（可能是邮箱地址）称呼账号。',
  display_language: '页面和应答文本的语言：en 或 zh-CN；其他语言以英文显示。',
  alert_five_hour_min_plus: '已知剩余的 5 小时配额少于此数时提出待办，以 Plus 单位计。',
  alert_weekly_min_plus: '同上，针对每周配额。',
  alert_routable_min: '可用账号少于此数时提出待办。',
  log_level: 'stderr 上的最低日志级别：debug、info、warn 或 error。',
  log_format: 'text 或 json，每条一行。',
}

/** Translated defaults that are words; values stay as typed. */
export const chineseFallbacks: Readonly<Record<string, string>> = {
  none: '无',
  '4515, demo 4516': '4515，演示模式 4516',
  'healthz of the proxy': '代理的 healthz',
  'management.html of the proxy': '代理的 management.html',
  'zone of this machine': '本机时区',
}
