#!/usr/bin/env bash
# Builds the plugin and runs its tests. The last line adds up the counts.
set -uo pipefail
cd "$(dirname "$0")"

if ! command -v cargo >/dev/null; then
  echo "The plugin of the proxy is skipped, because there is no cargo."
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
fi

# Adds one of the counts of all test programs up.
sum() {
  awk -v what="$1;" '/^test result:/ { for (i = 2; i <= NF; i++) if ($i == what) all += $(i - 1) } END { print all + 0 }' "$output"
}

output=$(mktemp)
trap 'rm -f "$output"' EXIT
# Tests of the loaded library need it built.
cargo build --release --locked && cargo test --locked --no-fail-fast 2>&1 | tee "$output"
status=$?
passed=$(sum passed)
failed=$(sum failed)
if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
echo "$passed passed, $failed failed"
exit "$status"
