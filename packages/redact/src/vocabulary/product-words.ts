/** Words of texts and names in the code of this program. Written by `npm run golden`. */
export const productWords = `
abandoned abort aborted about above abps abs absence absent absolute accel accelerometer accepted acces access accesses according account accounts
accountsquota acted action actions active activity acts add added additional addr address addresses adds admit adopt advance advice advices advised
afresh afs after again age agent agents agree aidev aistudio alarm alert alerting alertmanager alertmanagers alertname alerts alertstate alias aliased
aliases aligned alike alive all alloc allow allowance allowed allows alone along also alt alternative alternatives altname ambient amended among
amount amounts amp amtool ancestors and anew ani announced announces answer answered answering answers ant any anybody anything anywhere apart api
apis app apple application applied applies apply apportioned apps apt arch architecture architectures are arg args argument arguments argv arm array
arrays arrival arrivals arrive arrived arrows artifact artifacts ascending askable asked asking asset assets assign assist assistant assumed async
ation ats attach attachment attempt attempts audience audit auth authenticated authentication authorities authority auths auto automatic available
average avg avoid avoided await awaited awaits back backend backlog backoff backslash backspace backup backups badge badges balance balanced ban band
banked banned bans bar bare bark bars basename bash bashrc basic basicauth batch batches bavail bcp beacon beat became becomes becoming been before
began beginning begins begun being belong below benchmark berri beside beta bidi billing billionths bin binary bindings bins blank blanks blind block
blocking blocks bodies bold boolean bot both bouncer bound bounded bounding bounds brace bracket brackets brand break breakdown breakdowns bridge
bridged briefly brings broke brotli brotlied brought browser browsers bsize bucket buckets budget budgets buffer buffering build builtin bulks bundle
burn burned busy byte cac cached caddy caddyfile calendar called callers calls calmer calname camera can cancel cancell cancelled cancels candidate
candidates cannot canonical cantopen cap capabilities capability capacities capacity capitalised capitalize caps capture carriage carry cases cast cat
catalog catalogue catalogues catch cause causes ceil cell cells centred cents ceph cert certificate challenge changed changes channel char character
characters chart charts chat cheap checked checking checkpoint checks checksum chgrp chinese chmod choice choices choose chooses chosen chunk chunks
circumstances claim claimed clamped class classes clause clauses cleared clears cli client clock clocks clone close closed closer closes closing
cloudcode cloudflare cluster cmd coarse coarsen coarser coda code codes coding collect collected collector colon color colour coloured colouring
colours column columns com combines comeback comebacks comes coming comings comma command commandline commas common comp compact comparable compare
compared comparing comparison compdef compgen compiled compiler compiles compinit complain complete completed completeness completes completion
component components compopt compose compreply compressed compression concat concerned concerns concurrency condemned condition conditions conf
confidence configs configuration configure configured confirm confirmation confirmed conflicts connected connections connects const constant constants
constructor consulted contain container content continue continues contract contributes control controller controls conversion converts cool cooldowns
cooling cools copied copies copy core correct corrected corrupt could count counted counter counters counting counts course courses cover coverage
cowork crash crashed crc created creation credential credentials credit credited credits critical crl crowded css csv ctime ctrl cumulative curl
current custom customapi cuts cwd cword cycle cycles daemon daily damage damaged dangling darwin dash dashboard dashboards dashes database datasource
date dated datname dbname deactivated deactivation dead dearer debian decide decided deciding decimal decimals decimated decision declare decode
decoder decoding deep deeply defaults definite definition defs degraded delay deleted deliver delivered delivery demand demanded demo dense deny
depends depleted deploy deploying deployment deps depth der derived desc describe described description desktop dest destroy destroyed detach detail
details detect dev devices diagnosis diagnostic diagnostics dialect dict dictionaries die diff differ difference differences digest digits dim dir
direct direction directory dirname dirs disable disabled disagree disagrees discord discount discovery disk dispatch dispatcher display disposition
distance distrust dlopen dns docker dockerfile doctor doctype document dollar dollars domains dot dots double doubt doubted doubts down download
downloads draft drain drained drift driver dropped drops dry dtd dtstamp dtstart due dumb duplicate duplicates duration duty eacces each eaddrinuse
eaddrnotavail eagain eai earlier earliest echo econnrefused econnreset edge edges editor editors edquot education eexist efbig effective effects
ehostunreach eio eisdir either elapsed element elements elsewhere embeds emit emptied emptiest empty enable enabled encode encoded encoder encoding
encrypt encrypted encryption ended endif ending endings endpoint ends enetunreach english enoent enospc enotdir enotfound enqueue ensure enter entered
entry entrypoint enum env environment enxio eperm epipe epoch eproto equal equals erofs err errcode errno errors esac esc escape escaped essentials
etimedout europe eval evaluate evaluated evaluates evaluation evaluator evenly evenness event eventloop events every everybody everyone everything
everywhere evidence exact exactly examine examined examples exception excess exchange exclude exclusive exec execute exhausted exist existing exit
exits exp expected expire expired expiries expiry explained explaining explains exponent export exported exporting exposed exposition exposure expr
extends extent extents external extra extract extras extremes facet facets facing factor facts fades fading fail failing fails failure failures
fallback fallbacks fallen falls false families family fast fate fates faults faulty feature features fed feed feeds feff feishu fence fetch fetches
fewer fewest fffe ffffn fields fifth figure figures file filename files fill filled fillfactor filling fills filter filtered filters final finally
finder finding findings finds finer finest fingerprint fingerprints finish finished finite fires firewall firing firsts fit fits fitted fitting five
fixdate fixed flag flags flap flaps flat fleet flex flight flip flips float floor floors flush folded folder folders follow followed followers
following follows font footnote for forced forecast forecasts foreground forget forgets forgetting forgotten format formats formatted formatter forms
formula forth forward four fraction fragment frame frames framing freed freeing freelist frees fresh from front fstat fsync fullchain function fund
further furthest fuseblk future gain gains gap gaps gate gateway gather gathered gauge gauges gave generalizations generated generation generations
generator generic geolocation getenv getgid gets getuid gexec gfs gho ghp ghs gigabytes githubusercontent gives glance glibc global gocspx goes going
goodbye google googleapis gpfs gpt grafana grant graphemes greatest green grey grid grouped grouping groupings groups growing grown grows gset guard
guarded gunzip gyroscope had halt han handed handle handler handles handover hands hang hanging hangs happened happens hardened harmless has hash
hashed hashes have hba headed header headers heading headings health healthcheck healthy healthz heap heard heavy height hex hiccup hid hides higher
highest hint histogram history hit holder holds home homedir homepage homes hono horizon hosts hostssl how hpe href hrefs hrtime html htpasswd http
https humanize hup hurry hyphens iana icann ics ide identified identities idle ids ignore ignored ignores iguana iif imf img immediate imminent
impatient import imported imul inc include included includes including incoming inconsistent increase incremental increments indent individual infer
infinity informative ingest ingested inherited inherits inhibit inhparent inhrelid initdb injected ino input inputs inserted inserting insists inspect
inspected inspection inspector install installation installed instance instanceof instant instants int intact integer integers interaction internal
interrupt interrupted interval intervals intl ints invalid invalidated invented invisible ioerr ipc ipv isdir iso isolation isready issuer issues item
items iterable iterate iterator its itself javascript jdbc jit jitter joined joins journalctl jsonc jsonl judge judged judgement jump just keeper
keeping keeps kernel key keyed keyof keypress kill kinds knows kubernetes label labelled lacking lacks lag lagging lang language lapse lapsed lapses
lapsing larger largest last lasting lasts lately latency later lateral latest latin launch launchctl launchd launched leader leads leap leaps learned
lease leases least leaves leaving leftover leftovers legacy legend length less lets letsencrypt letter letters levels lib libnode library license lies
light likeness limited limits lines linger lingering links listed listened listener listeners listening listens listing lists litellm literal live
lively lives llm load loaded loads local locale locales localhost lock lockable log logged loginctl logins logname logs lone longer longest look
looked looking looks loop loopback loses loss losses lower lowest lpop lsn lstat lustre mac machine machines magic mail mainpid maintain maintained
maintaining maker makers makes malformed managed management manifest manual map mapped mappings margin mark marked marker marks mask masked match
matchers matches matching math maxima maximum may meaning meanings means meanwhile measure measured measurement measures median megabytes mem member
members membership memories memory mentions merge merged message messages meta meter metered metering meters method methods metric metrics mfile
microphone middle midi midnight migrate migration migrations mild mildest million millis millisecond milliseconds min mine minima minimum minus minute
mismatch misplaced missed missing mistake mistaken mistakes misuse mit mitigated mixed mkdtemp model models modes modified modtime modules money
monitor monitoring monitors monthly moonshot moonshotai more most mount mounted mountinfo moved mquota mrkdwn mtime multi multiplier multipliers mute
named nameless names namespaces naming narrowed narrower native natural navigate navigation ndjson near nearest necktie needed needs negated negative
net network networking networks newer newest newly news next nginx nine nlink noauth nobody nobodys nobypassrls nocreatedb nocreaterole node nodedir
nodejs nodes noent nofile nofollow nolfs nologin nomem non nonblock none noreplication normal normalised normalize nosuperuser notadb notdir noted
notes notfound nothing notice notices noticing notifications notified notifier notify noun nouns now npm npx nspname ntfy ntp nul nullable nullif num
numbered numbers numeric object objects observability observation observations observe observed obstacle obstacles occurrence occurrences ocfs octal
octets odd off offer offered offers oid oldest omelette omit omitted one ones oneshot online opaqueredirect opc openable openapi opened opener opening
openrouter opens openssl operating operation operational operator opposed opt option optional optionally org organi organization originals origins
others otherwise our ours out outbox outboxes outcome outcomes outdated outgoing outgrown outlasts outnumber output outranks outside over overage
overdue overflow overhead overlap override overrides overwritten owes owner owns pace package packet pad padded padding pagedown pager pages pageup
paint painted pair pairs panel panels pango param parameter parameters params parent parse parsed parser partial partition partitions partly parts
pass passed passes passive passwd password passwords paste pathname paths patience patient pattern pause paused pauses pausing payload payloads peer
pem penalty pending per percent percentage percentages percentile percentiles percents percentunit performance period perm permission permissions
permitted persistent personality pgdata pgpassfile pgpassword phone phrase phrases pickable picked picklist picks pico pieces pill ping pipeline
placed placeholder places plain planned plans platform plist pluck plugin plural png pnpm points policy politeness poll polled polling polls pool
pooler pooling pools pop popped popper popping pops ports pos position positions positive posix postgre postgres postgresql precede precision prefer
preferred prefers prefix prefixes prepaid prepare prepared preparing present press pressed previous priceable priced prices print printable printed
printf prints priorities priority privacy private privilege privileged privkey prl probe probed probes problems proc process prodid profile progress
project prolonged prometheus promise promo promql promtool properties property proposal propose proposed protect protected proto protocol prototype
prove proved proven provider providers proxied proxies prune pseudonym pseudonyms psql psqlrc publication publickey publish published publisher
publishes pull purpose push pushed puts quality quantile quarantine quarantined quarter quarters quartile quartiles queried query querying questions
queue queued queues quick quiet quota quotas quote quoted quotes race raise raised rand randomized rank rankable ranked ranking rare rated ratelimit
rates ratio ratios raw rdonly reach reachable reached reaches readable readdir reader readers reading readings readlink readme readonly reads readyz
realpath reasons recall receipt receive received receiver receivers recently reclaim reclaimable recommendation recommendations recommends record
recorded recorder recorders recording records recount recovered recursive red redact redacted redefine redirect redirected redirects redis reduce ref
reference referral refill refilled refresher refreshes refreshing refusal refusals refuse refuses refuted reg regclass regex register registers
registry regnamespace regular reject rejected rejecting rejection relabelled relation released relispartition relist relkind relname relnamespace
relowner relpartbound reltuples remain remaining remark remedies remedy remember remembered remembers remote removal remove removed rename renamed
render renew renewal renewed reopen reopens repainted repeat repeatable repeated repeats replace replaceable replaced replacement replaces replay
replica replication report reported representation representative republish req request requested requests require required reread res reserve resize
resolve resolved resource resources resp respawn respond response responses restart restarting resting restore restrict rests results resume resumes
retain retention retrieve retrying return returned returns reveal reverse reversed review revocation revoke revoked rewrite ribbon rid rights rings
ripe risen risk risky rival robots rofs roles rolled rollup rollups rolname rolsuper roots rough round rounded rounding rounds routable route routed
routes routine routines routing row rows rules runner runners running runs runway safe said salt salts sample sampled samples sandboxed sasl satisfies
saturated save says sbin scale scaled scales scan scarce scarcity schedule scheduled scheduler schedulers schema schemas scheme schemes scope scoped
scopes score scored scores scoring scram scrape scrapers scrapes screen script scripts scroll sctp sea search seat second secondary seconded secret
secrets section sections security seed seeded seen sees segment segmenter selection selections sendable sender sending sendmessage sends sensitive
sensor sentence sentences separate separated serial series served servername servers serves service services session sessions sets setting settings
settle settled settling setup seven severities severity sha shall shape share shares sharing shell shells shift shifted shm shmsize shorter shortest
should showed shows shrink shuffled shutting sides sight sighted sighting sightings sights sighup sigint sigkill signal signals signed signs sigterm
sigusr silence silences silent singles site sites six size sizes skew skip skips slack slash slim slip slips slot slots slow slowly slug slugs
smallest smb smooth smoothed smoothing snapshot snapshots socket sole some somebody something soonest sorted sorts sounds source sources space spaced
span spare speaks specs speed speedup spelling spellings spendable spending spends splice split spool spooled spread spreads sql sqm squatted src
sslmode sslrootcert stable stale stall stalled standby standing standings stands start started starter starting starts starvation starving stat state
stated statement statements states statfs static statistics stats status stay staying stays stddev stdin steady steps sticky stood stopped stops
storage stored stores storing straight strange stranger stream streamed streams stretch stretches stride stringify strings strode stronger strpos
style subarray subject subjects subscribe subscribed subscribes subscription subscriptions subset substitute substr succeed success successes
successful suffix suffixes suggests suidsgid sum summary summed sums supergrok supergrokheavy supergroklite supergrokplus superuser supervise
supervised supplementary support supports suppress surer surpassed surrogate survive suspect suspected suspicion svc swap swapped sweep swift switch
switched symbol symbolic synchronous syntax syscall systemctl systemd systems tab tables tabs tags tail takes taking tallies tally tangelo tank tanks
target targets telegram telling tells temp templating temporary ten tenths terminal terminate terminated terms tertiary tested tests text texts that
the their theirs them themselves then there these they thin things this thorough those thousandths threads threshold thresholds through throughout
tick ticks tidied tidy tier tiers tight timeless timer timers times timeseries timezone timing title titled tls tmp tmpdir tmpfs tmux tok token tokens
told tolerance tolerate toml tone tones toobig tooltip topic topics tos totals tracked tracker transform transition transitions translated transp
transparent transports tree trend trends tried trigger triggers trim trimmed troubled troubles truncate truncated trusted trusts try trying ttft ttl
tty tunables tunnel tuple turned twin two txt typed typeof types typing tzid tzoffsetfrom tzoffsetto udp uint ultra ultralite umask umlauts unable
unanswered unasked unauthenticated unblocks uncached uncaught unchanged unchecked unclassified unclear unconfirmed uncounted uncovered und undated
undefined under underscores understands understood undisturbed undo unencrypted unended unexpanded unexplained unfinished unfurl unguarded unhandled
unheard unified uninstall units unkept unknown unlabelled unlisted unmarked unmoved unnamed unnest unopened unpaid unpriced unprintable unproven
unquote unquoted unreach unread unready unrecorded unref unrefuted unreported unroutable unsafe unsaid unseen unserved unset unshift unspecified
untested untold untracked unusable unused unwanted unwatched unweighed unwrapped unwritable unwritten updated upkeep upper upsert upserts upstream
upstreams urgency uri url urls usable usage usages usb usd user useradd username users uses using usr utf util utilization uuid val valid validated
validation validator valued var varargs variable variant variants vboxsf vcalendar vector vendor vendors verb verbose verdict verdicts verify version
versions vevent views violation vmhgfs void volume vouched vtimezone wait waited waiting wakes wal walks wall wants warning warnings was watch watched
watches watching water wave waybar ways weak web webhook webmanifest weekday weekdays weekend weighed weight weights well were wham what when which
whichever while who whoever wholly wide widened wider widest widgets width widths wildcard wildcards will window windows wins wiped wire wish with
without witness witnesses woken worded wording words workdir worked worker workers works workspace worst worth would wrapped writable writer writers
writes writing written xact xai xargs xbacbacbc xbar xbasic xdg xhtml xml xox xpremium xpremiumplus yaml yearless yellow yield yields yml you your
zero zeros zone zsh zshrc
`
/** Every two neighbouring characters of the Chinese texts. Written by `npm run golden`. */
export const chinesePairs = `
一个一些一分一历一周一天一存一小一工一批一条一样一次一登一的一监一直一种一而一致一行一起一部一项上一上失上应上条上次上此上没上添上用上的上移上级上腾
上设上该上运上重上限下一下次下记下限不为不从不会不使不保不做不像不允不再不删不到不加不取不受不变不可不含不在不多不够不存不属不带不影不得不报不接不提
不支不是不查不正不清不满不看不知不经不能不要不计不认不记不读不足不采与原与告与本与池与配与默专用且原且只且所且没丢失两次两者两项个代个其个化个可个名
个命个地个客个已个总个提个插个文个时个普个月个服个本个条个模个登个监个示个程个窗个网个表个订个设个该个请个读个账个这个问中一中不中丢中两中为中之中以
中位中使中允中关中列中发中只中含中命中多中指中断中时中显中最中有中查中没中的中被中设中读中调中这中都为不为代为何为保为其为准为单为取为存为它为数为最
为本为标为此为每为状为现为用为监为空为该为读为运为这为遗为重为零主服主机主题久保么做么在么放么读之一之列之前之间乎另乎有乘以也不也以也可也如也是也请
书不书和书机了一了厂了意了我了所了拒了服了本了模了消了登了管了解了订了记予该二个二进于下于任于保于其于历于多于数于文于时于此于环于网于记于该五分些代
些套些指些提些显些更些模些编些规些记些请些账些项交出交给亦同享队人不人可人检人读什么仅供仅用仅知仅限今没仍为仍显仍有仍然仍被从不从中从代从其从哪从接
从文从此他人他代他地他处他数他文他机他用他磁他程他语他账他输代了代替代理代码令牌令的令行令输以上以从以保以免以其以写以厂以及以发以后以接以最以标以此
以纯以继以英以读以连仪表们也们按们的件不件中件为件交件写件及件另件可件同件含件和件在件夹件妨件对件属件并件或件所件排件无件是件有件未件格件现件的件系
件读件迁件过件还件采价文价格价的任何任务任意份一份含份存份或优先会丢会使会再会写会发会恢会持会指会显会晚会暂会有会消会留会立会给会被会说会这会逐会重
估并估算似乎但不但代但它但无但有但未但此位于位数位置位计低于低日住它住此住该何使何信何处何数何文何时何更何查何获何计何记何读何账何退何配余数余的余账
余额作区作失作废佳的佳账使代使其使文使用使目例如例账供什供健供内供商供显供更供服供状供脚供该供这保存保持保留保管信任信息信期修改倍率候的借此值得值的
值相偏低做任停使停权停止停滞停用停读健康储一储从储位储失储已储所储提储文储无储有储没储由储的储目像存像是允许元的先于先只先后先用先级免新入其入前入历
入哪入存入它入容入密入文入最入此入的入计入该入账入输入过入配入长全脚全连全部共享关不关于关或关是关闭其上其中其主其他其代其余其修其原其只其周其开其所
其数其文其日其时其最其构其版其用其登其目其窗其签其管其计其证其账其部其配其队内到内发内可内合内容内没内的内置再保再接再有再查再次再被再记写于写入写其
写出写在写成写权写满冷却准本准测准输减少出一出下出不出了出任出命出因出待出所出无出时出是出格出每出现出用出的出码出空出请出账出跳出这出重出链出错分位
分实分散分数分模分段分比分输分配分钟分隔列中列交列出列表则单则和则改则的刚刚刚向刚失创建删除到一到全到其到它到所到按到数到服到期到本到用到的到账到达
到这到配制内制地制字制密制表刷新刻之刻所前不前于前刚前可前均前恢前改前无前显前没前用前的前监前请前账前面剩不剩余剩多副本办才功在功的功能功过加一加上
加入加固加密加账加载加速加锁务不务使务前务可务器务所务授务时务没务的务监务等务能务记务设务读务进务配动五动代动服匀走包括化名区分区已十分协议单个单位
单元单字单条单独占比占用卡在即可即将即尝却已厂商历中历史原为原值原因原文去与去掉去登参数参见及先及其及到及如及它及插及时及本双字反向反馈发出发到发往
发机发现发生发起发送取不取于取代取任取其取出取含取在取存取密取排取接取时取标取消取用取的取管取者取自取见取该取账取走取较取过取这取配受信受写受更受的
受请受连受阻受限变化变量变音口和口尚口已口的另一另外另存另有只交只保只列只取只向只含只显只有只考只能只要只计只让只读可为可于可以可使可保可信可启可导
可持可接可用可能可访可读可路可重史中史删史存史所史数史未史的史记号一号为号令号先号全号分号列号可号和号在号均号少号已号恢号或号扣号按号收号数号无号时
号显号最号未号权号来号池号没号的号目号短号组号至号获号过号需号顺各个各代各参各级各自各设各调合并合条合计合该同一同上同各同时同样同步同的名不名分名启
名安名对名的名称名解名选后一后会后作后写后在后尚后恢后才后没后由后的后结后耗后若后重后面后顺向一向不向专向主向代向其向厂向另向后向哪向更向该向配否允
否写否在否存否定否按否正否满否访否读否运含有含机含英听的启动启或启服启用启评告为告所告数告是告知告警告错周一周三周二周五周六周四周日周的周窗周配呼账
命令命名和值和合和告和应和找和插和文和本和模和正和每和登和符和系和自和订和起和输和退和配哈希响任响应哪一哪个哪些哪里唯一商不商中商可商处商已商找商报
商拒商无商查商的商终商自商要商超商过商须善保器上器中器人器以器会器及器可器旁器访器重器错回了回更回答因为因之因其因未因此因见因过固的图和图表在一在代
在作在使在允在前在厂在响在哪在增在封在接在数在时在此在浏在的在监在目在磁在等在读在运在途在那在配在重地址址写址在址是址没址的址至址访均不均匀均截均未
均被坏存坏它型不型可型在型定型数型的域名基准基础境变增加增长处停处取处是处查处理处设备份备库备用复其复制复响复在复时复此复的复配外的外部多个多久多于
多会多少多数多未多消多的多行够快够读够进大于大小天内天合失去失后失效失的失败头和头文头无夹的奏正套餐好的如何如变如更如有如果如此妥善妨碍始保始页字为
字和字母字的字符字节存为存代存任存储存占存历存和存在存快存接存放存数存每存活存用存的它与它们它停它刷它取它就它属它已它或它所它拒它按它接它显它正它的
它至它读它返它配它需安全安排安装完成定价定其定历定向定它定密定的实时客户容取容器容量宽度密未密的密码密钥对他对它对密对应对每对网对象导入导出封禁将于
将作将到将在将地将密将接将文将未将模将满将管将耗小时少于少什少发少某少查少见少须尚不尚无尚未尝试就会就无就继尽时尽的届时属于工作工具差的己的已不已使
已保已停已关已写已取已响已在已封已开已恢已扣已损已接已放已是已暂已有已校已用已略已知已终已结已被已触已计已记已读已达已过已退已通已重带时带的带认带路
常存常来常状常驻干行并使并入并反并取并启并安并导并恢并把并持并指并显并用并相并确并脱并计并让并说序一序刷序取序可序在序或序的序订序读库不库地库存库密
库属库应库所库报库拒库无库日库是库没库版库的库空库落库被应健应写应在应头应的应答应设应过废前度分度取度插度足康检延迟建的建立建脚建议建该开启开始开放
开账异常式不式的归还当前当时录不录会录使录信录加录只录同录在录对录已录所录数录时录是录比录没录现录用录的录规录计录读影响往何待再待办待可待定待应待最
待管待请待首得先得到得有循排必须志中志和志并志的志级快照快的态栏态码怎么总数恢复息为息会息无息时息未息等息起息送意一意停意外意时慢使慢备成功成批成文
成环我们或一或不或为或从或代或任或余或使或停或全或关或其或再或去或只或命或在或增或大或它或将或工或已或带或总或指或按或控或改或数或无或早或替或有或服
或未或机或检或模或此或用或移或等或答或者或让或设或询或调或输或运或退或配或重截至户保户可户对户或户的户端户组户能户自所剩所发所在所指所有所用所知所要
所设所请所输所选所配所需才会才受才有打开扣费扣除批记找不找代找到找锁把各把备把存把所把文抓取报告拒绝拖慢拦截择账括响括套持不持同持续持运指出指向指定
指标指的按上按了按代按其按到按天按排按提按最按键按预损坏换一据已据库据损据源据的授予掉它排名排在排除接保接到接受接手接接接收接的接管接读接近接配控不
控之控会控制控已控所控接控正控的控自控该控负提供提出提到提前提示提问提高插件携带摘要撤销操作支持收到收方收益收端收集改为改动改名改后改密改正放在放弃
放慢放数放置效的敏副散开数中数以数和数器数多数字数已数据数时数未数来数由数的数账数较数都文件文字文显文本文档断就断开新中新代新写新前新加新只新同新启
新增新复新安新开新插新本新消新版新登新的新被新证新读方仍方在方地方复方式方所方拒方指方是方暂方比方的方种方自旁的无发无可无密无成无效无数无权无法无账
无需日历日志日期日计旧历旧的早于早在早恢早的时为时也时以时使时候时内时刻时区时取时可时响时失时封时差时建时恢时才时提时无时段时没时的时窗时给时表时过
时还时进时配时钟时间时限时需明一明如明应明文明确明程明终明自明该明账明还明问是一是主是什是原是同是否是哈是哪是密是文是普是查是终是计是账是超是选是邮
是链显示晚一晚备普通暂不暂停暂无暂时暂缓更多更好更快更改更新曾因替换替月最低最佳最值最后最多最大最好最新最旧最早最近最长最高月份月或有中有为有人有代
有价有任有其有列有剩有区有历有及有可有名有响有多有它有客有已有应有意有所有提有效有数有文有日有显有更有服有机有查有检有此有每有消有用有的有监有程有空
有符有第有管有缺有者有计有设有询有该有误有说有请有读有调有账有跟有这有适有遗有配服务期作期后期消期的期请期间期限未交未保未写未发未响未回未安未开未成
未报未查未知未确未给未编未能未被未计未说未读未逐未通未验本不本中本低本使本写本可本地本并本建本所本文本服本机本的本监本程本身本重机之机可机名机器机密
机或机时机未机构机的机磁权使权进权重权限束了束前条一条件条保条发条已条测条消条用条目条记来安来源来自构建析服果是某一某个查代查使查其查历查及查地查域
查存查安查并查找查接查数查明查未查看查磁查询查该标中标价标准标签标题栏使栏和校准校正样保样妥样按样机样的格中格为格已格式格文格无案是案未检查模块模型
模式次代次使次保次出次刷次历次发次可次响次备次失次导次尝次恢次成次查次检次没次登次的次直次表次请次读止另止后止响止服止查止的止评止该正在正好正它正常
正文正确正管此不此之此前此后此地此处此开此待此损此插此操此数此文此日此服此期此模此没此版此窗此类此调此账此选此配步删段内段的每个每分每周每天每晚每月
每条每次每行比乘比更比本永久求一求中求也求会求减求后求失求头求按求数求时求暂求有求的求被求订求该求超求都池中池是池的没有法与法使法写法加法向法和法打
法携法查法理法解法访法证法读法连法送法重活的活跃流查测试浏览消其消失消息消耗消费添加清楚清理清除源中源失源尚源已源异滚动滞后满足演示点没然后然有照常
照的片刻版本牌已牌留牌的状态独计率和环境现为现在现由理一理上理不理中理于理从理保理停理分理列理取理在理处理密理对理封理将理尚理已理恢理所理报理拒理按
理日理时理是理暂理最理查理没理的理磁理程理管理结理给理统理者理能理自理解理访理请理调理轮理这生成生效生的用一用中用于用其用到用历用双用各用同用哪用回
用多用它用尽用当用或用户用掉用方用明用法用的用者用自用至用该用账用起用逗用重用量由于由优由使由哪由它由本由账留一留下留在留时留期留的留管留给略分略去
略时登录百分的一的上的不的为的主的事的于的代的仪的价的会的位的保的其的内的写的列的副的协的单的厂的历的原的反的另的可的各的名的响的在的地的基的备的大
的套的字的存的实的客的密的少的工的待的恢的所的接的提的摘的操的数的文的日的时的是的更的最的服的机的条的来的某的查的标的检的模的每的测的消的状的用的登
的百的目的磁的示的程的窗的端的答的策的管的纯的线的终的续的缓的网的脱的节的行的补的表的角的计的记的设的证的语的请的读的调的账的费的身的输的进的速的那
的配的重的键的长的问的间的队的页益最监听监控监视盖已盖率盘上盘和盘将盘或盘报盘空目前目已目录目被直保直到直在直接直锁相同相应省略看代看单看厂看原看失
看接看数看日看用看该看账知其知剩知或知状知的知道知配短时码或码文码的硬链确写确认碍写磁盘示一示上示下示不示与示为示了示例示含示均示已示本示标示模示演
示版示生示的示结示该示读示账示部禁一禁了禁本禁止禁结离开种类种账秒内积压称不称呼称给称重移到移走移除程在程已程序稍有空字空间窗口立即立安端亦端口端命
端密端或端时端标端的符号符合符或第二等到等待等级答中答复答文答是答案答的策略签发签文管理箱地类接类查类正粗略精简系统约可级上级别级的级目纯文线程组成
终止终点终端经网结束结果给一给代给出给客给本络开络文绝且绝了绝告绝本绝来绝登绝的统上统日统计继续续使续写续十续失续如续或续订续重缓使缓存缓慢编码编译
编辑缺口缺失缺少网关网络网页置中置了置代置会置作置其置到置前置即置另置各置后置和置将置带置指置文置日置时置有置的置腾置项署所署文考虑者其者分者刚者改
者的者设者读者都而不而仍而代而历而密而重耗估耗尚耗尽耗时能与能借能否能够能损能是能有能用能由能耗能被能订能读脚本脱敏腾出自上自其自定自己自建自本自的
自终自网自身自选自首至今至少致之良好色可色和节奏节点节编若仍若已若干若持若无若有若用若设英文获取获得落后虑这虑配行一行中行供行内行或行方行日行显行服
行本行此行的行管补全表中表从表以表允表和表已表无表最表格表滞表由表的表盘表示表符表计表读被二被他被代被使被信被其被删被厂被拒被拦被接被撤被改被断被计
被跟被避被锁装与装或装证要使要历要处要它要文要更要求要管要让要重覆盖见代见关见原规则视图览器角色解如解析解缺触顶言以警发警告警等计一计为计会计入计可
计已计数计永计的计算计缺订不订套订或订阅认值认地认本认证认识让一让两让代让其让受让最让运议路记住记录许之许其许本许的许该设为设备设的设置访问证书证失
证文证明证的评估评分识的识该试在试摘试消试的试过询中询关询其询厂询失询套询已询数询本询此询网询被询过询配询问询降该主该代该使该列该功该地该存该密该怎
该数该文该时该服该模该用该程该类该角该调该账该队语句语言误密说明请为请停请像请取请在请把请提请更请查请检请求请用请等请设请调请重读写读到读取读数读的
谁可调低调大调小调度调用调高负责败率败的账号费上费用走了走动走该起使起刷起失起始起未起没起算超出超时超过足任足够跟随路径路由跳过身不身份身出身只身的
轮流载之较新较旧辑器输入输出迁移过代过另过多过大过少过常过慢过时过期过此过消过的过短过订过载过长运行近一近变近最近期返回还剩还可还有还没还账这一这些
这是这样这里进入进制进程进行连同连接连续迟中退出退回送在送测送消送的送达送过适合选择选时选项逐个逐条逐步途中逗号通常通文通过速中速度道任道何道可遗漏
遵循避开那次那里邮箱部不部写部分部基部数部署部记都得都有都没都留都计都订配置配请配额采用里登里的重启重复重定重新重相重置重试量为量优量保量历量可量指
量数量有量未量树量照量的量等量统量缺量被量记量读量通量队针对钟一钟不钟会钟内钟前钟后钟均钟比钟没钟的钥不钥写钥含钥文钥更钥本钥的钥被钥过链接销或锁定
错误镜像长度长时闭占闭另闭账问令问其问厂问它问本问的问被问题间不间代间内间剩间均间已间未间没间的间过间隔阅到阅即阅将阅已阅用阅的队列阻的附上降级限为
限其限早限流限这除历除另除套除或除拖除缓除该除这随来集问需处需密需操需暂需更需的需要需语需重面和面在面放面账音字页查页面项也项优项和项待项都顺序须剩
须明须有须给预期题所题报题未额低额剩额即额历额将额少额已额恢额或额所额提额未额查额用额的额自额重餐不餐或餐查餐现餐的首个首次驱动驻连验证高此高评默认
`
