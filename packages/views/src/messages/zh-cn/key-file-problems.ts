import type { KeyFileProblem } from '@svc/core/service'
import type { Words } from '../conditions/words.ts'

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
