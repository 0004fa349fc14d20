export { unitNames } from '@svc/views/unit-names'
