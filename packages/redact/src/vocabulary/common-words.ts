/**
 * Words that are harmless in any place: English, and the terms of HTTP, SQL, shells, containers, Go, Node and the proxy. No names of persons, places,
 * companies, animals, plants or colours, because passwords and pet names consist of these.
 */
export const commonWords = `
am an as at be by do go he if in is it me my no of on or so to up us we ok id ip os db io js ts md sh vs ui cd ls cp mv rm kb mb gb tb ms ns cn zh en
de eu ad rx tx fd eg ie re un le pr qa ha ht wg ci ai pg qr ability able accent accepting accessed accessible accordingly accuracy accurate achieve
acknowledge acquire across activate activated activation actual actually adapter additionally adjust adjusted admin administrator admission affect
affected afterwards against aggregate aggregated algorithm aligns allocated allocation almost ambiguous analysis analytics annotation anonymous
antivirus apache apiserver apiversion appear appeared appears append appended applications approve approved approximately arbitrary archive archived
area argued arithmetic arrange article aside assert assertion assigned assignment assistants associate associated assume asynchronous atom atomic
attached attempted attempting attention attribute attributes authenticator author authored authorize authorized automated automatically autocomplete
avatar aware backed backing backtrace backward backwards bandwidth banner baseline basis beforehand behaviour behavior belief believe belongs beneath
bits bootstrap boots bottom branch branches breaking breaks brief broadcast broker bug bugs builder builds bulk bump busybox bypass bytecode callback
callbacks capable captured careful carried caught caution celsius center central centre certainly certificates certs cgroup chain chained chapter
charge charged chown chrome chromium cidr circuit citation claims clang cleanup clientip clients clipboard cloning cloud clusters codepage coded
collection collision combination combined comfortable commands commenced commits committed committing communicate communication community company
compatible compatibility compile complex complexity compliance computed computer concept concern concise conclude concrete concurrent conditional
confidential confirms conform confused connecting connectivity consider considered consistency consistent consists console constantly construct consume
consumed consumer consumers contact contained containers containing contains contention contents contextual contiguous contribute contributing
contribution convention convert converted convenient cookie cookies coordinate coredns cores corner correctly correlation corresponding corruption
costs couldn countries country coupled covered covering covers cpu cpus creates creating criteria cron crontab cross crypto cubic currency currently
customer customers customise customize cyclic databases dataset dates datetime deadlock deadlocks deal debugging december decides declaration declared
decoded decreased decrypt dedicated deduplicate deemed default defer deferred define defined defines deletes deleting deliberately delimiter delivering
denied dependencies dependency dependent depending deprecated deprecation deserialize designed desired destination detected detecting detection detects
determine determined determines developer developers development device diagnose diagnosed dictionary didn difficult digit dimension dimensions
directed directive directly dirty disconnect disconnected discontinued discovered discuss discussion displayed disposable distributed distribution
divide divided docs documentation documented documents doesn doing domain don doubled downgrade downstream downtime drawn drive drivers dropping dump
dumped dumps duplicated durable during dynamic dynamically easier easily easy edited editing edition effectively efficient effort elem elected election
eligible email embedded emergency emitted emits emphasis employee emulate enables enabling enclosed encounter encountered encrypting endless endpoints
enforced enforcement engineer engineering enhance enormous entire entirely entities entity enumerate environments ephemeral equally equivalent escalate
especially essential established establishing estimate estimated evaluating eventual eventually everyday evict evicted eviction exceed exceeds
exceptional exceptions exchanged excluded excludes excluding exclusively executed executes executing executable execution executions exhaust exhaustion
exited exiting expand expanded expansion expensive experience experimental expert expiration expiring explicit explicitly exporter exporters exports
expression expressions extended extending extension extensions extern externally extracted extracting extreme facility factory failover fairly falling
familiar faster fastest favicon favour fedora feedback fetching fieldset filesystem filesystems filtering financial firefox firmware fixes fixing
flavour flexible flow flows flushed flushing focus folks fonts footer forcing forgot formal formatting forwarded forwarding forwards foundation
fractional framework frequency frequent frequently friday friendly fully fulfil functionality functions furthermore garbage general generally generate
generates generating generators generous geo getter git github gitlab gitea globally goal goals golang goroutine goroutines gradle grammar grants graph
graphql gratis greater greeting groupby grpc guarantee guaranteed guest guide guidelines half handling happen happening hardware haven having headless
heartbeat heartbeats helper helpers helpful helps hence hexadecimal hidden hierarchy highlight hints histograms hook hooks hosted hosting however hub
huge human humans hybrid hyper hyphen hypertext icmp icon icons idea ideal ideally idempotent identical identify identifiers idled illegal illustrate
images immediately impact impersonate implement implementation implemented implements implicit implied importance important impossible improve improved
improvement inactive inbound incident incidents inclusive incompatible incomplete incorrect increased increases increasing increment incremented
indefinitely independent independently indexed indexes indexing indicate indicated indicates indicating indicator indices indirect induced industry
inform information ingress inherit inheritance inhibited init initial initialise initialised initialize initialized initializing initially initiate
initiated initiator inline inode inodes inotify inserts insight instances instruction instructions insufficiently integrate integrated integration
integrity intended intent intentional interactive intercept interest interfaces intermediate intermittent internally internet interpolate interpret
interpreted interpreter interrupts introduced introduction invocation invoke invoked involved irrelevant isn isolated java jobs joining journald json
keepalive keepalived kept keyboard keyring keys keystore keyword keywords kibana kicked kills kilobytes kubectl kubelet labeled lambda landed landing
languages largely lastly launcher launching layer layers layout leadership leading leak leaked leaks learning leftmost legal legitimate lengths lesson
libraries licence licenses lifecycle lifetime likely limitation limitations limiter limiting linear linked linking lint linux literally litres loader
loading locally located locations lockfile locking locks logfile logger loggers logging logic logical login logo logout logrotate looping lots lru
luckily macos magnitude mailbox mailto maintenance major majority makefile malloc manage manager managers manages managing mandatory manually manuals
mapping markdown markup markers master matched mathematical matter matters maybe meaningful meantime mechanism media memcached mention mentioned menu
merges merging messaging met micro microseconds microsoft middleware migrated migrating mimetype mind minikube minimal minimise minimize minor mirror
misconfigured mitigate mkdir mobile mocked mocks moderate modern modification modifications modifier modify modular module monday monitored monospace
morning mostly motion mouse mounting mounts moving mozilla multiline multipart multiple multiplexed mutable mutex mutual mysql mysqldump nanoseconds
narrow natively navigator necessarily necessary negotiate negotiated negotiation neighbour nested netmask netrc neutral nevertheless newline nftables
nice nightly nodename nonce noop normally notably noticed notification novel november numeral numerous oauth objective obsolete obtain obtained obvious
occasion occasionally occur occurred occurs october official offline offsets okay older omits ongoing onto opaque openid opensearch openshift openssh
operand operate operated operates operations operators opinion opposite optimal optimise optimize optimized orchestrator ordered ordering ordinary
organisation organizations orphan orphaned outage outages outbound outputs overall overlay overload overloaded overview overwrite overwriting owned
owners ownership packages packets pagination pairing paragraph parallel parents parses parsing participate particular particularly passing passphrase
passthrough patched patches peak peers pendant penultimate perfect perform performed performing performs perhaps periodic periodically periods
permanent permanently permissive permits permit persist persisted persistence persists personally perspective phases phase physical pick pinned pinning
pipelines pkg placement plaintext planner platforms please plenty plot plugged plugins pod pods pointer pointers policies polished pollute populate
populated popular portal portion portions possibility possibly postfix potential potentially practical practice preceding precise precisely
precondition predefined predicate predict predicted prediction preferably preference preferences preflight preload premature prepend preprocess
prerequisite presence presents preserve preserved preserves prevent prevented prevents previously pricing principal principle prior prioritise
privately privileges probably probing proceed proceeding processed processes processing processor processors produce produced producer produces product
production products professional profiles profiling programmatic programming prohibited prohibits prompt prompts promote promoted proof propagate
propagated properly proportion protecting protection protocols provide provides providing provision provisioned provisioning proxying proxyapi pseudo
publicly pulled pulling pulls purge purged purposes pushes pushing python queries queueing quickly quietly quite quotation rabbitmq random randomly
range ranks rapid rapidly rarely rather reaching react reaction reacts realise realm reboot rebooted recalculate receives receiving recipe recipient
recipients recognised recognize recognized recommended reconcile reconnect reconnected reconnecting reconnects recover recovering recovers recreate
recreated recurring recursion recycle redeploy redirection redo reduced reduces reducing reduction redundant refactor referenced referencing refers
reflect refreshed regarding regardless regards region regional regions registered registering registration registrations regression regularly rejects
related relate relations relationship relative relatively relay releases relevant reliability reliable reliably relies relink reload reloaded reloading
rely remainder remarks reminder removes removing renaming rendered renderer rendering renders renewing reopened reorder repair repaired repairs
repeatedly repeating replacing replicas replicate replicated replicaset replied replies reply repo reporter reporting reports repository reproduce
reproduced requester requesting requirement requirements requires rescheduled reschedule research reserved resets resetting resident resilient
resolution resolutions resolver resolves resolving respect respectively responded responding responds responsibility responsible responsive restarted
restarts restored restores restoring restrictions resuming resumed retained retains retired retries retrieved retrieves retrieving reused revert
reverted reverts reviewed revision revisions revokes rewriting rewritten rfc rollout root rotate rotated rotates rotating rotation roughly roundtrip
router routers rpc rpm rsync rtt ruby ruleset runnable runtime runtimes rust safari safely safety salted sampling sandbox sanitise sanitize sanitized
satisfy saturday saves saving scalable scalar scaling scanned scanner scanning scans scenario scenarios schedules scheduling scraped scraper scraping
scratch scripting scrolled seamless searched searches searching secured securely seeking segments selected selecting selinux semantic semantics
semaphore semicolon separately separates separator sequence sequences sequential sequentially serialise serialised serialize serialized serializer
serious serverless serving setuid setter sever sharding shared sharply sheet shifts shipped shipping shortcut shortcuts shortened shorten shown
shutdown sidebar sidecar siblings sibling signature signatures significant significantly signing signout signup similar similarly simplified simplify
simply simulate simulated simulation simultaneous simultaneously singular situation situations sized skipped skipping sleep sleeping sleeps slightly
slowing slowest smaller smart snippet soft software solution solutions solve solved somehow somewhat somewhere sooner sorry sorting sourced spaces spam
spans spawn spawned spawning special specialised specific specifically specification specified specifier specifies specify spike spikes spinner
splitting sqlite squash stability stack stacks stacktrace staff staging stakeholder stamp stamped standalone standards stacked startup starved
statefulset stateless statically stating statuses steadily stderr stepping stopping straightforward strategies strategy streaming strictly strip
stripped strongly structural structure structured structures stub stubs stuck stuff styles subcommand subdirectory subdomain submission submit
submitted submodule subnet subprocess subscriber subscribers subsequent subsequently subsystem subtle subtract succeeded succeeding succeeds
successfully sudo suffer suffered sufficient sufficiently suggest suggested suggestion suggestions suitable suite summarise sunday super superseded
supplied supplier supplies supply supported supporting supposed sure surface surrounding surprising suspend suspended suspends sustain swagger switches
switching sync synced syncing synchronise synchronised synchronization synchronize synchronized syntactic systemwide syslog tabular tag tagged tagging
tailing talk tasks teardown technical technique technology telemetry template templates temporarily tenant tenants tends tension terminates terminating
termination terraform testing texture thanks theory therefore thread thousand thousands throttle throttled throttles throttling throughput throws
thrown thursday ticket tickets tightly timed timeline timings timeouts tiny titles toggle tolerant tomorrow tool toolbar toolchain tooling tools
topology torn touch touched touches toward towards traceback traceparent traces tracing traditional traffic trailing trained training transaction
transactions transcript transferred transferring transfers transient transit transitive translate translation transmission transmit transmitted trash
traverse treat treated tries triggered triggering trivial troubleshooting truncating trust truth tuesday tuning tunnels turns tutorial twist typical
typically typo ubuntu uname unavailability unbounded uncommitted unconditional undocumented unexpectedly unfortunately unicode uniform uniformly
unimplemented uninitialized uniquely universal unix unlikely unlimited unlink unlock unlocked unmarshal unmarshalling unmount unnecessary unpack
unprivileged unprocessable unreadable unreachable unregister unregistered unresolved unresponsive unsigned unstable unsubscribe unsuccessful unsure
untouched untrusted unusual upcoming updater updates updating upfront upgraded upgrades upgrading upload uploaded uploading uploads uppercase uptime
urgent usability useful usefully useless userinfo usernames utilities utility utilised vacuum validate validates validating validity validations
valuable variation varied varies various varying vault vendored verification verified verifier verifying vertical very via video viewer viewport
violated violates violations virtual virtualenv visibility visible vision visit visited visitor visitors visual vital vite vitest vnode voice volatile
vulnerability vulnerable waits waking walking wanting warmup warned warns wasn wasted watcher watchdog watchers weaker webapp webkit webpack website
websites websocket websockets wednesday weekly weird weighting welcome weren whenever whereas whether whitelist whitespace whoami widely widget wiki
windowing wireless wired within won wonder workaround workbook workflow workflows workload workloads workstation world worldwide worried worse wouldn
wrap wrapper wrappers wraps writeable wrongly xpath yesterday yielded younger zip zipped zombie january february march april june july august september
mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec utc gmt cet cest bst est edt pst pdt pm today ago seconds minutes hours
days weeks months years msec usec nsec sec mins hrs ghz mhz khz hz kbps mbps gbps bps kib mib gib tib bytes bit px pt em rem fps dpi h2c utf8 utf16
ascii sha1 sha224 sha256 sha384 sha512 md5 crc32 ed25519 x509 pkcs8 rs256 hs256 es256 ps256 aes128 aes256 rsa rsa2048 ecdsa ecdh dsa hmac pbkdf2 bcrypt
scrypt argon2 argon2id chacha20 poly1305 tls12 tls13 tlsv1 sslv3 ipv4 ipv6 tcp4 tcp6 udp4 udp6 ip4 ip6 in6 x64 x86 arm64 aarch64 amd64 armv7 armv8
ppc64le s390x i386 i686 riscv64 win32 win64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 varchar timestamp timestamptz bigint
smallint tinyint bytea jsonb s3 ec2 k8s k3s i18n l10n inf nan fds libuv af inet descriptors descriptor delays wanted l2 l3 l4 l7 a11y e2e p2p b2b 2fa
mp3 mp4 mpeg4 h264 vp9 webp woff ttf otf svg jpg jpeg gif bmp pdf tgz gz bz2 xz zst zstd 7z tar rar deb apk dmg exe dll 1st 2nd 3rd 2xx 3xx 4xx 5xx
log2 log10 v8 pip3 php8 es2015 es2020 es2022 es2023 css3 h1 h2 h3 h4 h5 h6 utf32 ucs2 cp1252 iso8859 rfc3339 rfc5424 rfc7231 eth0 eth1 lo0 wlan0 br0
tty1 pts0 sda1 vda1 nvme0n1 lib64 usr2 usr1 ext4 ext3 btrfs xfs zfs nfs nfs4 cifs fuse virtiofs vfat ntfs apfs accept acceptance accepts authorization
authoritative backoffs bearer cache cacheable charset chunked codings compress conn connection cors csp csrf deflate dnt etag expect expires gzip hsts
identity immutable inm keep link location must nosniff noopener noreferrer origin pragma prefetch proxy public ranges referer referrer refresh retry
revalidate sameorigin secure samesite httponly server sniff store strict te trailer transfer upgrade useragent vary www authenticate xss delete get
head options patch post put trace connect propfind informational found unauthorized payment forbidden acceptable conflict gone failed unsupported
satisfiable expectation teapot misdirected locked early many unavailable insufficient select insert update values where order group limit offset join
inner outer left right distinct union create table index view alter drop primary foreign references cascade constraint unique check not null begin
commit rollback savepoint explain analyze autoincrement rowid collate nocase glob like between exists returning coalesce configmap configmaps cronjob
daemonset deployments ingresses kubeconfig namespace persistentvolumeclaim serviceaccount spec statefulsets stringdata metadata annotations labels
selector clusterip nodeport loadbalancer readiness liveness tolerations affinity volumes emptydir hostpath initcontainers imagepull panic main func
struct string error nil interface chan context deadline exceeded dial lookup host port refused reset broken pipe eof unexpected timeout tcp read write
listen bind handshake gin debug release mode recovery engine warn info fatal level caller msg time executor authfile cooldown eaccess eaccesses
ealready ebadf ebusy ecanceled ecancelled echild econnaborted edeadlk edom efault eilseq einprogress eintr einval eisconn eloop emlink emsgsize
enametoolong enetdown enetreset enfile enobufs enodata enodev enoexec enolck enomsg enonet enoprotoopt enosys enotconn enotempty enotsock enotsup
enotty eopnotsupp eoverflow epfnosupport eprotonosupport eprototype erange espipe esrch estale etime etxtbsy ewouldblock exdev eaifamily eainoname
sigabrt sigalrm sigbus sigchld sigcont sigfpe sigill sigpipe sigprof sigquit sigsegv sigstop sigsys sigtrap sigtstp sigttin sigttou sigurg sigwinch har
entries creator pageref comment querystring postdata bodysize headerssize httpversion startedtime blocked ssl resourcetype stacktraces callframes
fetched cachestate redirecturl serverip onload oncontentload domcontentloaded journal comm cmdline hostname bootid machineid pid uid gid identifier
transport stdout boot slice unit cursor monotonic realtime cliproxy cliproxyapi cpa managementkey authfiles apikey codex claude gemini grok kimi qwen
iflow vertex antigravity chatgpt openai anthropic opus sonnet haiku fable flash lite mini nano preview instruct turbo thinking reasoning embedding
moderation llama mistral mixtral kiro deepseek bengalfox image plus pro team max free business enterprise edu prolite promax self serve trial personal
standard premium got third incrementally conductor provided accounting utls rs cf cb pin pins emails mails config cfg asks came does did done made make
ran saw seem seems sit spoke tell thought took understand used want went wrote ask become bring buy call change come cut draw eat fall feel find fly
give grow hear hold know lead learn leave lend let lie lose mean meet pay spent sent taken given held known lost meant paid built quit ride ring rise
run say see sell send set shake shoot show shut sing sink speak spend stand steal stick strike swim take teach tear think throw wake wear win wind bad
best better big certain clear different far few fine first full good great hard high hot large late little long low new old only open other own
possible ready real recent same short simple single small strong top total true usual whole wrong young act air base body book case chance cost data
day effect end example face fact fault field force form game guess hand help hour issue job kind lack law life line list lot man moment month mouth
move name need night note number page part past path people person piece place plan point power price problem program question rate reason rest result
road role room rule sense side sign sort sound step stop story study system task term test thing trouble turn type use value walk way week woman word
work year ahead already although always another anyway around away because behind besides beyond but despite else enough etc even ever except hardly
here indeed inside instead into merely much nearly neither never nor nowhere often once ought really several since sometimes soon still such than
though thus till together too twice unless until unlike upon usually whatever wherever whom whose why yes yet oauth2 sqlite3
`
