// Style of the console: that of the widget plus console parts. Colours are never the only carrier of information.
import { sharedStyle } from '../pageStyle.ts';

const page = `
:root{color-scheme:light dark;--page:#f4f6f8}
@media(prefers-color-scheme:dark){:root{--page:#0c1116}}
body{margin:0;background:var(--page)}
#lost{position:fixed;inset:auto 0 0 0;margin:0;padding:.7rem;text-align:center;font:600 .95rem/1.4 system-ui,sans-serif;background:#b42318;color:#fff;z-index:2}
.skip{position:absolute;left:-99rem;top:.5rem;padding:.5rem 1rem;background:#fff;color:#0b5394;z-index:3}.skip:focus{left:.5rem}
@media(prefers-reduced-motion:no-preference){.sluice .button,.sluice button{transition:background-color .15s}}
`;

const console = `
.sluice{--focus:#0b5394;--mark-evicting:#b42318;--mark-held:#8a4b00;--mark-unknown:#6b3fa0;--mark-tainted:#a83279;--mark-inuse:#0b7a75;--mark-free:#76859a}
@media(prefers-color-scheme:dark){.sluice{--focus:#8fcaff;--mark-evicting:#ff8a7d;--mark-held:#fbc36b;--mark-unknown:#c3a5f0;--mark-tainted:#f19fd0;--mark-inuse:#2fbfb5;--mark-free:#8494a6}}
.sluice a{color:var(--info)}.sluice a:focus-visible,.sluice button:focus-visible,.sluice input:focus-visible,.sluice select:focus-visible,.sluice summary:focus-visible,.sluice pre:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
.sluice main:focus{outline:0}
.sluice .name{font-size:1.15rem;font-weight:700;line-height:1.15}
.sluice h1{margin-bottom:.9rem;overflow-wrap:anywhere}.sluice h2{font-size:1rem;margin:0 0 .6rem}.sluice h3{font-size:.9rem;margin:0 0 .4rem;overflow-wrap:anywhere}
.sluice header nav{display:flex;flex-wrap:wrap;gap:.25rem}.sluice header nav a{padding:.35rem .8rem;border-radius:8px;text-decoration:none;font-weight:600;color:var(--text)}.sluice header nav a[aria-current]{background:var(--info-soft);color:var(--info)}
.sluice .button,.sluice button{display:inline-block;font:600 .85rem/1.3 inherit;font-family:inherit;padding:.35rem .8rem;border-radius:8px;border:1px solid var(--muted);background:var(--card);color:var(--text);text-decoration:none;cursor:pointer;flex:none;overflow-wrap:normal}
.sluice .button:hover,.sluice button:hover{background:var(--soft)}
.sluice button.act{background:var(--info);border-color:var(--info);color:var(--card)}
.sluice .tools{display:flex;flex-wrap:wrap;gap:.4rem}.sluice .card .tools{margin-top:.6rem}
.sluice .notice{display:flex;gap:1rem;justify-content:space-between;align-items:center;margin:0 0 .6rem;color:var(--warn);background:var(--warn-soft)}.sluice .notice.is-silent,.sluice .notice.is-unread{color:var(--bad);background:var(--bad-soft)}
.sluice .notice span{min-width:0;overflow-wrap:anywhere}.sluice .notice .why{display:block}.sluice .notice small{display:block;color:inherit}.sluice .notice code{color:inherit;background:none;padding:0;overflow-wrap:anywhere}
.sluice .filters{display:flex;flex-wrap:wrap;gap:.7rem;align-items:end;margin:0 0 .9rem}.sluice .filters label{display:flex;flex-direction:column;gap:.2rem;font-size:.8rem;color:var(--muted);min-width:0;flex:0 1 16rem}
.sluice input,.sluice select{font:inherit;font-size:.9rem;padding:.35rem .5rem;border:1px solid var(--muted);border-radius:8px;background:var(--card);color:var(--text);min-width:0;max-width:100%}
.sluice .filters :is(input,select,button,.button){box-sizing:border-box;height:2.3rem;margin:0}.sluice .filters .button{display:inline-flex;align-items:center}
@media (min-width:60rem){.sluice .filters label:has([name=name]){flex-basis:34rem}}.sluice .filters .field{flex:0 1 16rem;min-width:0}.sluice .problem{margin:.3rem 0 0;font-size:.8rem;color:var(--bad);overflow-wrap:anywhere}.sluice input[aria-invalid]{border-color:var(--bad)}
.sluice .marks{display:block;max-width:100%;height:auto}.sluice .states{margin-bottom:.8rem}.sluice .states li{display:flex;gap:.4rem;align-items:center}
.sluice .mark-evicting{fill:var(--mark-evicting)}.sluice .mark-held{fill:var(--mark-held)}.sluice .mark-unknown{fill:var(--mark-unknown)}.sluice .mark-tainted{fill:var(--mark-tainted)}.sluice .mark-inuse{fill:var(--mark-inuse)}.sluice .mark-free{fill:var(--mark-free)}
.sluice .groups{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,230px),1fr));gap:.7rem}.sluice .groups .panel{margin:0;padding:.8rem}
.sluice .pager{display:flex;gap:.8rem;align-items:center;margin-top:.8rem}
.sluice pre{overflow-x:auto;font:400 .82rem/1.5 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;margin:.6rem 0}
.sluice .answer{font-weight:600;overflow-wrap:anywhere}.sluice .reasons{list-style:disc;padding-left:1.2rem;margin:.2rem 0 .8rem}.sluice .reasons li{overflow-wrap:anywhere}.sluice summary{cursor:pointer}.sluice .paragraphs>details{margin:.3rem 0}
.sluice .timeline .deletes{fill:var(--evicted)}.sluice .badge.is-inuse{color:var(--good);background:var(--good-soft)}.sluice .badge.is-free{color:var(--muted);background:var(--soft)}.sluice .badge.is-tainted,.sluice .badge.is-unknown{color:var(--warn);background:var(--warn-soft)}
.sluice .rule{display:grid;grid-template-columns:minmax(0,5fr) minmax(0,4fr) minmax(0,6fr);gap:.3rem 1.2rem;align-items:center;padding:.6rem 1rem;margin-bottom:.5rem}.sluice .rule h3{margin:0;font-size:.88rem}.sluice .rule :is(.on,.count){font-size:.85rem;color:var(--muted);overflow-wrap:anywhere}.sluice .rule .state{overflow-wrap:anywhere;line-height:1.35}.sluice .rule .state small{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden}.sluice .rule .tools{margin-top:.3rem}.sluice .rule .button{padding:.2rem .6rem;font-size:.8rem}.sluice .is-other{color:var(--muted);background:var(--soft)}
.sluice .links{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;list-style:none;margin:0;padding:0}.sluice .links li{overflow-wrap:anywhere}
.sluice .unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.sluice footer{margin-top:1rem}
.sluice #notices:not(:empty){margin-bottom:1.1rem}
.sluice .unfold{display:none}
.sluice .many .unfold{display:inline-flex;gap:.5rem;align-items:center}.sluice .many .fold:not(:has(.unfold :checked)) .notice:nth-child(n+5){display:none}
`;

