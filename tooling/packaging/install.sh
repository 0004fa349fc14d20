#!/bin/sh
# Installs svc-quota-monitor, one executable: sh install.sh [--from <folder or https address>] [--prefix <folder>]
# --from: where checksums.txt and the archives are; by default the folder of this script.
# --prefix: the executable goes into its folder bin; by default ~/.local.
set -eu

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

from=$(dirname "$0")
prefix=${HOME:-}/.local
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || fail "$1 needs a value, or is not known: --from <folder or https address>, --prefix <folder>"
  case $1 in
    --from) from=$2 ;;
    --prefix) prefix=$2 ;;
    *) fail "$1 is not known: --from <folder or https address>, --prefix <folder>" ;;
  esac
  shift 2
done

case $(uname -s)-$(uname -m) in
  Linux-x86_64) platform=linux-x64 ;;
  Linux-aarch64 | Linux-arm64) platform=linux-arm64 ;;
  *) fail "there is no executable for $(uname -s) on $(uname -m): install Node 24 and the package of npm" ;;
esac

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

fetch() {
  case $from in
    https://* | http://*)
      if command -v curl >/dev/null; then curl -fsSL -o "$folder/$1" "$from/$1"; else wget -qO "$folder/$1" "$from/$1"; fi
      ;;
    *) cp "$from/$1" "$folder/$1" ;;
  esac || fail "$1 could not be had from $from"
}

fetch checksums.txt
line=$(grep -E "^[0-9a-f]{64}  svc-quota-monitor-[0-9A-Za-z.+-]+-$platform\.tar\.gz\$" "$folder/checksums.txt") ||
  fail "checksums.txt of $from names no archive for $platform"
[ "$(echo "$line" | wc -l)" -eq 1 ] || fail "checksums.txt of $from names more than one archive for $platform"
archive=${line#*  }
fetch "$archive"
(cd "$folder" && echo "$line" | sha256sum -c - >/dev/null 2>&1) ||
  fail "$archive has another checksum than checksums.txt says: nothing was installed"

tar -xzf "$folder/$archive" -C "$folder"
bin=$prefix/bin
mkdir -p "$bin" || fail "$bin cannot be made"
# A program that runs keeps its file; the new one takes its place at once.
cp "$folder/${archive%.tar.gz}/svc-quota-monitor" "$bin/.svc-quota-monitor.new" &&
  mv -f "$bin/.svc-quota-monitor.new" "$bin/svc-quota-monitor" &&
  ln -sf svc-quota-monitor "$bin/sqm" || fail "$bin cannot be written: nothing was installed"
echo "Installed $("$bin/svc-quota-monitor" --version) as $bin/svc-quota-monitor, and sqm beside it."
case :${PATH:-}: in
  *:"$bin":*) echo "Next: svc-quota-monitor --demo, or svc-quota-monitor setup" ;;
  *) echo "$bin is not in your PATH. Next: $bin/svc-quota-monitor --demo, or $bin/svc-quota-monitor setup" ;;
esac
