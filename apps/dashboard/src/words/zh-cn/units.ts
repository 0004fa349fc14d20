export { unitNames } from '@svc/views/unit-names/zh-cn'
