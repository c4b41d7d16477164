// Shared page style: light or dark by preference, one column on a phone. Every CSS rule is scoped below `.sluice`.

const dark =
  '--card:#151c24;--text:#e8edf2;--muted:#9daab8;--line:#2a3541;--soft:#1e2731;--evicted:#2fbfb5;--deleting:#4db5e6;--pending:#e5b13a;--waiting:#78879a;--good:#6ee7a0;--good-soft:#12351f;--warn:#fbc36b;--warn-soft:#3a2a0c;--bad:#ff9d92;--bad-soft:#451a16;--info:#8fcaff;--info-soft:#12304b';

/** For light and dark; different colours are variables. */
const common = `
.sluice *{box-sizing:border-box}
.sluice h1,.sluice h2,.sluice p,.sluice dl,.sluice dd,.sluice ul,.sluice figure{margin:0;padding:0}
.sluice ul{list-style:none}
.sluice p,.sluice li,.sluice dd{overflow-wrap:anywhere}
.sluice code,.sluice .device,.sluice th[scope=row],.sluice .card h2{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.86em;overflow-wrap:anywhere}
.sluice small{color:var(--muted);font-size:.8rem;font-weight:400}
.sluice header{display:flex;flex-wrap:wrap;gap:.75rem 1rem;align-items:center;justify-content:space-between;margin-bottom:1.25rem}
.sluice .brand{display:flex;gap:.75rem;align-items:center}
.sluice h1{font-size:1.3rem;line-height:1.15;letter-spacing:-.01em}
.sluice .cluster{color:var(--muted);font-size:.88rem}.sluice .cluster b{color:var(--text);font-weight:600}
.sluice .logo-body{fill:var(--evicted)}.sluice .logo-line,.sluice .logo-gate{fill:none;stroke:var(--card);stroke-linecap:round;stroke-width:1.8}.sluice .logo-gate{stroke-width:2.6}.sluice .logo-drop{fill:var(--card)}
.sluice .status{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center}
.sluice .clock{color:var(--muted);font-size:.85rem}
.sluice .pill,.sluice .badge{display:inline-flex;align-items:center;gap:.45em;border-radius:99px;padding:.2em .75em;font-size:.82rem;font-weight:600;white-space:nowrap}
.sluice .dot{width:.55em;height:.55em;border-radius:50%;background:currentColor}
.sluice .good,.sluice .is-completed{color:var(--good);background:var(--good-soft)}
.sluice .warn,.sluice .is-held{color:var(--warn);background:var(--warn-soft)}
.sluice .bad,.sluice .is-stopped{color:var(--bad);background:var(--bad-soft)}
.sluice .is-evicting{color:var(--info);background:var(--info-soft)}
.sluice .is-waiting,.sluice .is-notstarted,.sluice .is-noeffect{color:var(--muted);background:var(--soft)}
.sluice .notice{margin-bottom:1.25rem;padding:.7rem 1rem;border-radius:10px;color:var(--bad);background:var(--bad-soft);font-weight:500}
.sluice .tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:.9rem;margin-bottom:1.25rem}
.sluice .tile,.sluice .card,.sluice .panel,.sluice .empty{background:var(--card);border:1px solid var(--line);border-radius:12px}
.sluice .tile{padding:.8rem 1rem .7rem}
.sluice .tile dt{color:var(--muted);font-size:.85rem;font-weight:500}
.sluice .tile dd{font-size:1.9rem;font-weight:650;line-height:1.2;letter-spacing:-.02em}
.sluice .tile small{display:block;letter-spacing:0;line-height:1.35}
.sluice .key{display:inline-block;width:.7em;height:.7em;border-radius:3px;margin-right:.5em}
.sluice .key.evicted{background:var(--evicted)}.sluice .key.deleting{background:var(--deleting);height:.56em}.sluice .key.pending{background:var(--pending);height:.42em}.sluice .key.waiting{background:var(--waiting);height:.28em}
.sluice .cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:.9rem;margin-bottom:.9rem}
.sluice .card{padding:1.1rem 1.2rem;min-width:0;display:flex;flex-direction:column;justify-content:space-between}
@media(min-width:960px){.sluice .card:last-child:nth-child(odd){grid-column:1/-1;display:grid;grid-template-columns:1fr 1fr;gap:0 2.2rem;align-items:center}.sluice .card:last-child:nth-child(odd) .facts{border-bottom:0;margin-bottom:0;padding-bottom:0}}
.sluice .card-head{display:flex;gap:.75rem;justify-content:space-between;align-items:flex-start}
.sluice .card h2{font-size:1.05rem;font-weight:650;line-height:1.4}
.sluice .what{display:flex;flex-wrap:wrap;gap:.2rem .6rem;align-items:baseline;color:var(--muted);font-size:.88rem;margin:.25rem 0 .9rem;overflow-wrap:anywhere}
.sluice .taint{color:var(--text);background:var(--soft);border-radius:6px;padding:.1em .5em}
.sluice .share{display:flex;justify-content:space-between;align-items:baseline;margin-bottom:.35rem}.sluice .share b{font-size:1.25rem;font-weight:650}.sluice .share span{color:var(--muted);font-size:.88rem}
.sluice .bar{display:block;border-radius:99px;overflow:hidden}
.sluice .bar .track{fill:var(--soft)}.sluice rect.evicted{fill:var(--evicted)}.sluice rect.deleting{fill:var(--deleting)}.sluice rect.pending{fill:var(--pending)}.sluice rect.waiting{fill:var(--waiting)}
.sluice .legend{display:flex;flex-wrap:wrap;gap:.15rem 1.1rem;margin:.5rem 0 0;color:var(--muted);font-size:.83rem}
.sluice .held{margin-top:.8rem;padding:.5rem .75rem;border-radius:8px;color:var(--warn);background:var(--warn-soft);font-size:.88rem;font-weight:500}
.sluice .facts{display:grid;grid-template-columns:repeat(4,auto);gap:.75rem;margin:1rem 0 .9rem;padding:.8rem 0;border:solid var(--line);border-width:1px 0}
.sluice .facts dt{color:var(--muted);font-size:.82rem}.sluice .facts dd{font-size:1.15rem;font-weight:600;line-height:1.3}.sluice .facts dd{white-space:nowrap}.sluice .facts small{white-space:normal}.sluice .facts small{display:block}
.sluice .chart{display:block}.sluice .chart .axis{stroke:var(--line)}.sluice .chart .deletes{fill:var(--evicted)}.sluice .chart .rate{stroke:var(--text);stroke-dasharray:5 4;stroke-width:1.2;opacity:.75}.sluice .chart .tick{fill:var(--muted);font-size:11px}.sluice .chart .rate-label{fill:var(--text);font-weight:600}
.sluice figcaption{color:var(--muted);font-size:.8rem;margin-top:.3rem}
.sluice .panel{padding:1.1rem 1.2rem;margin-bottom:.9rem}
.sluice .panel h2{font-size:1rem;margin-bottom:.6rem}
.sluice table{width:100%;border-collapse:collapse;font-size:.88rem}
.sluice th,.sluice td{text-align:left;vertical-align:baseline;padding:.45rem .75rem .45rem 0;border-top:1px solid var(--line)}
.sluice thead th{border-top:0;color:var(--muted);font-size:.8rem;font-weight:500;padding-top:0;white-space:nowrap}
.sluice tbody th{font-weight:600}.sluice .namespace{color:var(--muted);font-weight:400}
.sluice td code{color:var(--muted)}.sluice .evictions td code{display:block}
.sluice .number{text-align:right}.sluice .number:last-child{padding-right:0}
.sluice .outcome{font-weight:600;white-space:nowrap}.sluice .outcome.is-evicted{color:var(--evicted)}.sluice .outcome.is-other{color:var(--muted)}
.sluice .more{color:var(--muted);font-size:.85rem;margin-top:.6rem}
.sluice .empty{padding:2.5rem 1.2rem;text-align:center;margin-bottom:.9rem}.sluice .empty h2{font-size:1.1rem;margin-bottom:.3rem}.sluice .empty p{color:var(--muted);max-width:34rem;margin:0 auto}
@media(max-width:760px){
.sluice{padding:1rem .8rem 2rem}
.sluice .tiles{grid-template-columns:repeat(2,1fr)}
.sluice .facts{gap:.5rem}.sluice .facts dd{font-size:.9rem}
.sluice table,.sluice tbody,.sluice tr,.sluice td,.sluice tbody th{display:block}
.sluice thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.sluice tr{padding:.6rem 0;border-top:1px solid var(--line)}.sluice tr:first-child{border-top:0}
.sluice th,.sluice td{border:0;padding:.1rem 0 .1rem 5.5rem;position:relative}
.sluice .number{text-align:left}
.sluice .evictions [data-label=Node]{display:none}
.sluice .chart .tick{font-size:16px}
.sluice tbody [data-label]::before{content:attr(data-label);position:absolute;left:0;max-width:5.2rem;color:var(--muted);font:400 .8rem/1.6 system-ui,sans-serif}
}
`;

