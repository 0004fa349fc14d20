import type { Catalogue } from '../en/catalogue.ts'
import { spaced } from './spaced.ts'

export const schedulers: Catalogue['schedulers'] = {
  title: (version) => spaced`调度插件 ${version}`,
  states: {
    routes: { what: '按排名分配请求。' },
    waits: { what: '遵循排名，正在等待请求。' },
    unreported: { what: '读取排名。此版本不报告是否按排名分配。', remedy: '请更新插件。' },
    pauses: { what: '目前没有查询。五分钟没有请求后会暂停。' },
    silent: {
      what: '已停止查询，而仍有请求：它们按代理自己的策略分配。',
      remedy: '请查看代理日志和插件的 url。',
    },
    not_following: {
      what: '有查询，但无法使用回答：请求按代理自己的策略分配。',
      remedy: '原因见代理日志。',
    },
    not_consulted: {
      what: '遵循排名，但代理分配请求时没有询问它：另有调度插件排在前面。',
      remedy: '请提高此插件的 priority，或关闭另一个插件。',
    },
    picks_nothing: {
      what: '把所有请求都留给代理：账号全部不可用，或此服务没有监控该代理的账号。',
      remedy: '请查看账号列表以及插件的 url 和 upstream。',
    },
    refused_host: {
      what: '查询被拒绝：其 url 中的主机名不在允许之列。',
      remedy: '请用 --allowed-host 加上该主机名启动服务。',
    },
    refused_upstream: {
      what: '查询被拒绝：其 upstream 设置指定的代理不在监控之列。',
      remedy: '请把 upstream 设为此服务配置中的名称，或去掉它。',
    },
  },
}
