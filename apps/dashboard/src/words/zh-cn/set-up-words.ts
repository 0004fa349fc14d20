import type { setUpWords as english } from '../set-up-words.ts'
import { strings } from './strings.ts'

/** The texts of the panel that helps until there is something to show, in simplified Chinese. */
export const setUpWords: typeof english = {
  title: '设置',
  steps: {
    gateway: '代理有应答',
    key: '管理密钥被接受',
    accounts: '已读取账号列表',
    quota: '已读取配额',
    history: '用量已保留',
  },
  states: {
    done: '完成',
    wrong: '需要处理',
    waiting: '等待中',
    later: '完成以上步骤之后',
    optional: '可选',
  },
  settings: {
    gateway: 'upstream_url = "http://127.0.0.1:8317"',
    key: 'management_key_file = "/path/to/key-file"',
    history: 'state_db = "/path/to/history.db"',
  },
  doctor: 'svc-quota-monitor doctor',
  check: '更改配置后请重新启动服务。以下命令检查全部配置：',
  again: (seconds) => `${strings.waiting}每 ${seconds} 秒询问一次代理。`,
  toHealth: '在“健康”中查看全部',
  doLabel: strings.doLabel,
}