const light = `
.sluice{--card:#fff;--text:#15202b;--muted:#526070;--line:#dfe4ea;--soft:#eef1f4;--evicted:#0b7a75;--deleting:#1e88b8;--pending:#b07a00;--waiting:#75828f;--good:#0b6b3a;--good-soft:#dcf5e6;--warn:#8a4b00;--warn-soft:#fdf0d5;--bad:#b42318;--bad-soft:#fde4e1;--info:#0b5394;--info-soft:#e0effb;
font:400 15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;color:var(--text);max-width:1120px;margin:0 auto;padding:1.5rem 1.25rem 3rem;font-variant-numeric:tabular-nums}
`;

/** Light or dark by the browser's preference. */
export const sharedStyle = `${light}@media(prefers-color-scheme:dark){.sluice{${dark}}}${common}`;

/** Compact, so that the main answers are visible in a small widget without scrolling. */
const widget = `
.sluice{max-width:none;padding:.6rem 1rem 1rem}.sluice header{margin-bottom:.6rem}
.sluice .tiles{margin-bottom:.8rem}.sluice .tile{display:grid;grid-template-columns:auto 1fr;gap:0 .8rem;align-items:baseline;padding:.4rem .8rem}.sluice .tile dd{font-size:1.3rem;text-align:right}.sluice .tile small{display:none}.sluice .empty{padding:1.2rem}
.sluice .answers{margin-bottom:1rem}.sluice .answers div{display:flex;gap:.3rem 1rem;padding:.2rem 0}.sluice .answers dt{flex:0 0 8.5rem;color:var(--muted)}.sluice .answers dd{font-weight:600;overflow-wrap:anywhere;min-width:0}
`;

/** Without page-level rules, and dark by class: the theme of the AWS console differs from the browser's preference. */
export const widgetStyle = `${light}.sluice.dark{${dark}}${common}${widget}`;
