import type { refusalRemedies as english } from '../en/refusal-remedies.ts'

export const refusalRemedies: Readonly<Record<keyof typeof english, string>> = {
  unauthorized: '设置代理所配置的管理密钥：用明文，不是哈希。',
  forbidden:
    '在代理上设置 remote-management.allow-remote 或 MANAGEMENT_PASSWORD，或在代理所在的机器上运行本监控。',
  banned: '在封禁结束前改正管理密钥。',
}
