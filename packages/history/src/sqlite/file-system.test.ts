import { describe, expect, it } from 'vitest'
import { fileSystemBy, mountedAs } from './file-system.ts'

const FUSE = 0x65735546

describe('a file system', () => {
  it.each([
    ['NFS', 0x6969, 'network'],
    ['SMB', 0x517b, 'network'],
    ['SMB 2', 0xfe534d42, 'network'],
    ['CIFS', 0xff534d42, 'network'],
    ['9p', 0x01021997, 'network'],
    ['FUSE', FUSE, 'shared'],
    ['Ceph', 0x00c36400, 'shared'],
    ['GFS2', 0x01161970, 'shared'],
    ['Lustre', 0x0bd00bd0, 'shared'],
    ['the one of VirtualBox', 0x786f4256, 'shared'],
    ['ext4', 0xef53, 'local'],
    ['XFS', 0x58465342, 'local'],
    ['Btrfs', 0x9123683e, 'local'],
    ['ZFS', 0x2fc12fc1, 'local'],
    ['tmpfs', 0x01021994, 'local'],
    ['overlay', 0x794c7630, 'local'],
  ])('that is %s by its number is %s', (_, type, kind) => {
    expect(fileSystemBy(type, () => null).kind).toBe(kind)
  })

  it.each([
    ['virtiofs', 'shared'],
    ['fuse.sshfs', 'shared'],
    ['fuse.gcsfuse', 'shared'],
    ['fakeowner', 'shared'],
    ['fuse', 'shared'],
    ['fuseblk', 'local'],
  ])('in user space goes by its mount: %s is %s', (name, kind) => {
    expect(fileSystemBy(FUSE, () => name)).toEqual({
      kind,
      name: kind === 'local' ? 'local' : name,
    })
  })
})

const TABLE = `27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
31 27 0:41 / /srv rw,relatime shared:9 - virtiofs share rw
32 31 0:42 / /srv/my\\040disk rw - fuse.sshfs host:/ rw
33 27 0:43 / /mnt rw master:3 propagate_from:2 - nfs4 host:/ rw
34 27 0:44 / /mnt rw - fuseblk /dev/sdb1 rw
`

describe('the mount of a file', () => {
  it.each([
    ['/var/history.db', 'ext4'],
    ['/history.db', 'ext4'],
    ['/srv/history.db', 'virtiofs'],
    ['/srvs/history.db', 'ext4'],
    ['/srv/my disk/history.db', 'fuse.sshfs'],
    ['/mnt/history.db', 'fuseblk'],
  ])('%s is %s', (path, type) => {
    expect(mountedAs(path, TABLE)).toBe(type)
  })

  it('is not known without the table', () => {
    expect(mountedAs('/history.db', '')).toBeNull()
  })
})
