import type { setUpWords as english } from '../set-up-words.ts'

/** Texts of the set-up panel, which helps until there is something to show, in simplified Chinese. */
export const setUpWords: typeof english = {
  title: '设置',
  steps: {
    gateway: '代理有响应',
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
  whereKey:
    '密钥即代理的 `remote-management.secret-key`（`config-version: 8` 的配置中为 `management.secret-key`）或 `MANAGEMENT_PASSWORD` 所设的明文，不是哈希。将它写入只有本服务能读取的文件（权限 0600），与配置放在一起：',
  whereConfiguration:
    '配置文件为 `~/.config/svc-quota-monitor/config.toml`，否则为 `/etc/svc-quota-monitor/config.toml`，除非 `--config` 指定了别的文件；`print-config` 显示生效的值及其来源。',
  check: '更改配置后请重新启动服务。以下命令检查全部配置：',
  connect: '这些账号是虚构的。要查看自己的账号，请不带 --demo 启动程序：',
  fromClone:
    '在克隆的仓库中，先运行 `npm run build`，再用 `node apps/cli/dist/main.js` 代替 `svc-quota-monitor`。',
  again: (seconds) => `每 ${seconds} 秒询问一次代理。`,
  toHealth: '在“健康”中查看全部',
}
