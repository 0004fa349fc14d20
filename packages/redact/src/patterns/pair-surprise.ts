/**
 * How surprising one character is after another, in quarters of a bit: the character code less 48. Rows are what stands before, columns what
 * follows: the letters a to z, a digit, `- _`, `/ . : ~`, `+ =`, and the start or end of a run. Learned by counting pairs in names, paths and
 * sentences: documentation, type declarations and scripts, 8.9 million characters without hashes and keys.
 */
export const PAIR_SURPRISE: readonly string[] = [
  'YD?@XMCZA_J=@=eDY>@;ELGNEaRMMaI', // a
  '=VMV7UQdC@X<]]>UzGEQ=kce@rLWESE', // b
  '?UAU<T`>GeABU\\7QjDK<Hb\\fObPNJWD', // c
  'AKPG9PNS?cZIQR>NdHAMHSVhKjOG@V7', // d
  'AQA@IFPQOROGG>NIJ<>ASGKBJ]TKBW9', // e
  ';ZKP@@Uf:zkF\\O=`z>HF@_ecKoIOMU:', // f
  'DSP[8PLE@sZHMCDMfCDDESZlWQRJB^7', // g
  '<T\\X6Tg[=`_RGN=V]FN@I][zQSRIFS<', // h
  'KKCAEDDq[kR?A8>G[F=<]FpQwMdTOkP', // i
  'Dche6h`cPe^haa>Z[U4qFNTeqaUcQqP', // j
  'IRQI5QUX?x]HT?PNaRCNH]WoV`RK@Y:', // k
  '?KUD9QTV<xX=VX?Q^UDCALXzAl`MG\\<', // l
  ';?UP8ZUZ>^TJFN@<jYASHTT]RrWLF[<', // m
  'BZ@=?K>WFcIGTK@NcU=<AOUbL]YMGX;', // n
  'OEDAMBKZG_HC@8GCz;GB?KAPYX\\SQeC', // o
  '<YXO9Z^MDvW>TZ;Gk<A?ET^NPvKOHYA', // p
  'Vq`qqqqq_qqDYeaeq]eq0qZqeq^qISF', // q
  '@WFI8JIY>rKIID=UkCC@GHUmElTLD^<', // r
  'CWFY<S_EBiONPNBFVRB9FMMZGi[L?T8', // s
  '@WJN<QV<>`TLNV?I_@AFE_Q]EsNICV9', // t
  'EIEN>ELoHn`>?9FCz<<=^_kXpaX_[iP', // u
  '9bE^5\\Ng=qkdPT>[yXSYbfcmfy?XCWG', // v
  ';XSS=^[=:z\\RT??WzBAYa_O\\dl[MDW;', // w
  '@_FVCUdIDniRT[O7]YW7]Zd^DwICCT<', // x
  'KIOTINXSJaSJH?F;oOCCPZNzf\\WC?T5', // y
  '@Rc\\7^`O;[lCS\\=^llPc`lW^PHOGMY8', // z
  'JNONMOeIcfYZP\\XOnSRLbahSfM4B;U9', // digit
  'BEADDDNECRID>JFAGB??EIG^[T;BXgG', // - _
  'EICHGGJJJIPGGJHFSFBAJKJU\\]=^@]5', // / . : ~
  'KEHLUO[TSXlTSRQSXHLMGP\\SOl<QK>3', // + =
  '?D?EAAKF@OKEEABBP@>=EFDWVYCNEYz', // start or end
]

/** Chance that a letter is a capital after a small letter, a capital, a digit, anything else; counted in the same text. */
export const CAPITAL_CHANCE: readonly [number, number, number, number] = [
  0.031, 0.353, 0.333, 0.125,
]
