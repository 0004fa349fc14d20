/**
 * Surprise of one character after another in code, configuration, addresses and logs, in quarters of a bit: the character code less 48. Rows are the
 * character before, columns the one after: the letters a to z, a digit, each sign of `SIGNS`, and the start or end of a run. Learned by counting
 * pairs in scripts, style sheets, type declarations, documentation and settings, 21 million characters without hashes and keys.
 */
export const PAIR_SURPRISE: readonly string[] = [
  'SD@BUOD[DZJ<@?]C`<@;FLOIHWOnaijeVSjdRMN[S[eY[_gZ_zPi`\\zK', // a
  '=OJM=NIZ??W;QM>NVBDM<YY^EWIhtdghQRjaROFOJZWXP`bSXpLcZWwI', // b
  '>RIP=SX=ESAAMW8N\\CJ;ETV\\M]NklggcPRgcQRLTUYNX_dkY[vLb^[zG', // c
  'ALKF7LRT=VUGOQBNVGDJEQVWL`J_gdgcGI[ZHMEUJLVQTYfRQrD^XSz;', // d
  'DNAAJEJUOWUBE=LGJ;>?TKNBH]RadambGIbbHMGTJPURTXfUSyGZ[Tz?', // e
  '>RNN@@LW9a^DNM=P^DGE?VUaIkGctcgbHHgeGI>XSRXX[]hPRoLdZXzD', // f
  'GQNO9PID?[VDIBIO[@ACBQWOTTU_eLceGH`eGNEMJKXHOUaQSkFWYSv<', // g
  ';UNN:TNV9^THKR=NZGJ@GWWdQdQ_ucm]DHd\\JKHVLL\\PVWdUTqH]ZSz@', // h
  'FGBCDECeX`S@B8<FVD=>VHdLbHWhnnzcZWm`XYR[\\`\\VfdjaUzTqe`zP', // i
  'AZSM6U]^H\\OYSQ>MVV6RGNKa[dQfyfioPKd]LQIcW[_Ta]aSQbNy_OyJ', // j
  '@LLL5OFQ>XUKOFIKVJAIFSH`RbTb``obFIbdIMFTKJYSWU]TQuCdYRz?', // k
  '?MMD9@RX<SO@RQ?M]ODBALTdF`Vd_enaJNf`NPJTPUSST]dUXzHe[XzB', // l
  ':BQM8MU[@VTGBI?<aQENGSX[McTfmkfeNOlcOOLLSY]MV__X[tJf]XzC', // m
  '@R@??F=UEYJLOJAK^R>;FJY`QZU[lcmeHMeaLMJVMOZSW[dWVtH_\\Tz=', // n
  'KED?UHI[IRIA@8G@a:DDAIEOYZXhqql^TVldTSRYW_eY_dh^`zLfc]zM', // o
  ';WOK:ONIDcO?OR<D`<F>CSQXIdRkqandJQgcRQM[OYYMZ`jXZsIb^YzG', // p
  'RQWTTX]ZThR;TOYTPJKQ2XH\\b_ShgXcaMNh`NVI]\\\\`RZ\\^SWgGYW[xG', // q
  '?PFE8NGX>fLJFA?O^CB@INS]GbYfcgmdGKcbJOIVMQXTU[cWUzJc\\TzA', // r
  'GSDR;PRE@^MLNPCDLN@;DSOXGaUcd_h`HGWWGN@MGPYNWTaLTzGX[Ty=', // s
  '>SGN;NT?<^VLNPAI^?CDAUQUC\\RafdmcGJa^INFULPYPQXdSUzE_ZUz>', // t
  'FDGH>GH`B`Y>@;NAb:@=V\\cX`^Jnzpsg^\\z]\\\\W`ebf[^mm__tXUedzS', // u
  '7WPS5TQZ<a^PPNENfPIQRYR]VbGgj`^dPOhiRULPRZaUX_cSYjKV\\YzK', // v
  '<ONJ@RR@;cTKO?9OZ?BLVSGXW\\Q`]^faGO\\ZPLHWQV]TT^ZWYeDcZZzD', // w
  'ER@JAK[SA[FLJOK9[QG9VVZNIY?emcdcJIbYIHFSLP`O\\YcUNmFT[Qu?', // x
  'IKKLHPKSIZLED?K:_G@CPT>\\[WR]_`hcCH]_FJCRHMOOQV_QLlCYVRw:', // y
  '>VTT5Q[O=cTDMO;TdOHOSYUXIFGlaY`]OQl\\QKGWW^_UVY]ZHeDaW\\eI', // z
  'IKJIKG[\\Z_WXWWXSaXVXX_^E`b3`]d[UPG[]BF@PIK[ZSW^UBgKhXLw?', // digit
  'HLFEDJOKCXRLJFGIUDDANNOWUY>8RHWZDQW[VQQMTYUAYSZISTJ_XiT=', // !
  'GJDEBCKIDUMKIKLFWCEHNLNTTW=P5NW^VYWXUOVIX[YYe\\UTQ]QT[u\\G', // #
  'FD?DDALJFPNEFGEBSF<BMGLFNFE^UOVYJOaWXbMHa[dYb^YZTUE:X\\lM', // $
  'FPDDFFRKJYQGHNFFZG=GNOQLQU<LFFNH9LNKRHGTZLOORTSFIMZDTUYE', // %
  'HJGJEJKMISQGJHHHOF>AGDLORRJDSL^6<WOY^YZR_YZQ\\WeVOWKSOo]J', // &
  'FIAECEMHCTLHGCDBSD>@LGNSVUGHXDY\\H=R\\fSMLY[YbgJQJd_LIhze<', // (
  'b\\]b\\[gfXqmdf`ackPVSfhhnkshYhVdSI>ST@TBQ=;WNRLeONj^FNGq5', // )
  'EOLLKNTUL[FPOMJJ\\NIOUSRXZeIWPFQ]HD4NLSECMWUVRJKJL`QQTVa=', // *
  'NOKNJKOJIQQNJLOLYLIIROSQW\\=VTFR^D>O;JBQGP@LAOLQGDMLUKN[;', // +
  'NSMPKPTSLUXPJKNPWKJGRSTVWYBU_RajWUadjYR`]^`ZfjRZ^oXSfZf1', // ,
  'EEAEEDKHFQODGHHETFAEKGKTVF>h_V[nWZXR]8ZUaW_V>\\eVOtY\\ZbcC', // -
  'DH?DCEFHCENDEGEASD@CIHJVXT>fJP]rVVS_ZeCE[iahbboWZjA[efp<', // .
  'DDABDHCICJMFDFHBOE@CDHFLQZF_GMQ`PIFYMRE<RMS[QTXNRHSXXY\\B', // /
  'LGELKKPOLZUKLLPH\\KGJLOTSWWHOITVjPUVdYSTB@[Z_^^_MM^VO[jj3', // :
  'TONTNJYVG\\`LVSRS`ISMWPX\\`_^^TZ_b[Q\\Y]Ga^`[_[cbcX[kab`Yr1', // ;
  'CE?FEAHDCNGDEEJBQD=;GGMUWPINcFS]Q^^ZbPVBVbJJNXUKZ]WMVh`F', // <
  'GGHGDDKCHQRKG=JISDB@KIPPQT@IJMRcHXWG\\PXIT`U;EVHKT\\RKR_S>', // =
  'JKHLJKKOIW[PLGNLVJHHRRQW`RHUmQZ\\DF]VCTFNJAJLEV[EMOE<RSe6', // >
  'ONPRJPUTLVXQRMPGQOHHMLVZT[KGVKV]BEW[VS;P5SNIQGREPTWNHaa>', // ?
  'EJDCCIHLDOR@IGI9\\?@DRHOTVVKY[GU_SSb_U^[X^aO`aZ>RPU>F\\t\\P', // @
  'CIEKEJPM@PCIKFFFQHAENMSQUY:QPIY^QbMOQG<RH\\SY`ZQMBGKR_cX?', // [
  '^^_`]acbZidaabY\\kaY_eogfhkZU`V`S@=FF?NBLD?ZFMJa?GbVGGGh6', // ]
  'HOLMJKRGPXYNMOOLkNKLRPCQXU:NHENL>HJVNDKDILJFGPL>JEHLDLM=', // ^
  'BE?BBAGGANKCCCDAQB>AGGHTVOGjhZheIQVfSYS^[_f^e_ePTz>]dXdG', // _
  'DG?BDEOJ@LKBHFEESB@BIEOUUT?V\\BX[QbPMYXRXX`[\\j`DUZYEO[DX>', // {
  'EFBDCDIJDROFFEFCNC@CFJJKSS?KTJOPCUTWXJUOMPLKOXTBSNRP=UQ@', // |
  'RXLRKDQYLebQUXZMiKSQZPUeei\\ZOFXeJ=SS@G@KGAULQYUJIwQELAZ5', // }
  'VTNTLTlVM^VPSYOSlOIQUUWa^^KLaXVaQVXV^MaIT\\YOXOZSGQPUPP1C', // ~
  'CE>BACHHAQIEDECAR?=BEGIQXRGRSFVVDRR[VQJRT^LT^aKKXZHQTV_z', // start or end of a run
]

export const SIGNS = '!#$%&()*+,-./:;<=>?@[]^_{|}~'

/** Chance that a letter is a capital after a small letter, a capital, a digit or anything else; counted in the same text. */
export const CAPITAL_CHANCE: readonly [number, number, number, number] = [
  0.034, 0.541, 0.325, 0.171,
]
