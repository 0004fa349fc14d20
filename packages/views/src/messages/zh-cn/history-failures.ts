import type { HistoryFailureCode } from '@svc/core/service'
import type { Words } from '../conditions/conditions.ts'
import type { DatabaseCode } from '../en/history-failures.ts'

const storeConditions: Readonly<Record<HistoryFailureCode, Words>> = {
  module_missing: {
    summary: '本机未安装或未编译 SQLite 模块（better-sqlite3）。',
    remedy: '允许其构建脚本并安装，然后重启；doctor 会给出命令。',
  },
  sqlite_too_old: {
    summary: 'SQLite 库版本低于 3.51.3，可能损坏存储。',
    remedy: '更新 Node 或 better-sqlite3，以 doctor 所指的为准。',
  },
  cannot_open: {
    summary: '历史存储无法打开。',
    remedy: '检查 state_db 所在目录是否存在，以及本服务能否写入。',
  },
  unreachable: {
    summary: '无法连接保存历史的数据库。',
    remedy: '检查数据库是否在运行，以及 state_db 中的地址是否正确。',
  },
  not_trusted: {
    summary: '保存历史的数据库不加密，或无法证明自己的身份。',
    remedy: '为其主机名安装证书；若用自建的证书机构，请在 state_db 的 sslrootcert 中指定其证书。',
  },
  login_refused: {
    summary: '保存历史的数据库拒绝登录。',
    remedy:
      '检查 state_db 中的用户，以及 state_db_password_file、PGPASSFILE 或 PGPASSWORD 中的密码；init postgres-hba 会写出 pg_hba.conf 中允许其登录的行。',
  },
  not_permitted: {
    summary: '数据库不允许该用户保存历史。',
    remedy: '将模式 svc_quota_monitor 的所有者设为该用户；init postgres 会写出所需语句。',
  },
  server_too_old: {
    summary: '保存历史的数据库版本低于 PostgreSQL 15。',
    remedy: '将 state_db 指向更新版本的数据库。',
  },
  not_holder: {
    summary: '同一存储的另一个监控已接管。',
    remedy: '无需操作；用量记录现由它读取。',
  },
  network_file_system: {
    summary: '历史存储位于网络文件系统上，SQLite 无法加锁。',
    remedy: '将 state_db 移到本机磁盘。',
  },
  not_a_database: {
    summary: 'state_db 指定的文件不是 SQLite 数据库；文件未被改动。',
    remedy: '将 state_db 指向其他文件，或移走该文件。',
  },
  not_ours: {
    summary: 'state_db 指定的数据库属于其他程序；文件未被改动。',
    remedy: '将 state_db 指向专用的文件。',
  },
  newer_version: {
    summary: '历史存储由本程序的更新版本写入；文件未被改动。',
    remedy: '更新本程序，或将 state_db 指向其他文件；doctor 会说明如何退回更新前的副本。',
  },
  corrupt: {
    summary: '历史存储已损坏；文件未被改动。',
    remedy: '停止服务，移走该文件，并导入最近一次导出。',
  },
  locked: {
    summary: '另一个监控正在使用该存储。',
    remedy: '停止另一个服务，或为每个服务设置各自的 state_db。',
  },
  several_names: {
    summary: '历史存储的文件还有第二个名称（硬链接），其他程序可能借此损坏它。',
    remedy: '删除另一个名称；不是链接的副本可以保留。',
  },
  busy: {
    summary: '其他程序一直锁定历史存储。',
    remedy: '停止该程序，或等待。',
  },
  read_only: {
    summary: '存储无法写入。',
    remedy: '为本服务授予该文件及其目录的写权限。',
  },
  disk_full: {
    summary: '磁盘空间不足，历史存储无法写入。',
    remedy: '清理磁盘空间，或将 state_db 移到其他磁盘。',
  },
  io_error: {
    summary: '历史存储所在的磁盘报告错误。',
    remedy: '检查磁盘和系统日志。',
  },
  crashed: {
    summary: '写入历史存储的线程已退出，正在重新启动。',
    remedy: '若持续如此，请查看日志。',
  },
  not_answering: {
    summary: '存储没有响应。',
    remedy: '检查 state_db 所在的磁盘；卡在磁盘上的进程在 ps 中显示为状态 D。',
  },
  replaced: {
    summary: '历史存储的文件在使用中被删除或替换。',
    remedy: '重启服务。',
  },
}

const databaseConditions: Readonly<Record<DatabaseCode, Words>> = {
  module_missing: {
    summary: '未安装 PostgreSQL 驱动（pg）。',
    remedy: '重新安装 svc-quota-monitor，不要使用 --omit=optional，然后重启。',
  },
  cannot_open: {
    summary: '保存历史的数据库无法使用。',
    remedy: '检查该数据库是否存在，以及 state_db_password_file 能否读取；doctor 会指出是哪一项。',
  },
  newer_version: {
    summary: '历史的表由本程序的更新版本建立；未被改动。',
    remedy: '更新本程序，或将 state_db 指向其他数据库。',
  },
  corrupt: {
    summary: '保存历史的数据库报告数据损坏。',
    remedy: '查看数据库日志，并恢复其最近一次备份。',
  },
  busy: {
    summary: '保存历史的数据库被锁定，或不再接受连接。',
    remedy: '查找锁定它的程序，或调高 max_connections。',
  },
  read_only: {
    summary: '保存历史的数据库不接受写入。',
    remedy:
      '将 state_db 指向主服务器，备库应写在 state_db_replica 中；若已是主服务器，请取消 default_transaction_read_only。',
  },
  disk_full: {
    summary: '保存历史的数据库空间不足。',
    remedy: '为数据库存放数据的位置腾出空间。',
  },
  io_error: {
    summary: '保存历史的数据库无法读写其数据。',
    remedy: '检查数据库所在的机器及其日志。',
  },
  not_answering: {
    summary: '保存历史的数据库没有响应。',
    remedy: '检查其所在的机器以及到它的网络。',
  },
}

export const storeWords = { file: storeConditions, database: databaseConditions }