/** Rows, cards, groups, paragraphs and notices shown on a phone before the user expands a list. */
const folded = [1, 2, 4].map((shown) => {
  const rest = ['tbody tr', '.cards>*', '.groups>*', '.paragraphs>*', '.notice'].map(
    (one) => `${one}:nth-child(n+${shown + 1})`,
  );
  return `.sluice .fold-${shown}:not(:has(.unfold :checked)) :is(${rest.join()}){display:none}`;
});

/** Lines of a long text on a phone before the user asks for all of it. */
const lines = {
  2: ['.card h2', '.rule h3', '.notice b', '.evictions td'],
  3: [
    'h1',
    '.card .what',
    '.notice .why',
    '.held span',
    '.panel p',
    '.answer',
    '.reasons span',
    '.links li',
    'td:not([data-label=Actions],.evictions td)',
    'td small',
    'tbody th',
    'dd',
  ],
};
/** Elements whose text is cut on a phone where it is long. */
export const cutSelector = Object.values(lines).flat().join();
const cut = Object.entries(lines).map(
  ([count, of]) =>
    `.sluice:not(:has([name=all-text]:checked)) :is(${of.join()}){display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:${count};overflow:hidden}`,
);

const phone = `
@media(max-width:760px){
.sluice{padding-bottom:.8rem}.sluice footer{margin-top:0}.sluice footer .unfold{margin:.1rem 0}.sluice header{gap:.5rem;margin-bottom:.8rem}.sluice header nav{order:3;width:100%}.sluice .status{width:100%;justify-content:space-between}.sluice .status .pill{font-size:.74rem}.sluice .status .button{font-size:.8rem;padding:.15rem .55rem}.sluice .clock{display:none}
.sluice .logo{width:32px;height:32px}
.sluice .tiles{grid-template-columns:repeat(4,1fr);gap:.4rem;margin-bottom:.8rem}.sluice .tile{padding:.4rem .5rem}.sluice .tile dt{font-size:.78rem}.sluice .tile dd{font-size:1.3rem}.sluice .tile small,.sluice .tile .key{display:none}
.sluice .notice{padding:.5rem .7rem;font-size:.9rem;flex-direction:column;align-items:stretch;gap:.4rem}.sluice .notice .button{align-self:flex-start}
.sluice .card figure.is-idle{display:none}
.sluice .unfold{display:inline-flex;gap:.5rem;align-items:center;margin:.1rem 0 .9rem}.sluice .unfold[hidden]{display:none}.sluice .groups+.unfold{margin-top:.7rem}.sluice .panel .unfold{margin:.6rem 0 0}
.sluice .fold>.panel{margin-bottom:.5rem}.sluice .fold-0:not(:has(.unfold :checked))>.panel{display:none}
.sluice .card{padding:.8rem .9rem}.sluice .card .what{margin-bottom:.5rem}.sluice .card .legend{gap:.1rem .7rem;font-size:.76rem}.sluice .card .facts small{font-size:.72rem}.sluice .fold:not(:has(.unfold :checked)) .card figure{display:none}.sluice .card .facts{margin:.6rem 0 0;padding:.5rem 0 0;border-width:1px 0 0}
.sluice .panel{padding:.8rem .9rem}
.sluice .evictions tr{display:grid;grid-template-columns:auto 1fr auto;gap:.1rem .6rem;padding:.45rem 0}
.sluice .evictions :is(td,tbody th){padding:0;min-width:0}.sluice .evictions [data-label]::before{content:none}
.sluice .evictions tbody th{order:1;grid-column:1/-1}.sluice .evictions [data-label^=Time]{order:0}.sluice .evictions [data-label=Outcome]{order:0;grid-column:3}.sluice .evictions [data-label=Why]{order:2;grid-column:1/-1}.sluice .evictions [data-label=Device]{order:3;grid-column:1/-1}
.sluice .fold:not(:has(.unfold :checked)) .evictions :is([data-label=Device],[data-label=Why] code){display:none}
.sluice tbody td[data-label=Actions]{padding-left:0}.sluice tbody td[data-label=Actions]::before{content:none}
.sluice .filters{gap:.5rem}.sluice .filters label{flex:1 1 8rem}.sluice .filters label:has([name=name]){flex-basis:16rem}.sluice .filters label:has([type=datetime-local]){flex-basis:100%}
.sluice .rule{grid-template-columns:minmax(0,1fr);gap:.25rem;padding:.6rem .9rem}
.sluice main:not(:has([name=all-rules]:checked)) .rule :is(.on,.state small){display:none}
.sluice main:not(:has([name=all-rules]:checked))>:nth-child(n+5 of :has(>.rule)),.sluice main:has(.cards):not(:has([name=all-rules]:checked))>:is(:has(>.rule),#r-rules-filter,#r-rules-end) :is(.rule,form,.pager){display:none}
${folded.join('\n')}
${cut.join('\n')}
}
`;

export const consoleStyle = `${page}${sharedStyle}${console}${phone}`;
