import type { KeyFileProblem, SourceFailureCode } from '@svc/core/service'
import type { Words } from '../conditions/conditions.ts'
import type { refusalRemedies as english } from '../en/source-failures.ts'
import type { SourceFailureWords } from '../names/names.ts'

export const sourceConditions: Readonly<Record<SourceFailureCode, SourceFailureWords>> = {
  unreachable: ({ name, reachable }) => ({
    badge: '无法访问',
    summary: `无法连接到${name}。`,
    remedy: reachable,
  }),
  timeout: ({ name, reachable }) => ({
    badge: '超时',
    summary: `${name}没有及时响应。`,
    remedy: reachable,
  }),
  tls: ({ name, addressKey }) => ({
    badge: 'TLS',
    summary: `无法与${name}建立安全连接。`,
    remedy: `检查其证书和 ${addressKey} 的协议。`,
  }),
  dns: ({ name, addressKey }) => ({
    badge: 'DNS',
    summary: `无法解析${name}的主机名。`,
    remedy: `改正 ${addressKey} 中的主机名，或检查域名解析服务。`,
  }),
  too_large: ({ name, addressKey, isFile }) => ({
    badge: '过大',
    summary: isFile ? `${name}的文件过大，无法读取。` : `${name}的响应过大，无法读取。`,
    remedy: isFile ? `检查 ${addressKey} 指定的文件。` : `检查 ${addressKey} 处是什么在响应。`,
  }),
  bad_payload: ({ name, addressKey, isFile }) => ({
    badge: '无法读取',
    summary: isFile ? `${name}的文件格式不正确。` : `无法理解${name}的响应。`,
    remedy: isFile
      ? `改正 ${addressKey} 指定的文件；日志和 doctor 会说明问题所在。`
      : `检查 ${addressKey} 处是什么在响应，以及其版本。`,
  }),
  redirected: ({ name, addressKey }) => ({
    badge: '重定向',
    summary: `没有跟随来自${name}的重定向。`,
    remedy: `将 ${addressKey} 设为重定向后的地址。`,
  }),
  throttled: ({ name, calmer }) => ({
    badge: '限流',
    summary: `${name}要求减少查询。`,
    remedy: calmer,
  }),
  server_error: ({ name }) => ({
    badge: '服务器错误',
    summary: `${name}返回了服务器错误。`,
    remedy: '查看代理的日志。',
  }),
  management_disabled: ({ addressKey, address }) => ({
    badge: '无 API',
    summary: address === undefined ? '该地址没有管理 API。' : `${address} 没有管理 API。`,
    remedy: `在代理上设置 remote-management.secret-key（config-version: 8 的配置中为 management.secret-key），或改正 ${addressKey}；Home 的节点没有管理 API。`,
  }),
  home: ({ addressKey, address }) => ({
    badge: 'Home',
    summary: `${address ?? '此地址'}上应答的是 CLIProxyAPI Home，本监控不读取 Home。`,
    remedy: `将 ${addressKey} 设为不属于任何 Home 的代理；Home 的节点没有管理 API。`,
  }),
  unsupported: () => ({
    badge: '不支持',
    summary: '此版本的代理不提供该功能。',
    remedy: '更新代理。',
  }),
  forbidden: () => ({
    badge: '禁止',
    summary: '代理拒绝来自本地址的管理请求。',
    remedy: refusalRemedies.forbidden,
  }),
  unauthorized: () => ({
    badge: '密钥被拒',
    summary: '代理拒绝了管理密钥。',
    remedy: refusalRemedies.unauthorized,
  }),
  banned: () => ({
    badge: '封禁',
    summary: '代理暂时封禁了本地址。',
    remedy: refusalRemedies.banned,
  }),
  no_key: () => ({
    badge: '无密钥',
    summary: '没有管理密钥。',
    remedy: '设置 management_key_file。',
  }),
  blocked_by_vendor: () => ({
    badge: '被拦截',
    summary: '厂商拒绝的是查询本身，而不是账号。',
    remedy: '等待，或让代理从其他地址访问厂商。',
  }),
  file_unreadable: ({ name, addressKey }) => ({
    badge: '无法读取',
    summary: `${name}的文件无法读取。`,
    remedy: `检查 ${addressKey} 指定的文件是否允许本服务读取。`,
  }),
  file_untrusted: () => ({
    badge: '不可信',
    summary: '含有机密的文件未被使用：它属于其他用户，或者其他用户可以写入它或它所在的文件夹。',
    remedy: '将文件交给本服务的用户，并取消其他用户的写权限；doctor 会指出是哪个文件。',
  }),
  store_unavailable: () => ({
    badge: '存储',
    summary: '历史存储目前无法使用。',
    remedy: '参见关于历史的待办。',
  }),
  clock_doubted: () => ({
    badge: '时钟',
    summary: '本机时钟不可信期间不读取任何数据。',
    remedy: '参见关于时钟的待办。',
  }),
  unexpected_status: ({ name, addressKey }) => ({
    badge: '异常状态',
    summary: `${name}返回了意外的状态码。`,
    remedy: `检查 ${addressKey} 处是什么在响应。`,
  }),
}

export const keyFileConditions: Readonly<Record<KeyFileProblem, Words>> = {
  missing: {
    summary: 'management_key_file 指定的文件不存在。',
    remedy: '创建该文件，或改正 management_key_file。',
  },
  unreadable: {
    summary: '密钥文件无法读取。',
    remedy: '让运行本服务的用户能够读取密钥文件（chown、chmod 600）。',
  },
  closed_folder: {
    summary: '密钥文件所在的目录不允许本服务进入。',
    remedy: '让运行本服务的用户能够进入密钥文件的各级上级目录（chmod，或设置其用户组）。',
  },
  not_a_file: {
    summary: 'management_key_file 指定的不是普通文件。',
    remedy: '将 management_key_file 指向一个普通文件。',
  },
  foreign_owner: {
    summary: '密钥文件属于其他用户，可能被其修改，因此不使用其中的密钥。',
    remedy: '将密钥文件的所有者改为运行本服务的用户或 root（chown）。',
  },
  writable_by_others: {
    summary: '其他用户可以写入密钥文件或其所在目录，因此不使用其中的密钥。',
    remedy: '取消其他用户对密钥文件及其上级目录的写权限（chmod go-w）。',
  },
  too_large: {
    summary: '密钥文件过大，不像是密钥。',
    remedy: '文件中只保留管理密钥。',
  },
  empty: { summary: '密钥文件为空。', remedy: '将管理密钥写入该文件。' },
  utf16: {
    summary: '密钥文件采用双字节编码，一些编辑器会这样保存。',
    remedy: '将密钥文件另存为单字节编码的纯文本。',
  },
  nul: {
    summary: '密钥文件含有空字节，不是文本。',
    remedy: '以纯文本重新写入密钥；文件可能被二进制内容取代。',
  },
  several_lines: {
    summary: '密钥文件有多行内容。',
    remedy: '文件中只保留一行管理密钥。',
  },
  odd_characters: {
    summary: '密钥含有请求头无法携带的字符，例如变音字母、制表符或控制字符。',
    remedy: '重新复制密钥，只含英文字母、数字和符号。',
  },
}

export const refusalRemedies: Readonly<Record<keyof typeof english, string>> = {
  unauthorized: '设置代理所配置的管理密钥：用明文，不是哈希。',
  forbidden:
    '在代理上设置 remote-management.allow-remote（config-version: 8 的配置中为 management.allow-remote）或 MANAGEMENT_PASSWORD，或在代理所在的机器上运行本监控。',
  banned: '在封禁结束前改正管理密钥。',
}
