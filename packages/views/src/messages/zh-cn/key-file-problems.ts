import type { KeyFileProblem } from '@svc/core/service'
import type { Words } from '../conditions/words.ts'

export const keyFileConditions: Readonly<Record<KeyFileProblem, Words>> = {
  missing: {
    summary: 'management_key_file 指定的文件不存在。',
    remedy: '创建该文件，或改正 management_key_file。',
  },
  unreadable: {
    summary: '密钥文件无法读取，或其中没有密钥。',
    remedy: '让本服务能够读取该文件；文件须以一行纯文本保存密钥，不得使用双字节编码。',
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
}
