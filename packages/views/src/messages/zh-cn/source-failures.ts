import type { SourceFailureCode } from '@svc/core/service'
import type { SourceFailureWords } from '../names/source-names.ts'
import { refusalRemedies } from './refusal-remedies.ts'

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
    remedy: `在代理上设置 remote-management.secret-key，或改正 ${addressKey}。`,
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
